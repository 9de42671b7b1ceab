// The list on the screen: which rows are drawn, where the cursor stands, what is folded and selected, and what a change does to that.
// The cursor is the identity of a row, and its line on the screen stays whatever others write (the rules of docs/browse.md).

import { Geometry } from './geometry.js';
import { Scroller } from './scroller.js';
import { Columns, Rows, h, oneLine } from './rows.js';
import { Marks, animate, screenTops } from './motion.js';

const REACH = 16_384;

export class List {
  state = null;
  cursor = null;
  folds = new Set();
  selected = new Set();
  isAllSelected = false;
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
      const line = target.position ?? target.section;
      if (line != null && target.tabIndex !== 0) this.#put(target.section == null ? { position: target.position } : { section: target.section });
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

  rowAt(position) { return this.state?.page[position - this.state.from]; }
  get row() { return this.cursor?.position != null ? this.#known(this.cursor.id) : null; }
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
    const inset = line ? this.scroller.top - this.geo.top(line) : 0;
    this.scroller.height = height;
    this.#measure();
    this.#fit();
    this.scroller.set(this.geo.height, line ? this.geo.top(line) + inset : 0);
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
    const visible = narrow ? [title, ...columns.map((_, column) => column).filter((column) => column !== title).slice(0, 4)] : this.columns.visible;
    if (String(visible) !== String(this.rows.visible)) this.rows.layout(columns, title, visible);
    this.grid.style.setProperty('--columns', this.columns.template);
    this.headings();
  }

