// The page: brings list, pane, filter, menus and messages together, and keeps the address of the page in step.
// The query of the list is a step of the history; the first visible and the open row only replace the address.

import { call, connect, generation } from './results.js';
import { List } from './list.js';
import { Announcer, Toast } from './announce.js';
import { Filter, choose } from './filter.js';
import { Pane, settleAll } from './edit.js';
import { Import, exports } from './transfer.js';
import { bindKeys, keyName, table } from './keys.js';
import { count, h, nouned, oneLine, sentence } from './rows.js';

const QUERY = ['filter', 'sort', 'sections', 'list'];
const base = new URL('/', location.href);
const address = () => new URLSearchParams(location.search);
const site = address().get('site') ?? document.body.dataset.site ?? '0';
const root = document.getElementById('app');

let program, list, pane, filter, toast, announcer, imports;
let results = null;
let opening = null;
let query = {};
let hello = {};
let asked = 0;
let unfiltered = {};
let counted = null;
const live = { link: 'opening', held: null, failure: null, problems: [], task: null, imports: false };

const read = () => Object.fromEntries(QUERY.map((name) => [name, address().get(name)]).filter(([, value]) => value !== null));

const send = (method, path, parameters, body) =>
  (results ?? opening).send(method, path, parameters, body);

function write(push = false) {
  const next = new URLSearchParams();
  if (site !== '0') next.set('site', site);
  for (const name of QUERY) if (query[name]) next.set(name, query[name]);
  const first = list.first;
  if (first !== null && !push) next.set('at', first);
  if (pane.id !== null) next.set('row', pane.id);
  const text = next.size ? `/?${next}` : '/';
  if (text !== location.pathname + location.search) history[push ? 'pushState' : 'replaceState'](null, '', text);
}

let writing = 0;
function writeSoon() {
  writing ||= setTimeout(() => {
    writing = 0;
    write();
  }, 400);
}

// The list

/** Opens the list of a query; the one that is shown stays until the other has its first page, or for good if it is refused. */
function open(next, { at = null, offset, push = false, cursor = true } = {}) {
  opening?.close();
  let first = true;
  let greeting = {};
  const size = list.size || 128;
  const adopt = (result, link) => {
    if (results !== mine) results?.close();
    results = mine;
    opening = null;
    query = next;
    hello = greeting;
    Object.assign(live, { held: null, failure: null, problems: [], link });
    filter.refuse(null);
    filter.text = query.filter;
    // Where a person went in the first rows of a list, they stay when it has been counted.
    const went = live.link === 'open' && counted === mine && list.visited && list.focused ? list.cursor?.id : null;
    counted = mine;
    list.show(mine, result, hello, { offset, cursor });
    if (went != null && result.state.page.some((row) => row?.id === went)) list.reveal(went);
    if (push) write(true);
    push = false;
    writeSoon();
    head();
    if (document.activeElement === document.body) list.focus();
  };
  const events = {
    status(text) {
      if (mine !== results && results) return;
      live.link = text;
      // A connection that is there again at once is no news.
      setTimeout(report, text === 'open' ? 0 : 400);
    },
    hello(data) {
      greeting = data;
      if (mine !== results) return;
      // Whether a task has ended meanwhile is not known; if it goes on, it says so.
      if (!live.imports) live.task = null;
      hello = list.hello = data;
      list.scroller.forget();
      list.draw();
    },
    refused(problem) {
      if (mine === results) {
        live.link = 'refused';
        live.failure = problem;
        toast.show(problem.error, { error: true, remedy: problem.remedy });
        return report();
      }
      opening = null;
      // The row of an old address may mean nothing here; the list does.
      if (at !== null && problem.status === 400) return open(next, { push });
      if (problem.status === 401 || !results) return refuse(problem);
      if (next.filter !== query.filter) filter.refuse(problem);
      else toast.show(problem.error, { error: true, remedy: problem.remedy, ...otherwise(next) });
      return undefined;
    },
    /** The first rows of a long list come before it is counted; it is shown as a short one until then. */
    opening({ about, page }) {
      if (!first) return;
      const state = { position: '', rows: page.length, matching: about ?? page.length, sectioned: false, counts: [page.length], headers: new Map(), from: 0, page };
      adopt({ state, change: { kind: 'page' } }, 'counting');
    },
    list(result) {
      if (first) {
        first = false;
        return adopt(result, 'open');
      }
      settleAll(list, result);
      list.apply(result);
      const { change } = result;
      if (change.kind === 'delta') {
        announce(change);
        pane.changed(new Set([...change.updated.keys(), ...change.moved, ...change.removed]));
      } else if (!change.moved && pane.isOpen) pane.changed(new Set([pane.id]));
      head();
    },
    pending(data) { if (!live.held) return; live.held = data; announcer.add({}, waiting()); report(); },
    failure(data) { live.failure = data; report(); },
    recovered() { live.failure = null; report(); },
    progress(task) { live.task = task.ended ? null : task; report(); },
    compared({ problems }) { live.problems = problems; report(); },
    bye({ reason }) { live.reason = reason; },
  };
  const mine = connect(base, { site, query: next, count: size, at, above: at === null ? 0 : 32, ...events });
  opening = mine;
}

