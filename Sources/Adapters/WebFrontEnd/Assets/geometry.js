// The arithmetic of the list: counts of sections become flat positions and pixels, exactly, before a row is read. Pure.
// Rows and headers have fixed heights, so the scroll bar of ten million rows is right at once and anchoring is one subtraction.

/** The number of the last section that begins at or before `value`; `sums` ascends and begins with 0. */
function lastAtMost(sums, value) {
  let low = 0;
  let high = sums.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sums[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}

export class Geometry {
  /** `folded` is a Set of numbers of sections; `header` is 0 in a list without sections. */
  constructor(counts, { row, header, folded = new Set() }) {
    const sections = counts.length;
    this.counts = counts;
    this.rowHeight = row;
    this.headerHeight = header;
    this.folded = folded;
    this.starts = new Float64Array(sections + 1);
    this.tops = new Float64Array(sections + 1);
    for (let section = 0; section < sections; section += 1) {
      this.starts[section + 1] = this.starts[section] + counts[section];
      this.tops[section + 1] = this.tops[section] + header + (folded.has(section) ? 0 : counts[section] * row);
    }
    this.sections = sections;
    this.rows = this.starts[sections];
    this.height = this.tops[sections];
  }

  sectionOf(position) { return lastAtMost(this.starts, position); }

  sectionAt(y) { return lastAtMost(this.tops, y); }

  /** The top of a row; of a row in a folded section, that of its header. */
  y(position) {
    const section = this.sectionOf(position);
    if (this.folded.has(section)) return this.tops[section];
    return this.tops[section] + this.headerHeight + (position - this.starts[section]) * this.rowHeight;
  }

  /** The same of a line, which is a header, `{section}`, or a row. */
  top(line) { return line.position == null ? this.tops[line.section] : this.y(line.position); }

  tall(line) { return line.position == null ? this.headerHeight : this.rowHeight; }

  sectionOfLine(line) { return line.position == null ? line.section : this.sectionOf(line.position); }

  /** What is at a height: `{section}` for a header, `{section, position}` for a row. */
  lineAt(y) {
    if (!this.sections) return null;
    const section = this.sectionAt(Math.max(0, Math.min(y, this.height - 1)));
    const below = y - this.tops[section] - this.headerHeight;
    if (below < 0 || this.folded.has(section) || !this.counts[section]) return { section };
    const row = Math.min(Math.floor(below / this.rowHeight), this.counts[section] - 1);
    return { section, position: this.starts[section] + row };
  }

  /** The rows and headers between two heights, in order. */
  *lines(from, to) {
    if (!this.sections) return;
    for (let section = this.sectionAt(Math.max(0, from)); section < this.sections && this.tops[section] < to; section += 1) {
      if (this.headerHeight) yield { section };
      if (this.folded.has(section)) continue;
      const top = this.tops[section] + this.headerHeight;
      const first = Math.max(0, Math.floor((from - top) / this.rowHeight));
      const last = Math.min(this.counts[section], Math.ceil((to - top) / this.rowHeight));
      for (let row = first; row < last; row += 1) yield { section, position: this.starts[section] + row };
    }
  }
}