  headings() {
    const { sorts } = this.program;
    const { sortColumn, descending } = this.hello ?? {};
    this.heads.replaceChildren(...(this.rows.visible ?? []).map((column) => {
      const { title, align } = this.program.columns[column];
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
    if (this.isAllSelected) this.deselect();
    this.#pending = null;
    this.scroller.forget();
    this.columns.reset();
    this.#measure();
    this.#fit();
    this.headings();
    const position = change.at ?? null;
    const top = position === null ? 0 : this.geo.y(position) - (keep?.offset ?? this.geo.headerHeight);
    this.scroller.set(this.geo.height, top);
    if (position !== null && (keep?.cursor ?? true)) this.#put({ position }, false);
    else this.#put(state.rows ? { position: 0 } : null, false);
    this.draw();
  }

  apply({ before, state, change }) {
    const { geo, scroller } = this;
    const { top, height } = scroller;
    const old = screenTops(this.rows.elements, top);
    this.state = state;
    const positions = new Map();
    state.page.forEach((row, number) => row && positions.set(row.id, state.from + number));
    for (const [id, position] of positions) this.rows.rename(`p${position}`, `r${id}`);

    this.#refold(before, state, change);
    const moved = change.kind === 'page' && change.moved && geo.folded === this.folds;
    if (!moved) this.#measure();
    this.#fit();
    let next = top;
    if (this.stuck === 'top') next = 0;
    else if (this.stuck === 'bottom') next = this.geo.height;
    else if (!moved) next = top + this.#shift(before, change, positions, geo, top, height);
    scroller.set(this.geo.height, next);

    if (change.kind === 'delta') this.#mark(change);
    this.#settleCursor(before, change, positions);
    if (this.#pending && change.kind === 'page' && (change.at != null || state.from === 0)) {
      const { id, then } = this.#pending;
      this.#pending = null;
      if (change.at != null) {
        this.#put({ position: change.at });
        this.#see(true);
        then?.();
      } else {
        // The cursor waited for its own row, which others have deleted.
        if (this.cursor?.id === id && state.rows) this.#put({ position: Math.min(this.cursor.position ?? 0, state.rows - 1) });
        this.on.lost('The row is not in this list');
      }
    }
    scroller.forget();
    this.draw();
    if (change.kind === 'delta') {
      animate(this.rows.elements, old, scroller.top, height, (key) => this.marks.get(key)?.kind === 'insert');
    }
  }

  #refold(before, state, { origins, moved }) {
    // Headers that were unknown may name folded sections.
    if (moved && !this.#foldedIds.size) return;
    const folds = new Set();
    const from = origins ?? (moved || before?.counts.length === state.counts.length ? null : []);
    state.counts.forEach((_, section) => {
      const header = state.headers.get(section);
      const was = from ? from[section] ?? -1 : section;
      if (header?.id != null ? this.#foldedIds.has(header.id) : this.folds.has(was)) folds.add(section);
    });
    if (folds.size || this.folds.size) this.folds = folds;
  }

  /** By how much the view moves so that what is looked at stays: the cursor's line, else the first row that is seen whole and stays. */
  #shift(before, change, positions, geo, top, height) {
    if (!geo.sections) return 0;
    const seen = [...geo.lines(top, top + height)];
    const whole = seen.filter((line) => line.position != null && geo.top(line) >= top + (top ? geo.headerHeight : 0) - 0.5);
    const { cursor } = this;
    const lines = cursor && geo.top(cursor) >= top - 0.5 && geo.top(cursor) < top + height ? [cursor, ...whole] : whole;
    for (const line of lines) {
      if (line.position == null) {
        const section = change.origins ? change.origins.indexOf(line.section) : line.section;
        if (change.kind === 'delta' && section >= 0) return this.geo.tops[section] - geo.top(line);
        continue;
      }
      const id = before.page[line.position - before.from]?.id;
      if (id == null || !positions.has(id) || (change.moved?.has?.(id) && !this.mine.has(id))) continue;
      return this.geo.y(positions.get(id)) - geo.top(line);
    }
    const line = whole[0];
    if (!line || !this.geo.rows) return 0;
    return this.geo.y(Math.min(line.position + (change.shift ?? 0), this.geo.rows - 1)) - geo.top(line);
  }

  #settleCursor(before, change, positions) {
    const { cursor, state } = this;
    if (!state.rows) return this.#put(null);
    if (!cursor) return this.#put({ position: 0 });
    if (this.stuck) return this.#put({ position: this.stuck === 'top' ? 0 : state.rows - 1 });
    if (cursor.position == null) {
      const { origins } = change;
      let section = origins ? origins.indexOf(cursor.section) : cursor.section;
      if (section < 0) section = origins.findIndex((from) => from > cursor.section);
      return this.#put({ section: Math.min(section < 0 ? state.counts.length - 1 : section, state.counts.length - 1) });
    }
    const { id, position } = cursor;
    const follows = this.mine.get(id) === 'follow';
    if (id == null) return this.#put({ position: Math.min(position + (change.shift ?? 0), state.rows - 1) });
    if (positions.has(id)) {
      const now = positions.get(id);
      const y = this.geo.y(now) - this.scroller.top;
      if (follows || !change.moved?.has?.(id) || (y > -this.geo.rowHeight && y < this.scroller.height)) return this.#put({ position: now });
      return this.#leave(before, positions, position, 'was moved away');
    }
    if (!change.removed?.has(id)) {
      // Out of the window: its position is not known, so the next key asks for it by its id.
      this.cursor = { id, position: Math.max(0, Math.min(position + (change.shift ?? 0), state.rows - 1)) };
      return undefined;
    }
    if (follows) return this.reveal(id);
    return this.#leave(before, positions, position, 'left the list');
  }

  /** The nearest row that survives: of the same section after, before, then any. */
  #leave(before, positions, position, what) {
    const geo = new Geometry(before.counts, { row: 1, header: 0 });
    const section = geo.sectionOf(position);
    const inside = (at) => at >= geo.starts[section] && at < geo.starts[section + 1];
    const near = before.page.map((row, number) => ({ row, at: before.from + number }))
      .filter(({ row }) => row && positions.has(row.id))
      .sort((a, b) => inside(b.at) - inside(a.at) || (b.at > position) - (a.at > position) || Math.abs(a.at - position) - Math.abs(b.at - position));
    const gone = before.page[position - before.from];
    if (gone && !this.mine.has(gone.id)) {
      this.forced = performance.now();
      this.on.lost(`“${this.title(gone)}” ${what}`);
    }
    this.#put({ position: near.length ? positions.get(near[0].row.id) : Math.min(position, this.state.rows - 1) });
  }

  #mark(change) {
    const { inserted, moved, updated, grown } = change;
    if (inserted.size + moved.size + updated.size > 200) return;
    for (const [id, cells] of updated) this.marks.set(`r${id}`, 'update', { cells });
    for (const id of inserted) this.marks.set(`r${id}`, 'insert');
    for (const id of moved) this.marks.set(`r${id}`, 'move', { cells: updated.get(id) });
    for (const [section, by] of grown) this.marks.set(this.#headKey(section), 'grown', { by });
  }

  // The cursor

  #put(line, notifies = true) {
    const before = this.cursor;
    const section = line && this.geo.sectionOfLine(line);
    if (!line) this.cursor = null;
    // A fold around the cursor puts it on the header.
    else if (line.position == null || this.folds.has(section)) this.cursor = { section };
    else this.cursor = { position: line.position, id: this.rowAt(line.position)?.id ?? null };
    if (notifies && (before?.id !== this.cursor?.id || before?.position !== this.cursor?.position || before?.section !== this.cursor?.section)) {
      this.on.moved();
    }
  }