/** An order and sections that do not fit: what was chosen last stays, and the other can go. */
function otherwise(next) {
  if (next.sort !== query.sort) return { label: 'Without sections', action: () => change({ sort: next.sort, sections: 'none' }) };
  if (next.sort && next.sections !== query.sections) return { label: 'In the usual order', action: () => change({ sections: next.sections, sort: null }) };
  return {};
}

/** The list of another query, with the cursor on its row and line as far as the other list has it. */
function change(part, push = true) {
  const next = Object.fromEntries(Object.entries({ ...query, ...part }).filter(([, value]) => value));
  if (JSON.stringify(next) === JSON.stringify(query)) return opening?.close();
  const { cursor } = list;
  const id = cursor?.id ?? null;
  // At the very top a person looks at the list, not at a row, unless they went to one.
  let spot = id !== null && (list.scroller.top > 0 || list.visited) ? { at: id, offset: list.geo.top(cursor) - list.scroller.top } : {};
  if (next.filter && !query.filter) unfiltered = spot;
  // Who looked at nothing in the filtered list comes back to the very same line.
  if (!next.filter && query.filter && !list.visited) spot = unfiltered;
  return open(next, { ...spot, push });
}

function announce({ cause, inserted, moved, updated, removed, above, below }) {
  if (cause === 'own') return;
  const outside = (what) => (above?.[what] ?? 0) + (below?.[what] ?? 0);
  announcer.add({ added: inserted.size + outside('insert'), removed: removed.size + outside('delete'), moved: moved.size,
    changed: updated.size + outside('change') });
}

// Actions

async function attempt(work) {
  try {
    asked = generation(list.state.position);
    return await work();
  } catch (refusal) {
    toast.show(refusal.error ?? String(refusal), { error: true, remedy: refusal.remedy });
    if (!('error' in refusal)) reportError(refusal);
    return null;
  }
}

/** A key that changes something acts on the row that was seen when it was pressed. */
function raced(what) {
  if (performance.now() - list.forced > 400) return false;
  list.forced = 0;
  toast.show(`The list has just changed. Once more ${what} “${list.title(list.row)}”.`);
  return true;
}

/** Undo is offered for what was committed: an answer names the present position if nothing was. */
function done({ message, position }, back = 'undo') {
  if (!message) return;
  // What messages say of keys is for terminals; here it is a button.
  const text = message.replace(/(: u undoes|\. \^R does it again)\.$/, '');
  const committed = position && generation(position) > asked;
  toast.show(sentence(text), { label: back === 'undo' ? 'Undo' : 'Redo', action: committed ? () => act(back) : null });
}

/** Of a list that is selected as a whole, the page has no ids; only its form needs none. */
function isWhole() {
  if (list.isAllSelected) toast.show('All rows are selected, and only a change acts on all of them.');
  return list.isAllSelected;
}

async function remove(id) {
  if (id === undefined && isWhole()) return;
  const ids = id === undefined ? list.ids : [id];
  if (!ids.length || raced('deletes')) return;
  ids.forEach((id) => list.mine.set(id, 'delete'));
  const answer = await attempt(() => send('POST', 'api/delete', {}, { ids }));
  setTimeout(() => ids.forEach((id) => list.mine.delete(id)), 5000);
  if (!answer) return;
  list.deselect();
  if (ids.includes(pane.id) && !pane.isForm) pane.close();
  done(answer);
}

