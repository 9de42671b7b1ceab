// The list on the screen: which rows are drawn, where the cursor stands, what is folded and selected, and what a change does to that.
// The cursor is the identity of a row, and its line on the screen stays whatever others write (the rules of docs/browse.md).

import { Geometry } from './geometry.js';
import { Scroller } from './scroller.js';
import { Columns, Rows, h, oneLine } from './rows.js';
import { Marks, animate, positions } from './motion.js';

const REACH = 16_384;

export class List {
  state = null;
  cursor = null;
  folds = new Set();
  selected = new Set();
  overlays = new Map();
  mine = new Map();
  stuck = null;
  forced = 0;
  #foldedIds = new Set();
  #pending = null;
  #asking = 0;

  /** `on`: `open(id)`, `moved()` after the cursor moved, `drawn()`, `sort(column)`, `lost(text)`, `selected()`. */
  constructor(program, on) {
    this.program = program;
    this.on = on;
    this.spacer = h('div', { class: 'spacer' });
    this.layer = h('div', { class: 'layer', role: 'presentation' });
    this.port = h('div', { class: 'port', tabindex: -1, role: 'presentation' }, this.spacer, this.layer);
    this.heads = h('div', { class: 'heads', role: 'row', 'aria-rowindex': 1 });
    this.empty = h('div', { class: 'empty', hidden: true });
    this.grid = h('div', { class: 'grid', role: 'treegrid', 'aria-label': program.title, 'aria-multiselectable': 'true' },
      this.heads, this.port, this.empty);
    this.rows = new Rows(this.layer);
    this.marks = new Marks(() => this.draw());
    this.geo = new Geometry([], { row: 32, header: 30 });
    this.scroller = new Scroller(this.port, this.spacer, () => this.#scrolled());
    this.layer.addEventListener('click', (event) => this.#clicked(event));
    this.layer.addEventListener('dblclick', (event) => this.#row(event)?.row && this.on.open(this.#row(event).row.id));
    this.layer.addEventListener('focusin', ({ target }) => {
      const line = target.index ?? target.section;
      if (line != null && target.tabIndex !== 0) this.#put(target.section == null ? { index: target.index } : { section: target.section });
    });
  }

  /** To be called once the grid is in the page. */
  start() {
    this.columns = new Columns(this.program, this.port);
    new ResizeObserver(() => this.#resized()).observe(this.port);
    this.#resized();
  }

  get focused() { return this.layer.contains(document.activeElement) || document.activeElement === this.port; }
  get screen() { return Math.ceil(this.scroller.height / this.geo.rowHeight); }
  get size() { return Math.max(64, Math.min(512, (3 * this.screen + 63) & ~31)); }

  rowAt(index) { return this.state?.page[index - this.state.from]; }
  get row() { return this.cursor?.index != null ? this.#known(this.cursor.id) : null; }
  #known(id) { return id == null ? null : this.state.page.find((row) => row?.id === id) ?? this.rows.elements.get(`r${id}`)?.row ?? null; }
  title(row) { return oneLine(row?.cells[this.program.titleColumn] ?? '', 60) || 'this row'; }

  // Heights

  #resized() {
    const { clientWidth: width, clientHeight: height } = this.port;
    if (!height) return;
    const unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.narrow = width < 640 * unit;
    this.unit = unit;
    this.grid.classList.toggle('narrow', this.narrow);
    this.grid.style.setProperty('--bar', `${this.port.offsetWidth - width}px`);
    const line = this.geo.lineAt(this.scroller.top);
    const inset = line ? this.scroller.top - this.#y(line) : 0;
    this.scroller.height = height;
    this.#measure();
    this.#fit();
    this.scroller.set(this.geo.height, line ? this.#y(line) + inset : 0);
    this.draw();
  }

  #measure() {
    const row = Math.round((this.narrow ? 52 : 32) * this.unit);
    this.grid.style.setProperty('--row', `${row}px`);
    const header = this.state && !this.state.sectioned ? 0 : Math.round(30 * this.unit);
    this.grid.style.setProperty('--head', `${Math.round(30 * this.unit)}px`);
    this.geo = new Geometry(this.state?.counts ?? [], { row, header, folded: this.folds });
  }

  #fit() {
    this.columns.measure(this.state?.page ?? []);
    const changed = this.columns.fit(this.port.clientWidth - 48 * this.unit);
    const narrow = this.narrow;
    if (!changed && this.rows.narrow === narrow && this.rows.visible) return;
    this.rows.narrow = narrow;
    const { columns, title } = this.columns;
    const visible = narrow ? [title, ...columns.map((_, index) => index).filter((index) => index !== title).slice(0, 4)] : this.columns.visible;
    if (String(visible) !== String(this.rows.visible)) this.rows.layout(columns, title, visible);
    this.grid.style.setProperty('--columns', this.columns.template);
    this.headings();
  }

  headings() {
    const { sorts } = this.program;
    const { sortColumn, descending } = this.hello ?? {};
    this.heads.replaceChildren(...(this.rows.visible ?? []).map((index) => {
      const { title, align } = this.program.columns[index];
      const sorted = sortColumn === title;
      const order = sorted ? (descending ? 'descending' : 'ascending') : null;
      const sorting = sorts.includes(title);
      return h('div', { role: 'columnheader', class: `${align} ${order ?? ''}`, 'aria-sort': order },
        sorting ? h('button', { text: title, tabindex: -1, title: `Sort by ${title}`, on: { click: () => this.on.sort(title) } })
          : h('span', { text: title }));
    }));
    const left = this.program.columns.length - (this.rows.visible?.length ?? 0);
    this.heads.title = left ? `${left} more in the detail pane` : '';
  }

  #y(line) { return line.index == null ? this.geo.tops[line.section] : this.geo.y(line.index); }

  // Lists and changes

  /** Shows another list; `keep` is `{id, offset}`: a row that stays on its line of the screen if the list has it. */
  show(results, { state, change }, hello, keep) {
    this.results = results;
    this.hello = hello;
    this.state = state;
    this.folds = new Set();
    this.marks.clear();
    this.overlays.clear();
    this.stuck = null;
    this.visited = false;
    this.#pending = null;
    this.scroller.forget();
    this.columns.reset();
    this.#measure();
    this.#fit();
    this.headings();
    const index = change.at ?? null;
    const top = index === null ? 0 : this.geo.y(index) - (keep?.offset ?? this.geo.headerHeight);
    this.scroller.set(this.geo.height, top);
    if (index !== null && (keep?.cursor ?? true)) this.#put({ index }, false);
    else this.#put(state.rows ? { index: 0 } : null, false);
    this.draw();
  }

  apply({ before, state, change }) {
    const { geo, scroller } = this;
    const { top, height } = scroller;
    const old = positions(this.rows.elements, top);
    this.state = state;
    const spots = new Map();
    state.page.forEach((row, index) => row && spots.set(row.id, state.from + index));
    for (const [id, index] of spots) this.rows.rename(`p${index}`, `r${id}`);

    this.#refold(before, state, change);
    const moved = change.kind === 'page' && change.moved && geo.folded === this.folds;
    if (!moved) this.#measure();
    this.#fit();
    let next = top;
    if (this.stuck === 'top') next = 0;
    else if (this.stuck === 'bottom') next = this.geo.height;
    else if (!moved) next = top + this.#shift(before, change, spots, geo, top, height);
    scroller.set(this.geo.height, next);

    if (change.kind === 'delta') this.#mark(change);
    this.#settleCursor(before, change, spots);
    if (this.#pending && change.kind === 'page' && (change.at != null || state.from === 0)) {
      const { then } = this.#pending;
      this.#pending = null;
      if (change.at != null) {
        this.#put({ index: change.at });
        this.#see(true);
        then?.();
      } else this.on.lost('The row is not in this list');
    }
    scroller.forget();
    this.draw();
    if (change.kind === 'delta') {
      animate(this.rows.elements, old, scroller.top, height, (key) => this.marks.get(key)?.kind === 'insert');
    }
  }

  #refold(before, state, { origins, moved }) {
    if (moved) {
      // Headers that were unknown may name folded sections.
      if (!this.#foldedIds.size) return;
    }
    const folds = new Set();
    const from = origins ?? (moved || before?.counts.length === state.counts.length ? null : []);
    state.counts.forEach((_, index) => {
      const header = state.headers.get(index);
      const was = from ? from[index] ?? -1 : index;
      if (header?.id != null ? this.#foldedIds.has(header.id) : this.folds.has(was)) folds.add(index);
    });
    if (folds.size || this.folds.size) this.folds = folds;
  }

  /** By how much the view moves so that what is looked at stays: the cursor's line, else the first row that is seen whole and stays. */
  #shift(before, change, spots, geo, top, height) {
    if (!geo.sections) return 0;
    const seen = [...geo.lines(top, top + height)];
    const y = (line) => (line.index == null ? geo.tops[line.section] : geo.y(line.index));
    const whole = seen.filter((line) => line.index != null && y(line) >= top + (top ? geo.headerHeight : 0) - 0.5);
    const { cursor } = this;
    const lines = cursor && y(cursor) >= top - 0.5 && y(cursor) < top + height ? [cursor, ...whole] : whole;
    for (const line of lines) {
      if (line.index == null) {
        const section = change.origins ? change.origins.indexOf(line.section) : line.section;
        if (change.kind === 'delta' && section >= 0) return this.geo.tops[section] - y(line);
        continue;
      }
      const id = before.page[line.index - before.from]?.id;
      if (id == null || !spots.has(id) || (change.moved?.has?.(id) && !this.mine.has(id))) continue;
      return this.geo.y(spots.get(id)) - y(line);
    }
    const line = whole[0];
    if (!line || !this.geo.rows) return 0;
    return this.geo.y(Math.min(line.index + (change.shift ?? 0), this.geo.rows - 1)) - y(line);
  }

  #settleCursor(before, change, spots) {
    const { cursor, state } = this;
    if (!state.rows) return this.#put(null);
    if (!cursor) return this.#put({ index: 0 });
    if (this.stuck) return this.#put({ index: this.stuck === 'top' ? 0 : state.rows - 1 });
    if (cursor.index == null) {
      const { origins } = change;
      let section = origins ? origins.indexOf(cursor.section) : cursor.section;
      if (section < 0) section = origins.findIndex((from) => from > cursor.section);
      return this.#put({ section: Math.min(section < 0 ? state.counts.length - 1 : section, state.counts.length - 1) });
    }
    const { id, index } = cursor;
    const follows = this.mine.get(id) === 'follow';
    if (id == null) return this.#put({ index: Math.min(index + (change.shift ?? 0), state.rows - 1) });
    if (spots.has(id)) {
      const now = spots.get(id);
      const y = this.geo.y(now) - this.scroller.top;
      if (follows || !change.moved?.has?.(id) || (y > -this.geo.rowHeight && y < this.scroller.height)) return this.#put({ index: now });
      return this.#leave(before, spots, index, 'was moved away');
    }
    if (!change.removed?.has(id)) {
      // Out of the window: nobody knows its place, so the next key asks for it by its id.
      this.cursor = { id, index: Math.max(0, Math.min(index + (change.shift ?? 0), state.rows - 1)) };
      return undefined;
    }
    if (follows) return this.reveal(id);
    return this.#leave(before, spots, index, 'left the list');
  }

  /** The nearest row that survives: of the same section after, before, then any. */
  #leave(before, spots, index, what) {
    const geo = new Geometry(before.counts, { row: 1, header: 0 });
    const section = geo.sectionOf(index);
    const inside = (at) => at >= geo.starts[section] && at < geo.starts[section + 1];
    const near = before.page.map((row, index) => ({ row, at: before.from + index }))
      .filter(({ row }) => row && spots.has(row.id))
      .sort((a, b) => inside(b.at) - inside(a.at) || (b.at > index) - (a.at > index) || Math.abs(a.at - index) - Math.abs(b.at - index));
    const gone = before.page[index - before.from];
    if (gone && !this.mine.has(gone.id)) {
      this.forced = performance.now();
      this.on.lost(`“${this.title(gone)}” ${what}`);
    }
    this.#put({ index: near.length ? spots.get(near[0].row.id) : Math.min(index, this.state.rows - 1) });
  }

  #mark(change) {
    const { inserted, moved, updated, grown } = change;
    if (inserted.size + moved.size + updated.size > 200) return;
    for (const [id, cells] of updated) this.marks.set(`r${id}`, 'update', { cells });
    for (const id of inserted) this.marks.set(`r${id}`, 'insert');
    for (const id of moved) this.marks.set(`r${id}`, 'move', { cells: updated.get(id) });
    for (const [index, by] of grown) this.marks.set(this.#headKey(index), 'grown', { by });
  }

  // The cursor

  #put(line, notifies = true) {
    const before = this.cursor;
    const section = line && (line.index == null ? line.section : this.geo.sectionOf(line.index));
    if (!line) this.cursor = null;
    // A fold around the cursor puts it on the header.
    else if (line.index == null || this.folds.has(section)) this.cursor = { section };
    else this.cursor = { index: line.index, id: this.rowAt(line.index)?.id ?? null };
    if (notifies && (before?.id !== this.cursor?.id || before?.index !== this.cursor?.index || before?.section !== this.cursor?.section)) {
      this.on.moved();
    }
  }