  get #cursorKey() {
    const { cursor } = this;
    if (!cursor) return null;
    return cursor.position == null ? this.#headKey(cursor.section) : cursor.id != null ? `r${cursor.id}` : `p${cursor.position}`;
  }

  #headKey(section) {
    const id = this.state.headers.get(section)?.id;
    return id == null ? `S${section}` : `s${id}`;
  }

  /** Scrolls as little as possible until the cursor is seen; to the middle if it was far away. */
  #see(far = false) {
    const { geo, scroller, cursor } = this;
    if (!cursor) return;
    const y = this.geo.top(cursor);
    const low = y - (cursor.position == null ? 0 : geo.headerHeight);
    const high = y + geo.tall(cursor) - scroller.height;
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
    const y = this.geo.top(cursor);
    let at = lines > 0 ? y + geo.tall(cursor) : y - 1;
    if (Math.abs(lines) > 1) at = y + lines * geo.rowHeight;
    if (at < 0 && Math.abs(lines) === 1) { scroller.set(geo.height, 0); return this.draw(); }
    this.#go(geo.lineAt(Math.max(0, Math.min(at, geo.height - 1))));
  }

  page(direction) { this.move(direction * Math.max(1, this.screen - 2)); }

  edge(end) {
    if (this.state.rows) this.#go({ position: end === 'top' ? 0 : this.state.rows - 1 }, end);
    if (end === 'top') { this.scroller.set(this.geo.height, 0); this.draw(); }
  }

  section(by) {
    const { geo, cursor } = this;
    if (!cursor || !geo.headerHeight) return;
    const now = geo.sectionOfLine(cursor);
    const next = by < 0 && cursor.position != null ? now : now + by;
    if (next >= 0 && next < geo.sections) this.goSection(next);
  }

  goSection(section) {
    this.#go({ section });
    this.scroller.set(this.geo.height, this.geo.tops[section]);
    this.draw();
  }

  goTo(position) {
    this.stuck = null;
    this.#put({ position: Math.max(0, Math.min(position, this.state.rows - 1)) });
    this.#see(true);
    this.draw();
    this.focus();
  }

  /** Puts the cursor on a row by its id, wherever it is; `then` is called when it is there. */
  reveal(id, then) {
    const number = this.state.page.findIndex((row) => row?.id === id);
    if (number >= 0) {
      this.goTo(this.state.from + number);
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
    const section = geo.sectionOfLine(cursor);
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

  /** Selects the row of the cursor and goes to the next row, which may stand below a header. */
  select() {
    const id = this.row?.id;
    if (id == null) return;
    const { position } = this.cursor;
    this.#toggle(id);
    this.#go({ position: Math.min(position + 1, this.state.rows - 1) });
  }

  #toggle(id) {
    this.isAllSelected = false;
    if (!this.selected.delete(id)) this.selected.add(id);
    this.on.selected();
  }

  /** Selects the list and not its rows, of which there may be millions. */
  selectAll() {
    this.selected.clear();
    this.isAllSelected = true;
    this.on.selected();
    this.draw();
  }

  deselect() {
    if (!this.selected.size && !this.isAllSelected) return false;
    this.selected.clear();
    this.isAllSelected = false;
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
    else if (id != null && event.shiftKey && this.cursor?.position != null) {
      const [from, to] = [this.cursor.position, element.position].sort((a, b) => a - b);
      for (let position = from; position <= to; position += 1) if (this.rowAt(position)) this.selected.add(this.rowAt(position).id);
      this.on.selected();
    }
    this.#go({ position: element.position });
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
      if (line.position != null && this.rowAt(line.position)) return this.rowAt(line.position).id;
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
    const lines = [];
    let first = Infinity;
    let last = -1;
    const bare = [];
    for (const line of geo.lines(top - over, top + height + over)) {
      if (line.position == null) {
        lines.push(this.#headLine(line.section, base, top));
        if (!state.headers.has(line.section)) bare.push(line.section);
      } else {
        const y = geo.y(line.position);
        if (y + geo.rowHeight > top && y < top + height) {
          first = Math.min(first, line.position);
          last = line.position;
        }
        lines.push(this.#rowLine(line.position, line.section, y, base));
      }
    }
    const key = this.#cursorKey;
    if (key && had && !lines.some((one) => one.key === key)) {
      // The focused element stays in the page, however far away its row is; outside the window its position is only guessed.
      const guess = cursor.position != null && cursor.id != null && this.rowAt(cursor.position)?.id !== cursor.id;
      const y = (guess ? cursor.position < state.from : this.geo.top(cursor) < top) ? top - REACH : top + height + REACH;
      const far = cursor.position == null ? this.#headLine(cursor.section, base, top)
        : { ...this.#rowLine(cursor.position, geo.sectionOf(cursor.position), y, base), key, row: this.row, waiting: !this.row, cursor: true, ...(guess && { rowIndex: null }) };
      if (y < top) lines.unshift(far);
      else lines.push(far);
    }
    // Asked for before anything is drawn, so that the rows are under way meanwhile.
    if (last >= 0) {
      const has = { from: state.from, to: state.from + state.page.length };
      scroller.want(first, last, state.rows, has, (from, size) => this.results.window(from, size));
    }
    this.rows.level = geo.headerHeight ? 2 : 1;
    this.rows.draw(lines);
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
      for (const [section, title] of sections) if (!this.state.headers.has(section)) this.state.headers.set(section, { id: null, title });
    } catch {
      // Tried again by the next drawing.
    } finally {
      this.#asking = 0;
      if (state.headers.size && !state.headers.has(from)) setTimeout(() => this.draw(), 500);
      else this.draw();
    }
  }

  #headLine(section, base, top) {
    const { state, geo } = this;
    const near = Math.floor(top / REACH) * REACH;
    const start = Math.max(geo.tops[section], near - REACH);
    const end = Math.max(start + geo.headerHeight, Math.min(geo.tops[section + 1], near + 3 * REACH));
    const key = this.#headKey(section);
    return {
      key, head: true, section, header: state.headers.get(section), y: geo.tops[section], top: start - base, height: end - start,
      rowIndex: geo.starts[section] + section + 2, folded: this.folds.has(section), size: geo.counts[section],
      cursor: this.cursor?.position == null && this.cursor?.section === section, grown: this.marks.get(key)?.by,
    };
  }

  #rowLine(position, section, y, base) {
    const { state, cursor } = this;
    const row = this.rowAt(position);
    const key = row ? `r${row.id}` : `p${position}`;
    const isCursor = cursor?.position != null && (cursor.id != null && row ? row.id === cursor.id : cursor.position === position && !(cursor.id && row));
    if (isCursor && row && cursor.id == null) cursor.id = row.id;
    return {
      key, row, position, y, top: y - base, rowIndex: position + (this.geo.headerHeight ? section + 1 : 0) + 2,
      waiting: row === undefined, cursor: isCursor, selected: row ? this.isAllSelected || this.selected.has(row.id) : false,
      mark: row ? this.marks.get(key) : null, overlay: row ? this.overlays.get(row.id) : null,
    };
  }
}