async function command({ name, scope, title }, ids = list.ids) {
  const { cursor, geo } = list;
  if (scope === 'rows' && isWhole()) return;
  if (scope === 'rows' && (!ids.length || raced(`does “${title}” with`))) return;
  const section = cursor ? geo.sectionOfLine(cursor) : undefined;
  const answer = await attempt(() => send('POST', 'api/command', {}, { name, ids: scope === 'rows' ? ids : [], section }));
  if (!answer) return;
  done(answer);
  const { effect } = answer;
  if (effect?.kind === 'lines') choose(effect.title, effect.lines.map((label) => ({ label })));
  else if (effect?.kind === 'row') pane.open(effect.id);
  else if (effect?.kind === 'list') open(Object.fromEntries(new URLSearchParams(effect.query)), { push: true });
  else if (effect?.kind === 'jump') list.goTo(effect.flatPosition);
  else if (effect?.kind === 'address' && /^https?:/i.test(effect.url)) window.open(effect.url, '_blank', 'noopener,noreferrer');
}

/** What a typed text may mean: a share, a row number, a value of what the list is sorted by. */
function goals(text) {
  const group = 'Go to';
  const { rows } = list.state;
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text);
  if (share) return [{ group, label: `${share[1]} % of the list`, run: () => list.goTo(Math.round((rows - 1) * Math.min(share[1], 100) / 100)) }];
  const row = /^#?(\d+)$/.exec(text);
  const goal = row && { group, label: `row ${count(Number(row[1]))} of ${count(rows)}`, run: () => list.goTo(row[1] - 1) };
  const value = { group, label: `“${text}” in ${hello.sortColumn ?? 'the order'}`, run: () => jump(text) };
  return text[0] === '#' && goal ? [goal] : goal ? [goal, value] : [value];
}

async function jump(text) {
  const answer = await attempt(() => send('GET', 'api/jump', { text }));
  if (answer) list.goTo(answer.flatPosition);
}

/** What Enter does: it opens the list that a row names, or does what the program has for it, or shows all values. */
function enter(id) {
  const own = program.commands.find(({ key }) => key === '\r' || key === '\n');
  if (program.opensRows) return actions.links(id);
  return own ? command(own, [id]) : pane.open(id);
}

async function visit(id, name) {
  const answer = await attempt(() => send('POST', 'api/visit', {}, { id, name }));
  if (!answer) return;
  const next = new URLSearchParams({ site: answer.site });
  if (answer.at != null) next.set('at', answer.at);
  location.assign(`/?${next}`);
}

const scopes = { rows: 'Row', section: 'Section', list: 'List' };
const sortName = () => (query.sort ?? (hello.sortColumn ? (hello.descending ? '-' : '') + hello.sortColumn : '')).split(',')[0];
const writes = new Set(['add', 'edit', 'delete', 'undo', 'redo', 'import']);