  get #cursorKey() {
    const { cursor } = this;
    if (!cursor) return null;
    return cursor.index == null ? this.#headKey(cursor.section) : cursor.id != null ? `r${cursor.id}` : `p${cursor.index}`;
  }

  #headKey(section) {
    const id = this.state.headers.get(section)?.id;
    return id == null ? `S${section}` : `s${id}`;
  }

  /** Scrolls as little as possible until the cursor is seen; to the middle if it was far away. */
  #see(far = false) {
    const { geo, scroller, cursor } = this;
    if (!cursor) return;
    const y = this.#y(cursor);
    const sticky = cursor.index == null ? 0 : geo.headerHeight;
    const low = y - sticky;
    const high = y + (cursor.index == null ? geo.headerHeight : geo.rowHeight) - scroller.height;
    let top = scroller.top;
    if (top > low || top < high) {
      if (far && (top > low + scroller.height || top < high - scroller.height)) top = y - scroller.height / 2;
      else top = top > low ? low : high;
      scroller.set(geo.height, top);
      scroller.settle();
    }
  }

  #go(line, stuck = null) {
    this.visited = true;
    this.stuck = stuck;
    this.#put(line);
    this.#see();
    this.draw();
    this.focus();
  }

  /** Moves by lines; pages are lines too. */
  move(lines) {
    const { geo, cursor, scroller } = this;
    if (!cursor) return;
    if (cursor.id != null && !this.state.page.some((row) => row?.id === cursor.id)) return this.reveal(cursor.id, () => this.move(lines));
    const y = this.#y(cursor);
    const tall = cursor.index == null ? geo.headerHeight : geo.rowHeight;
    let at = lines > 0 ? y + tall : y - 1;
    if (Math.abs(lines) > 1) at = y + lines * geo.rowHeight;
    if (at < 0 && Math.abs(lines) === 1) { scroller.set(geo.height, 0); return this.draw(); }
    this.#go(geo.lineAt(Math.max(0, Math.min(at, geo.height - 1))));
  }

  page(direction) { this.move(direction * Math.max(1, this.screen - 2)); }

  edge(end) {
    if (this.state.rows) this.#go({ index: end === 'top' ? 0 : this.state.rows - 1 }, end);
    if (end === 'top') { this.scroller.set(this.geo.height, 0); this.draw(); }
  }

  section(by) {
    const { geo, cursor } = this;
    if (!cursor || !geo.headerHeight) return;
    const now = cursor.index == null ? cursor.section : geo.sectionOf(cursor.index);
    const next = by < 0 && cursor.index != null ? now : now + by;
    if (next >= 0 && next < geo.sections) this.goSection(next);
  }

  goSection(section) {
    this.#go({ section });
    this.scroller.set(this.geo.height, this.geo.tops[section]);
    this.draw();
  }

  goTo(index) {
    this.stuck = null;
    this.#put({ index: Math.max(0, Math.min(index, this.state.rows - 1)) });
    this.#see(true);
    this.draw();
    this.focus();
  }

  /** Puts the cursor on a row by its id, wherever it is; `then` is called when it is there. */
  reveal(id, then) {
    const index = this.state.page.findIndex((row) => row?.id === id);
    if (index >= 0) {
      this.goTo(this.state.from + index);
      then?.();
      return;
    }
    this.stuck = null;
    this.#pending = { id, then };
    this.results.reveal(id, this.screen & ~31 || 32, this.size);
  }

  fold(how) {
    const { geo, cursor } = this;
    if (!cursor || !geo.headerHeight) return false;
    const section = cursor.index == null ? cursor.section : geo.sectionOf(cursor.index);
    const is = this.folds.has(section);
    if (how === undefined ? false : is === how) return false;
    this.#fold(section, !is);
    return true;
  }

  #fold(section, folded) {
    const { scroller, geo } = this;
    const stays = geo.tops[section] - scroller.top;
    this.folds = new Set(this.folds);
    this.folds[folded ? 'add' : 'delete'](section);
    const id = this.state.headers.get(section)?.id;
    if (id != null) this.#foldedIds[folded ? 'add' : 'delete'](id);
    this.#measure();
    this.#put({ section });
    scroller.set(this.geo.height, this.geo.tops[section] - Math.max(0, stays));
    this.draw();
    this.focus();
  }

  // Selection

  select() {
    const id = this.row?.id;
    if (id == null) return;
    this.#toggle(id);
    this.move(1);
  }

  #toggle(id) {
    if (!this.selected.delete(id)) this.selected.add(id);
    this.on.selected();
  }

  deselect() {
    if (!this.selected.size) return false;
    this.selected.clear();
    this.on.selected();
    this.draw();
    return true;
  }

  /** What a command acts on: the selected rows, else that of the cursor. */
  get ids() { return this.selected.size ? [...this.selected] : this.row ? [this.row.id] : []; }

  // Pointer

  #row({ target }) { return target.closest?.('.row'); }

  #clicked(event) {
    const head = event.target.closest('.head');
    if (head) return this.#fold(head.section, !this.folds.has(head.section));
    const element = this.#row(event);
    if (!element) return undefined;
    const id = element.row?.id;
    if (id != null && (event.ctrlKey || event.metaKey)) this.#toggle(id);
    else if (id != null && event.shiftKey && this.cursor?.index != null) {
      const [from, to] = [this.cursor.index, element.index].sort((a, b) => a - b);
      for (let index = from; index <= to; index += 1) if (this.rowAt(index)) this.selected.add(this.rowAt(index).id);
      this.on.selected();
    }
    this.#go({ index: element.index });
    if (id != null && (event.pointerType === 'touch' || this.narrow || this.program.opensRows)) this.on.open(id);
    return undefined;
  }

  focus() {
    const element = this.rows.elements.get(this.#cursorKey);
    (element?.classList.contains('section') ? element.firstChild : element ?? this.port).focus({ preventScroll: true });
  }

  // Drawing

  #scrolled() {
    this.stuck = null;
    this.draw();
  }

  /** The row at the top of the view, for the address of the page. */
  get first() {
    const { top } = this.scroller;
    if (!top) return null;
    for (const line of this.geo.lines(top + this.geo.headerHeight, top + this.scroller.height)) {
      if (line.index != null && this.rowAt(line.index)) return this.rowAt(line.index).id;
    }
    return null;
  }

  draw() {
    const { state, geo, scroller, cursor } = this;
    if (!state || !this.columns) return;
    const { top, base, height } = scroller;
    const had = this.focused;
    const columns = this.rows.visible.length + 1;
    const over = Math.max(2, Math.min(8, (230 - (height / geo.rowHeight) * columns) / columns / 2)) * geo.rowHeight;
    const items = [];
    let first = Infinity;
    let last = -1;
    const bare = [];
    for (const line of geo.lines(top - over, top + height + over)) {
      if (line.index == null) {
        items.push(this.#headItem(line.section, base, top));
        if (!state.headers.has(line.section)) bare.push(line.section);
      } else {
        const y = geo.y(line.index);
        if (y + geo.rowHeight > top && y < top + height) {
          first = Math.min(first, line.index);
          last = line.index;
        }
        items.push(this.#rowItem(line.index, line.section, y, base));
      }
    }
    const key = this.#cursorKey;
    if (key && had && !items.some((item) => item.key === key)) {
      // The focused element stays in the page, however far away its row is; outside the window its place is only guessed.
      const guess = cursor.index != null && cursor.id != null && this.rowAt(cursor.index)?.id !== cursor.id;
      const y = (guess ? cursor.index < state.from : this.#y(cursor) < top) ? top - REACH : top + height + REACH;
      const item = cursor.index == null ? this.#headItem(cursor.section, base, top)
        : { ...this.#rowItem(cursor.index, geo.sectionOf(cursor.index), y, base), key, row: this.row, waiting: !this.row, cursor: true, ...(guess && { rowIndex: null }) };
      if (y < top) items.unshift(item);
      else items.push(item);
    }
    // Asked for before anything is drawn, so that the rows are under way meanwhile.
    if (last >= 0) {
      const has = { from: state.from, to: state.from + state.page.length };
      scroller.want(first, last, state.rows, has, (from, size) => this.results.window(from, size));
    }
    this.rows.level = geo.headerHeight ? 2 : 1;
    this.rows.draw(items);
    if (had && this.rows.elements.get(key) && !this.rows.elements.get(key).contains(document.activeElement)) this.focus();
    this.grid.setAttribute('aria-rowcount', state.rows + (geo.headerHeight ? geo.sections : 0) + 1);
    if (bare.length && !this.#asking) this.#asking = setTimeout(() => this.#askHeaders(bare), 200);
    this.on.drawn();
  }

  /** Headers of folded sections come with no window. */
  async #askHeaders([from]) {
    const { results, state } = this;
    try {
      if (state.headers.has(from)) return;
      const { position, sections } = await results.send('GET', 'api/sections', { from, count: 100 });
      if (results !== this.results || position !== this.state.position) return;
      for (const [index, title] of sections) if (!this.state.headers.has(index)) this.state.headers.set(index, { id: null, title });
    } catch {
      // Tried again by the next drawing.
    } finally {
      this.#asking = 0;
      if (state.headers.size && !state.headers.has(from)) setTimeout(() => this.draw(), 500);
      else this.draw();
    }
  }

  #headItem(section, base, top) {
    const { state, geo } = this;
    const near = Math.floor(top / REACH) * REACH;
    const start = Math.max(geo.tops[section], near - REACH);
    const end = Math.max(start + geo.headerHeight, Math.min(geo.tops[section + 1], near + 3 * REACH));
    const key = this.#headKey(section);
    return {
      key, head: true, section, header: state.headers.get(section), y: geo.tops[section], top: start - base, height: end - start,
      rowIndex: geo.starts[section] + section + 2, folded: this.folds.has(section), size: geo.counts[section],
      cursor: this.cursor?.index == null && this.cursor?.section === section, grown: this.marks.get(key)?.by,
    };
  }

  #rowItem(index, section, y, base) {
    const { state, cursor } = this;
    const row = this.rowAt(index);
    const key = row ? `r${row.id}` : `p${index}`;
    const isCursor = cursor?.index != null && (cursor.id != null && row ? row.id === cursor.id : cursor.index === index && !(cursor.id && row));
    if (isCursor && row && cursor.id == null) cursor.id = row.id;
    return {
      key, row, index, y, top: y - base, rowIndex: index + (this.geo.headerHeight ? section + 1 : 0) + 2,
      waiting: row === undefined, cursor: isCursor, selected: row ? this.selected.has(row.id) : false,
      mark: row ? this.marks.get(key) : null, overlay: row ? this.overlays.get(row.id) : null,
    };
  }
}
