// The elements of the list: rows, headers and column widths. Everything that comes from the store goes through textContent.
// Elements are recycled; one that keeps its row keeps its element, so focus and animations stay with it.

/** Creates an element: `text`, `class`, handlers in `on`, the rest are attributes; true sets an empty one, false and null none. */
export function h(tag, { on = {}, text, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  if (text != null) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value != null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  for (const [event, handler] of Object.entries(on)) element.addEventListener(event, handler);
  element.append(...children.filter((child) => child != null && child !== false));
  return element;
}

const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const hiddenInLines = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function picture(character) {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : text);

/** A text as one line in which nothing is hidden; only so much of it as anyone reads in a list. */
export const oneLine = (text, most = 300) => cut(text, most).replace(hidden, picture);

/** The same with its line ends. */
export const manyLines = (text, most = 20_000) => cut(text, most).replace(/\r\n/g, '\n').replace(hiddenInLines, picture);

const format = new Intl.NumberFormat('en');
export const count = (number) => format.format(number);
/** What the server says in words, as a sentence of its own. */
export const sentence = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

export const nouned = (number, [one, many]) => `${count(number)} ${number === 1 ? one : many}`;

/** Sets what differs, so that a repaint of what is there already costs no style calculation. */
function attribute(element, name, value) {
  const now = element.getAttribute(name);
  const next = value == null || value === false ? null : String(value);
  if (now === next) return;
  if (next === null) element.removeAttribute(name);
  else element.setAttribute(name, next);
}

/** Widths of the columns: wide enough for what has been seen, never narrower again, so that nothing jumps about. */
export class Columns {
  #seen = new WeakSet();
  #budget = 400;

  constructor(program, probe) {
    this.columns = program.columns;
    this.title = program.titleColumn;
    this.pen = document.createElement('canvas').getContext('2d');
    this.probe = probe;
    this.reset();
  }

  reset() {
    const style = getComputedStyle(this.probe);
    this.pen.font = `${style.fontSize} ${style.fontFamily}`;
    this.natural = this.columns.map(({ title }) => this.pen.measureText(title).width + 22);
    this.#seen = new WeakSet();
    this.#budget = 400;
    this.visible = [];
    this.template = '';
  }

  /** Texts settle their width with the first rows; numbers go on, because one that is cut off is a wrong number. */
  measure(rows) {
    for (const row of rows) {
      if (!row || this.#seen.has(row)) continue;
      this.#seen.add(row);
      this.#budget -= 1;
      this.columns.forEach(({ align }, index) => {
        if (this.#budget < 0 && align !== 'trailing') return;
        const text = oneLine(row.cells[index] ?? '', 60);
        if (text.length * 5 < this.natural[index] - 40) return;
        const width = Math.min(this.pen.measureText(text).width + 2, align === 'trailing' ? 400 : 260);
        if (width > this.natural[index]) this.natural[index] = this.#budget < 0 ? width + 16 : width;
      });
    }
  }

  /** Columns that do not fit are left out from the right; the title is always there. True if something has changed. */
  fit(width) {
    const room = width - Math.max(120, Math.min(260, width * 0.4));
    const visible = this.columns.map((_, index) => index);
    let sizes;
    for (;;) {
      sizes = this.natural.map((natural, index) => Math.ceil(this.columns[index].align === 'trailing' ? natural : Math.min(natural, width * 0.28)));
      const others = visible.filter((index) => index !== this.title);
      const over = () => others.reduce((total, index) => total + sizes[index] + 24, 0) - room;
      // Texts give way before a column is left out; numbers are whole or not there.
      const texts = others.filter((index) => this.columns[index].align !== 'trailing').sort((a, b) => sizes[b] - sizes[a]);
      for (const index of texts) if (over() > 0) sizes[index] = Math.max(Math.min(96, sizes[index]), sizes[index] - over());
      if (over() <= 0 || !others.length) break;
      visible.splice(visible.indexOf(others.at(-1)), 1);
    }
    const template = visible.map((index) => (index === this.title ? 'minmax(0, 1fr)' : `${sizes[index]}px`)).join(' ');
    const same = template === this.template && visible.length === this.visible.length;
    this.visible = visible;
    this.template = template;
    return !same;
  }
}

/** What the first section of a group says of the group. */
const groupText = ({ title, rows, aggregates }) =>
  [oneLine(title) || '(none)', count(rows), oneLine(aggregates)].filter(Boolean).join(' · ');

/** Draws rows and headers into one layer, in the order of the list. */
export class Rows {
  elements = new Map();
  #free = [];
  #freeHeads = [];

  constructor(layer) {
    this.layer = layer;
  }

  /** After another choice of columns all cells are made again, but the elements of rows stay. */
  layout(columns, title, visible) {
    this.columns = columns;
    this.title = title;
    this.visible = visible;
    this.version = (this.version ?? 0) + 1;
  }

  #cells(element) {
    if (element.version === this.version) return;
    element.version = this.version;
    element.replaceChildren(...this.visible.map((index) =>
      h('bdi', { role: 'gridcell', class: `${this.columns[index].align}${index === this.title ? ' title' : ''}` })));
  }

  row(element, { row, position, top, rowIndex, selected, cursor, mark, overlay, waiting }) {
    this.#cells(element);
    element.row = row;
    element.position = position;
    element.section = null;
    element.style.top = `${top}px`;
    const state = ['row'];
    if (!row) state.push(waiting ? 'waiting' : 'unread');
    if (row?.dim) state.push('dim');
    if (cursor) state.push('cursor');
    if (selected) state.push('selected');
    if (overlay) state.push('unsaved');
    if (mark) state.push(mark.kind);
    attribute(element, 'class', state.join(' '));
    attribute(element, 'data-sign', mark ? mark.sign : null);
    attribute(element, 'aria-rowindex', rowIndex);
    attribute(element, 'aria-selected', selected ? 'true' : 'false');
    attribute(element, 'aria-level', this.level);
    attribute(element, 'aria-busy', waiting ? 'true' : null);
    attribute(element, 'tabindex', cursor ? 0 : -1);
    this.visible.forEach((index, at) => {
      const cell = element.children[at];
      let text = row ? row.cells[index] ?? '' : '';
      if (overlay?.cells.has(index)) text = overlay.cells.get(index);
      if (!row && !waiting && index === this.title) text = 'This row cannot be read.';
      text = oneLine(text);
      if (cell.shown !== text) {
        cell.textContent = cell.shown = text;
        attribute(cell, 'title', text.length > 24 ? text : null);
      }
      attribute(cell, 'data-changed', mark?.cells?.includes(index) ? '' : null);
    });
  }

  head(element, { header, section, top, height, rowIndex, cursor, folded, size, grown }) {
    const head = element.firstChild;
    element.section = head.section = section;
    element.style.top = `${top}px`;
    element.style.height = `${height}px`;
    attribute(head, 'class', `head${cursor ? ' cursor' : ''}${header ? '' : ' waiting'}${header?.group ? ' first' : ''}`);
    attribute(head, 'aria-rowindex', rowIndex);
    attribute(head, 'aria-expanded', String(!folded));
    attribute(head, 'tabindex', cursor ? 0 : -1);
    const [group, title, aggregates, number] = head.firstChild.children;
    const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    set(group, header?.group ? groupText(header.group) : '');
    set(title, header ? oneLine(header.title) || '(none)' : '');
    set(aggregates, oneLine(header?.aggregates ?? ''));
    const all = header?.total ?? size;
    set(number, all === size ? count(size) : `${count(size)} of ${count(all)}`);
    attribute(number, 'data-grown', grown ? (grown > 0 ? `+${count(grown)}` : `−${count(-grown)}`) : null);
  }

  #make(isHead) {
    if (!isHead) return this.#free.pop() ?? h('div', { role: 'row' });
    return this.#freeHeads.pop() ?? h('div', { class: 'section', role: 'presentation' }, h('div', { role: 'row', 'aria-level': 1 },
      h('div', { role: 'gridcell' }, h('bdi', { class: 'groupname' }), h('bdi', { class: 'name' }), h('bdi', { class: 'sums' }), h('span', { class: 'count' }))));
  }

  /** Draws exactly `lines` (`{key, head, …}`), reusing elements by key, and leaves them in order. */
  draw(lines) {
    const wanted = new Set(lines.map(({ key }) => key));
    const active = document.activeElement;
    const free = new Set();
    const freeHeads = new Set();
    for (const [key, element] of this.elements) {
      if (wanted.has(key)) continue;
      this.elements.delete(key);
      element.glide?.cancel();
      (element.className === 'section' ? freeHeads : free).add(element);
    }
    let at = this.layer.firstChild;
    for (const line of lines) {
      // What is free is used where it is, and passed by where it is not: an element that is moved costs its style and layout.
      let element = this.elements.get(line.key);
      if (element) {
        while (at !== element && (free.has(at) || freeHeads.has(at))) at = at.nextSibling;
      } else {
        const pool = line.head ? freeHeads : free;
        element = pool.has(at) ? at : pool.values().next().value ?? this.#make(line.head);
        pool.delete(element);
        this.elements.set(line.key, element);
      }
      if (element === at) at = at.nextSibling;
      else if (!element.parentNode || !element.contains(active)) this.layer.insertBefore(element, at);
      else if (this.layer.moveBefore) this.layer.moveBefore(element, at);
      else {
        // Moving would take the focus away, so the others go around it.
        for (let next; at !== element; at = next) {
          next = at.nextSibling;
          this.layer.append(at);
        }
        at = at.nextSibling;
      }
      // Painted after it is where it belongs: Chromium 156 keeps the old style of what moveBefore moves.
      element.y = line.y;
      if (line.head) this.head(element, line);
      else this.row(element, line);
    }
    for (const element of [...free, ...freeHeads]) element.remove();
    this.#free.push(...free);
    this.#freeHeads.push(...freeHeads);
  }

  /** A row that was a grey bar, or that is known by its id from now on, keeps its element. */
  rename(from, to) {
    const element = this.elements.get(from);
    if (!element || this.elements.has(to)) return;
    this.elements.delete(from);
    this.elements.set(to, element);
  }
}