const actions = {
  down: () => list.move(1),
  up: () => list.move(-1),
  pageDown: () => list.page(1),
  pageUp: () => list.page(-1),
  top: () => list.edge('top'),
  bottom: () => list.edge('bottom'),
  nextSection: () => list.section(1),
  previousSection: () => list.section(-1),
  open: () => (list.row ? enter(list.row.id) : list.fold()),
  details: () => list.row && pane.open(list.row.id),
  fold: () => list.fold(),
  close: () => list.fold(true),
  unfold: () => list.fold(false),
  filter: () => filter.focus(),
  usual: () => change({ sort: null, sections: null }),
  select: () => list.select(),
  selectAll: () => list.selectAll(),
  add: () => pane.add(),
  edit(id) {
    if (id !== undefined) return pane.edit([id]);
    if (list.isAllSelected) return pane.edit(null);
    return list.ids.length && (list.selected.size || !raced('changes')) && pane.edit(list.ids);
  },
  import: () => imports.choose(),
  delete: remove,
  undo: async () => done((await attempt(() => send('POST', 'api/undo', {}, {}))) ?? {}, 'redo'),
  redo: async () => done((await attempt(() => send('POST', 'api/redo', {}, {}))) ?? {}),
  async hold() {
    // Before the answer, so that a second press undoes the first.
    live.held = live.held ? null : {};
    report();
    await attempt(() => results.hold(live.held !== null));
  },
  async copy() {
    if (isWhole()) return;
    const rows = list.state.page.filter((row) => row && list.ids.includes(row.id));
    await attempt(() => navigator.clipboard.writeText(rows.map(({ cells }) => cells.map((text) => text.replace(/[\t\n\r]/g, ' ')).join('\t')).join('\n')));
    toast.show(`Copied ${nouned(rows.length, program.nouns)}.`);
  },
  sort() {
    const now = sortName();
    choose('Sort by', program.sorts.flatMap((name) => [
      { label: name, note: 'ascending', current: now === name, run: () => change({ sort: name }) },
      { label: name, note: 'descending', current: now === `-${name}`, run: () => change({ sort: `-${name}` }) },
    ]));
  },
  sections() {
    choose('Sections by', program.sections.map((name) => ({ label: name, current: name === (query.sections ?? parts.sections.lastChild.textContent), run: () => change({ sections: name }) })));
  },
  async index() {
    const answer = await attempt(() => send('GET', 'api/sections', { from: 0, count: 200 }));
    if (answer) choose('Go to section', answer.sections.map(([section, title, size]) => ({ label: oneLine(title) || '(none)', note: count(size), run: () => list.goSection(section) })));
  },
  async links(id = list.row?.id) {
    const answer = id === undefined ? null : await attempt(() => send('GET', 'api/links', { id }));
    if (program.opensRows && answer?.links.length === 1) visit(id, answer.links[0].name);
    else if (answer?.links.length) choose('Go to', answer.links.map(({ name, title, note }) => ({ label: oneLine(title), note: oneLine(note ?? ''), run: () => visit(id, name) })));
    else if (answer) toast.show('This row refers to nothing.');
  },
  commands() {
    const own = ['rows', 'section', 'list'].flatMap((scope) => program.commands.filter((one) => one.scope === scope)).map((one) => ({ label: one.title, group: scopes[one.scope], keys: one.key ? [keyName(one.key)] : [], run: () => command(one) }));
    const page = [['add', 'Add…'], ['undo', 'Undo'], ['redo', 'Redo'], ['hold', live.held ? 'Let the list go on' : 'Hold the list'], ['index', 'Go to section…'], ['usual', 'Usual order and sections'], ['help', 'Keys']]
      .filter(([name]) => program.canWrite || !writes.has(name))
      .map(([name, label]) => ({ label, group: 'Page', keys: [keyName(table.find(([, , action]) => action === name)[1][0])], run: () => act(name) }));
    const print = new URLSearchParams({ site, ...query });
    if (imports.isPossible) page.push({ label: 'Import…', group: 'File', run: () => act('import') });
    page.push(...exports(program.exports, (format) => `/api/export?${new URLSearchParams({ format, site, ...query })}`));
    page.push({ label: 'Print', group: 'File', run: () => window.open(`/print?${print}`, '_blank', 'noopener') });
    choose('Commands', [...own, ...page], {
      placeholder: 'Command, row number, 50% or a value',
      typed: goals,
    });
  },
  help() {
    choose('Keys', table.filter(([, , action]) => program.canWrite || !writes.has(action))
      .map(([group, keys, action, label]) => ({ group, label, keys: keys.map(keyName), run: () => act(action) })));
  },
  escape() {
    if (pane.isOpen) pane.escape();
    else if (query.filter) change({ filter: null });
    else if (query.list) change({ list: null });
    else if (!list.deselect()) toast.hide();
  },
};

function act(name, id) {
  if (writes.has(name) && !program.canWrite) toast.show('This list is read only.');
  else return actions[name](id);
  return undefined;
}

// The head of the page

const parts = {};

function head() {
  const { state } = list;
  if (!state) return;
  const { rows, matching } = state;
  const of = rows < matching ? `${count(rows)} of ${nouned(matching, program.nouns)}` : nouned(rows, program.nouns);
  parts.counts.textContent = state.sectioned && rows ? `${of} in ${nouned(state.counts.length, ['section', 'sections'])}` : of;
  const order = (hello.order ?? '').replace(/^by /, '').split(' ▸ ');
  parts.sort.lastChild.textContent = order.at(-1).replace(/-([^,\s]+)/g, '$1 ↓');
  parts.sections.lastChild.textContent = state.sectioned && order.length > 1 ? order[0] : 'none';
  report();
  blank();
}

/** What stands in the place of rows when there are none. */
function blank() {
  list.empty.hidden = list.state.rows > 0;
  if (list.state.rows) return;
  const [, many] = program.nouns;
  list.empty.replaceChildren(...(query.filter ? [
    h('p', { text: `No ${many} match this filter.` }), h('button', { text: 'Clear the filter', on: { click: () => change({ filter: null }) } }),
  ] : [
    h('p', { text: `There are no ${many} yet.` }),
    program.canWrite && h('button', { class: 'main', text: `Add the first ${program.nouns[0]}`, on: { click: () => act('add') } }),
  ]).filter(Boolean));
}

const ago = (time) => {
  const seconds = Math.round((Date.now() - time) / 1000);
  return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
};

const waiting = () => ['insert', 'delete', 'move', 'update'].reduce((total, name) => total + (live.held?.[name] ?? 0), 0);

/** What the list is worth at this moment, in one word or few, with the reason as its title. */
function report() {
  const { link, held, failure, problems, task } = live;
  let [kind, text, title] = ['live', 'live', 'Changes appear as they are committed.'];
  if (link === 'reconnecting' || (link === 'opening' && results)) {
    [kind, text, title] = navigator.onLine ? ['lost', `reconnecting… last news ${ago(results?.lastNews ?? Date.now())}`, live.reason ?? 'The list stays as it was last seen.']
      : ['lost', 'offline', 'The list stays as it was last seen.'];
  } else if (link === 'opening' || link === 'counting') [kind, text, title] = ['lost', `${link}…`, ''];
  else if (failure) [kind, text, title] = ['failed', oneLine(failure.error, 120), failure.remedy ?? ''];
  else if (task) {
    const share = task.of ? `${Math.floor((100 * task.done) / task.of)} %` : task.done ? count(task.done) : '…';
    const of = `${count(task.done)}${task.of ? ` of ${count(task.of)}` : ''}`;
    [kind, text, title] = task.task === 'check' ? ['busy', `checking ${share}`, `A file is checked before its import: ${of}.`]
      : ['busy', `importing ${share}`, `An import is running: ${of}.`];
  } else if (held) [kind, text, title] = ['held', `held, ${waiting() ? nouned(waiting(), ['change', 'changes']) : 'no changes'}`, 'h lets the list go on.'];
  else if (program.copyTime) [kind, text, title] = ['copy', `copy of ${program.copyTime}`, program.notice];
  else if (problems.length) [kind, text, title] = ['compared', 'compared', problems.join('\n')];
  parts.live.className = `live ${kind}`;
  if (parts.live.textContent !== text) parts.live.textContent = text;
  parts.live.title = title ?? '';
  parts.task.hidden = !task;
  if (task?.of) parts.task.value = task.done / task.of;
  else parts.task.removeAttribute('value');
  parts.hold.setAttribute('aria-pressed', String(held !== null));
  parts.hold.lastChild.textContent = held ? 'Go on' : 'Hold';
  root.classList.toggle('stale', link === 'reconnecting' || link === 'refused');
  document.title = `${waiting() ? `(${waiting()}) ` : ''}${program.title}`;
}

function refuse({ status, error, remedy }) {
  const clear = h('button', { text: 'Show the usual list', on: { click: () => { history.replaceState(null, '', site === '0' ? '/' : `/?site=${site}`); location.reload(); } } });
  root.replaceChildren(h('main', { class: 'refused' }, h('h1', { text: status === 401 ? 'No session' : 'This list cannot be shown' }),
    h('p', { text: status === 401 ? 'Open the address that the program printed when it was started.' : `${error} ${remedy ?? ''}` }),
    status === 400 ? clear : null));
}

function build() {
  announcer = new Announcer(program.nouns);
  toast = new Toast(announcer);
  list = new List(program, {
    open: enter,
    moved: () => pane.follow(list.row?.id),
    drawn: writeSoon,
    sort: (name) => change({ sort: sortName() === name ? `-${name}` : name }),
    lost: (text) => list.focused && toast.show(`${text}.`),
    selected() {
      parts.selected.hidden = !list.selected.size && !list.isAllSelected;
      parts.selected.textContent = `${list.isAllSelected ? 'all' : count(list.selected.size)} selected ✕`;
    },
  });
  pane = new Pane({
    program, list, toast, act, done,
    send(method, ...rest) {
      if (method !== 'GET') asked = generation(list.state.position);
      return send(method, ...rest);
    },
    opened: () => { root.classList.add('open'); writeSoon(); },
    closed: () => { root.classList.remove('open'); writeSoon(); list.focus(); },
  });
  filter = new Filter({
    changed: (text, final) => (text === (query.filter ?? '') ? (opening?.close(), filter.refuse(null)) : change({ filter: text || null }, final || !query.filter)),
    left: () => list.focus(),
  });
  const button = (name, label, title, ...inner) =>
    (parts[name] = h('button', { title, class: name, on: { click: () => act(name) } }, h('span', { class: 'label', text: label }), ...inner));
  parts.task = h('progress', { 'aria-label': 'Import', max: 1, hidden: true });
  parts.counts = h('span', { class: 'counts' });
  parts.live = h('span', { class: 'live lost', text: 'opening' });
  parts.selected = h('button', { class: 'chip', hidden: true, title: 'Deselect', on: { click: () => list.deselect() } });
  root.replaceChildren(
    h('header', { class: 'top' },
      h('div', { class: 'names' }, h('h1', {}, h('bdi', { text: program.title })), parts.counts, parts.live, program.canWrite ? null : h('span', { class: 'chip quiet', text: 'read only', title: program.notice })),
      filter.element,
      h('div', { class: 'tools' }, parts.selected,
        button('sections', 'Sections', 'Sections (S)', h('b', { text: '' })), button('sort', 'Sort', 'Order (s)', h('b', { text: '' })),
        button('hold', '', 'Hold the list as it is (h)', h('span', { text: 'Hold' })),
        program.canWrite && button('add', '', `Add (a)`, h('span', { text: 'Add' })),
        h('button', { class: 'icon help', text: '?', title: 'Keys (?)', 'aria-label': 'Keys', on: { click: () => act('help') } }),
        h('button', { class: 'icon', text: '⋯', title: 'Commands (:)', 'aria-label': 'Commands', on: { click: () => act('commands') } })),
      parts.task),
    h('main', {}, list.grid, pane.element), toast.element, announcer.region);
  parts.add?.classList.add('main');
  imports = new Import({
    program, toast, send,
    running(is) {
      live.imports = is;
      live.task = is ? { task: 'import', done: 0, of: null } : null;
      report();
    },
  }, list.grid);
  list.start();
  bindKeys(list.grid, () => list.focused, (name) => act(name), (key) => {
    const own = program.commands.find((one) => one.key === key);
    if (own) command(own);
    return Boolean(own);
  });
  // A key that is pressed while nothing has the focus is meant for the list.
  addEventListener('keydown', ({ target }) => target === document.body && list.focus(), true);
  addEventListener('popstate', () => {
    const row = address().get('row');
    open(read(), { at: address().get('at') });
    if (row !== null) pane.open(row);
    else if (pane.isOpen && !pane.isForm) pane.close();
  });
  for (const name of ['online', 'offline']) addEventListener(name, report);
  setInterval(() => live.link !== 'open' && report(), 1000);
  if (program.notice) toast.show(program.notice);
}

async function start() {
  setTimeout(() => program || root.append(h('main', { class: 'refused quiet', text: 'Opening…' })), 400);
  for (let wait = 500; ; wait = Math.min(wait * 2, 15_000)) {
    try {
      program = await call(base, 'GET', 'api/program', { site });
      break;
    } catch (refusal) {
      if (refusal.status && refusal.status !== 503) return refuse(refusal);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  build();
  const row = address().get('row');
  open(read(), { at: address().get('at') ?? row });
  if (row !== null) pane.open(row);
  return undefined;
}

start();
