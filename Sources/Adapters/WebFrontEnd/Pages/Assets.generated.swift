// Written by script/assets from the files in Assets. Do not edit.
// swift-format-ignore-file

#if Web
/// The files of the browser page, as they are served.
enum WebAssets {
  /// The beginning of the SHA-256 of all files; it is a part of their addresses.
  static let hash: StaticString = "5e19e8e4daec0d7f"

  static let files: [(name: StaticString, type: StaticString, text: StaticString)] = [
(name: "announce.js", type: "text/javascript; charset=utf-8", text: ####"""
// What is said: one polite live region for screen readers, and the toast with Undo that everyone sees.
// Changes of others are summed up and said at most every five seconds, so that a busy list stays bearable.

import { h } from './rows.js';

const PACE = 5000;

export class Announcer {
  region = h('div', { class: 'spoken', role: 'status', 'aria-live': 'polite' });
  #sums = {};
  #timer = 0;
  #last = 0;
  #waiting = 0;

  constructor(nouns) {
    this.nouns = nouns;
  }

  say(text) {
    // The same text twice is said twice only if it differs.
    this.region.textContent = this.region.textContent === text ? `${text}\u00a0` : text;
    this.#last = Date.now();
  }

  /** Adds to the summary: numbers of rows by what happened to them. While the list is held, only the number that waits counts. */
  add(sums, waiting = 0) {
    for (const [what, number] of Object.entries(sums)) if (number) this.#sums[what] = (this.#sums[what] ?? 0) + number;
    this.#waiting = waiting;
    if (this.#timer || !(waiting || Object.keys(this.#sums).length)) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      if (this.#waiting) return this.say(`Held: ${this.#waiting} changes wait.`);
      const parts = Object.entries(this.#sums).map(([what, number], index) =>
        `${number.toLocaleString('en')} ${index ? '' : `${this.nouns[number === 1 ? 0 : 1]} `}${what}`);
      this.#sums = {};
      return this.say(`${parts.join(', ')}, by others.`);
    }, Math.max(300, PACE - (Date.now() - this.#last)));
  }
}

/** One message at a time; it goes by itself unless it asks for something. */
export class Toast {
  element = h('div', { class: 'toast', hidden: true });
  #timer = 0;

  constructor(announcer) {
    this.announcer = announcer;
  }

  show(message, { action, label = 'Undo', error = false, remedy = '' } = {}) {
    const text = remedy ? `${message} ${remedy}` : message;
    const button = action && h('button', { text: label, on: { click: () => { this.hide(); action(); } } });
    this.element.replaceChildren(h('span', { text }), ...(button ? [button] : []));
    this.element.classList.toggle('error', error);
    this.element.hidden = false;
    const key = { Undo: ': u', Redo: ': U' }[label] ?? '';
    this.announcer.say(text + (action ? ` ${label}${key}` : ''));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), error ? 12_000 : 7000);
  }

  hide() { this.element.hidden = true; }
}

"""####),
(name: "app.css", type: "text/css; charset=utf-8", text: ####"""
/* The look of the page: system fonts, hairlines, one accent colour; light and dark by color-scheme. */
/* Heights of rows come from the script, because geometry must know them exactly. */

:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfdfc, #17181a);
  --band: light-dark(#f6f6f4, #1e1f22);
  --raised: light-dark(#fff, #222427);
  --ink: light-dark(#1c1d1f, #e6e6e3);
  --soft: light-dark(#67696e, #9a9ca3);
  --hair: light-dark(#e4e4e0, #2d2f33);
  --accent: light-dark(#2456c8, #8fb2ff);
  --tint: light-dark(#e9effc, #222e49);
  --hover: light-dark(#f3f4f5, #1f2124);
  --new: light-dark(#16794a, #6fd0a0);
  --changed: light-dark(#97640a, #e3b35c);
  --bad: light-dark(#b3261e, #ff8f86);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 0.875rem/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK JP", sans-serif; }
#app { display: flex; flex-direction: column; height: 100dvh; overflow: hidden; }
h1, h2, p, dl, dd { margin: 0; font-size: inherit; }
button, input, textarea { font: inherit; color: inherit; }
button { border: 1px solid transparent; border-radius: 7px; background: none; padding: 0.3rem 0.65rem; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--hover); }
button.main { background: var(--accent); color: var(--paper); font-weight: 550; }
button.main:hover { filter: brightness(1.08); }
button[aria-pressed="true"] { background: var(--tint); color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
input, textarea { border: 1px solid var(--hair); border-radius: 7px; background: var(--raised); padding: 0.35rem 0.6rem; width: 100%; }
input:focus, textarea:focus { outline: 2px solid var(--accent); outline-offset: -1px; }
[aria-invalid] { border-color: var(--bad); }
.problem { color: var(--bad); font-size: 0.8125rem; }
.quiet { color: var(--soft); }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.top { display: flex; align-items: center; gap: 0.5rem 1rem; padding: 0.6rem 1rem; border-bottom: 1px solid var(--hair); }
.names { display: flex; align-items: baseline; gap: 0.75rem; min-width: 10rem; flex: 1 1 auto; overflow: hidden; white-space: nowrap; }
h1 { flex: none; max-width: 55%; font-size: 1rem; font-weight: 650; letter-spacing: -0.01em; overflow: hidden; text-overflow: ellipsis; }
.counts { flex-shrink: 99; color: var(--soft); font-variant-numeric: tabular-nums; overflow: hidden; text-overflow: ellipsis; }
.live { flex: none; max-width: 70%; color: var(--soft); font-size: 0.8125rem; overflow: hidden; text-overflow: ellipsis; }
.live::before { content: ''; display: inline-block; width: 0.5rem; height: 0.5rem; border-radius: 50%; margin-right: 0.4rem; background: var(--soft); }
.live.live::before { background: var(--new); }
.live.lost::before { background: none; border: 1.5px solid var(--changed); }
.live.held::before { background: none; border: solid var(--accent); border-width: 0 3px; border-radius: 0; }
.live.compared::before, .live.copy::before { background: var(--changed); }
.live.failed { flex-shrink: 1; color: var(--bad); }
.live.failed::before { background: var(--bad); }
.chip { font-size: 0.8125rem; border-radius: 1rem; }
button.chip { background: var(--tint); color: var(--accent); }
.filter { position: relative; flex: 0 99 19rem; min-width: 9rem; }
.filter .problem { position: absolute; z-index: 9; top: calc(100% + 0.4rem); right: 0; min-width: 100%; max-width: min(40rem, 92vw); padding: 0.6rem 0.8rem; background: var(--raised); border: 1px solid var(--hair); border-radius: 9px; box-shadow: 0 8px 28px #0002; }
pre { margin: 0.4rem 0 0; font: 0.8125rem/1.35 ui-monospace, monospace; color: var(--ink); overflow-x: auto; }
.tools { display: flex; align-items: center; gap: 0.25rem; }
.tools .label { color: var(--soft); }
.tools .label:empty { display: none; }
.tools b { font-weight: 500; margin-left: 0.4rem; }
.icon { padding: 0.3rem 0.6rem; color: var(--soft); }

main { position: relative; display: flex; flex: 1; min-height: 0; }
.grid { position: relative; flex: 1; min-width: 0; display: flex; flex-direction: column; }
.heads { display: grid; grid-template-columns: var(--columns); gap: 0 24px; padding: 0 calc(1rem + var(--bar, 0px)) 0 2rem; border-bottom: 1px solid var(--hair); color: var(--soft); font-size: 0.8125rem; }
.heads > * { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.heads button, .heads span { display: block; width: 100%; padding: 0.35rem 0; border: 0; border-radius: 4px; text-align: inherit; overflow: hidden; text-overflow: ellipsis; }
.heads button:hover { background: none; color: var(--ink); }
.heads .trailing { text-align: right; }
.heads .ascending, .heads .descending { color: var(--ink); }
.ascending > ::after { content: ' ↑'; }
.descending > ::after { content: ' ↓'; }
.port { position: relative; flex: 1; overflow: hidden scroll; overflow-anchor: none; outline: none; scrollbar-color: color-mix(in srgb, var(--soft) 45%, transparent) transparent; contain: strict; }
.layer { position: absolute; inset: 0 0 auto; user-select: none; }
.section { position: absolute; left: 0; right: 0; pointer-events: none; }
.head { outline: none; position: sticky; top: 0; z-index: 2; height: var(--head); pointer-events: auto; cursor: pointer; background: var(--band); border-bottom: 1px solid var(--hair); }
.head > div { display: flex; align-items: center; gap: 0.75rem; height: 100%; padding: 0 1rem 0 2rem; white-space: nowrap; }
.head > div::before { content: ''; position: absolute; left: 0.85rem; border: solid var(--soft); border-width: 0 1.5px 1.5px 0; padding: 2.5px; transform: translateY(-2px) rotate(45deg); }
.head[aria-expanded="false"] > div::before { transform: rotate(-45deg); }
.name { font-weight: 600; overflow: hidden; text-overflow: ellipsis; flex: 1; text-align: left; }
.sums, .count { color: var(--soft); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.sums { overflow: hidden; text-overflow: ellipsis; }
.count[data-grown]::after { content: attr(data-grown); color: var(--accent); margin-left: 0.5rem; }
.row { position: absolute; left: 0; right: 0; height: var(--row); display: grid; grid-template-columns: var(--columns); gap: 0 24px; align-items: center; padding: 0 1rem 0 2rem; border-bottom: 1px solid color-mix(in srgb, var(--hair) 55%, transparent); outline: none; cursor: default; }
.row:hover { background: var(--hover); }
.row bdi { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; text-align: left; color: var(--soft); }
.row .title { color: var(--ink); }
.row .trailing { text-align: right; font-variant-numeric: tabular-nums; }
.dim .title, .dim bdi { color: color-mix(in srgb, var(--soft) 75%, var(--paper)); }
.selected { background: color-mix(in srgb, var(--tint) 60%, transparent); }
.selected::after { content: ''; position: absolute; right: 0; top: 0; bottom: 0; width: 3px; background: color-mix(in srgb, var(--accent) 45%, transparent); }
.row.cursor, .head.cursor { box-shadow: inset 3px 0 0 var(--hair); }
.grid:focus-within .cursor { background: var(--tint); box-shadow: inset 3px 0 0 var(--accent); }
.row::before { content: attr(data-sign); position: absolute; left: 0.8rem; font-weight: 600; }
.insert::before { color: var(--new); }
.update::before { color: var(--changed); }
.move::before { color: var(--accent); }
.insert .title { color: var(--new); }
[data-changed] { text-decoration: underline; text-decoration-color: var(--changed); text-underline-offset: 4px; }
.unsaved .title { font-style: italic; }
.waiting bdi::before { content: ''; display: inline-block; width: 62%; height: 0.55em; border-radius: 3px; background: var(--hair); }
.waiting:nth-child(3n) bdi::before { width: 44%; }
.waiting:nth-child(4n) bdi::before { width: 71%; }
.unread .title { color: var(--soft); font-style: italic; }
.empty { position: absolute; inset: 30% 0 auto; text-align: center; color: var(--soft); }
.empty button { margin-top: 0.9rem; border-color: var(--hair); }
.stale .layer { opacity: 0.72; }

.narrow .heads { display: none; }
.narrow .row { display: flex; flex-wrap: wrap; align-content: center; gap: 0 0.5rem; overflow: hidden; }
.narrow .title { flex: 1 0 100%; }
.narrow .row bdi:not(.title) { font-size: 0.8125rem; max-width: 60%; flex: 0 1 auto; }
.narrow .row bdi:not(.title):empty { display: none; }
.narrow .row:not(.waiting) bdi:not(.title, :empty) ~ bdi:not(:empty)::before { content: '· '; }

.pane { width: 24rem; flex: none; border-left: 1px solid var(--hair); background: var(--raised); overflow: auto; padding: 1rem 1.25rem; }
.pane header { display: flex; align-items: start; gap: 0.5rem; margin-bottom: 0.9rem; }
h2 { flex: 1; font-size: 1.0625rem; font-weight: 650; line-height: 1.3; overflow-wrap: anywhere; max-height: 5.2em; overflow: hidden; }
dl { display: grid; grid-template-columns: minmax(5rem, auto) 1fr; gap: 0.5rem 1rem; }
dt { color: var(--soft); }
dd { white-space: pre-wrap; overflow-wrap: anywhere; }
.fresh { animation: fresh 1.5s; }
@keyframes fresh { from { color: var(--changed); text-decoration: underline; } }
footer { display: flex; gap: 0.5rem; margin-top: 1.25rem; flex-wrap: wrap; }
footer button { border-color: var(--hair); }
.field { margin-bottom: 0.8rem; }
.field label { display: block; color: var(--soft); font-size: 0.8125rem; margin-bottom: 0.2rem; }
.dirty label::after { content: ' •'; color: var(--accent); }
[readonly] { background: none; color: var(--soft); }
[aria-busy="true"] footer { opacity: 0.5; }

dialog { border: 1px solid var(--hair); border-radius: 12px; background: var(--raised); color: inherit; padding: 0; box-shadow: 0 16px 60px #0004; }
dialog::backdrop { background: #0003; }
.menu { width: min(30rem, 94vw); margin-top: 12vh; overflow: hidden; }
.menu[open] { display: flex; flex-direction: column; max-height: 70vh; }
.menu input { border: 0; border-bottom: 1px solid var(--hair); border-radius: 0; padding: 0.75rem 1rem; background: none; outline: none !important; }
.menu > div { overflow: auto; padding: 0.35rem; }
.group, .none { padding: 0.5rem 0.65rem 0.2rem; font-size: 0.75rem; color: var(--soft); }
[role=option] { display: flex; gap: 0.6rem; align-items: baseline; padding: 0.35rem 0.65rem; border-radius: 7px; cursor: pointer; }
[role=option][aria-selected=true] { background: var(--tint); }
[role=option] bdi { overflow-wrap: anywhere; }
[role=option] bdi:first-child { flex: 1; }
.current bdi:first-child { font-weight: 600; color: var(--accent); }
.note { color: var(--soft); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
kbd { font: 0.75rem ui-monospace, monospace; border: 1px solid var(--hair); border-bottom-width: 2px; border-radius: 5px; padding: 0 0.35rem; color: var(--soft); }
.conflict { padding: 1.25rem 1.5rem; max-width: min(44rem, 94vw); }
.conflict p { margin: 0.4rem 0 1rem; color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.45rem 0.9rem 0.45rem 0; border-bottom: 1px solid var(--hair); font-weight: 400; overflow-wrap: anywhere; }
th { color: var(--soft); font-size: 0.8125rem; }
td label { display: flex; gap: 0.45rem; align-items: baseline; cursor: pointer; }
td input { width: auto; accent-color: var(--accent); }
.toast { position: fixed; z-index: 20; left: 50%; bottom: 1.5rem; transform: translateX(-50%); max-width: 92vw; display: flex; gap: 1rem; align-items: baseline; padding: 0.6rem 1rem; border-radius: 10px; background: light-dark(#26282c, #35383d); color: #f4f4f2; box-shadow: 0 8px 30px #0003; }
.toast button { color: #9fc0ff; padding: 0; font-weight: 600; }
.toast button:hover { background: none; text-decoration: underline; }
.toast.error { background: light-dark(#7a1c16, #6d231d); }
.refused { flex-direction: column; gap: 0.75rem; align-items: center; justify-content: center; text-align: center; padding: 2rem; }
.refused button { border-color: var(--hair); }

@media (max-width: 1099px) {
  .pane footer { position: sticky; bottom: -1rem; margin: 0.5rem -1.25rem -1rem; padding: 0.6rem 1.25rem 0.9rem; background: var(--raised); border-top: 1px solid var(--hair); }
  .pane { position: absolute; z-index: 5; inset: auto 0 0; width: auto; max-height: 75%; border: 0; border-top: 1px solid var(--hair); border-radius: 14px 14px 0 0; box-shadow: 0 -8px 40px #0003; }
}
@media (max-width: 760px) {
  .top { padding: 0.5rem 0.75rem; flex-wrap: wrap; }
  .names { flex: 1 0 100%; }
  .filter { flex: 1 1 10rem; }
  .tools { flex: 1 0 auto; justify-content: space-between; }
  .tools b { display: none; }
  .tools .label { color: inherit; }
}
@media (max-width: 380px) {
  .help { display: none; }
}
@media (prefers-reduced-motion: reduce) {
  * { animation: none !important; transition: none !important; }
}
@media (forced-colors: active) {
  .cursor { outline: 2px solid Highlight; outline-offset: -2px; }
  .selected { border-bottom: 2px dashed Highlight; }
  .live::before, .waiting bdi::before { forced-color-adjust: none; }
}

/* The list for paper, which the server writes. */
.print { padding: 1.5rem 2rem; }
.print p { margin: 0.25rem 0 1rem; color: var(--soft); }
.print [scope="rowgroup"] { padding-top: 1rem; color: var(--ink); font-weight: 600; break-after: avoid; }
.print small { float: right; color: var(--soft); font-weight: 400; }
.print thead th { white-space: nowrap; }
.print .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }

"""####),
(name: "app.js", type: "text/javascript; charset=utf-8", text: ####"""
// The page: brings list, pane, filter, menus and messages together, and keeps the address of the page in step.
// The query of the list is a step of the history; the first visible and the open row only replace the address.

import { call, connect, generation } from './results.js';
import { List } from './list.js';
import { Announcer, Toast } from './announce.js';
import { Filter, choose } from './filter.js';
import { Pane, settleAll } from './edit.js';
import { bindKeys, keyName, table } from './keys.js';
import { count, h, nouned, oneLine } from './rows.js';

const QUERY = ['filter', 'sort', 'sections', 'list'];
const base = new URL('/', location.href);
const address = () => new URLSearchParams(location.search);
const site = address().get('site') ?? document.body.dataset.site ?? '0';
const root = document.getElementById('app');

let program, list, pane, filter, toast, announcer;
let results = null;
let opening = null;
let query = {};
let hello = {};
let asked = 0;
let unfiltered = {};
let counted = null;
const live = { link: 'opening', held: null, failure: null, problems: [] };

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
      list.apply(result);
      settleAll(list, result);
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
  let spot = id !== null && (list.scroller.top > 0 || list.visited) ? { at: id, offset: list.geo.y(cursor.index) - list.scroller.top } : {};
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
  toast.show(text[0].toUpperCase() + text.slice(1), { label: back === 'undo' ? 'Undo' : 'Redo', action: committed ? () => act(back) : null });
}

async function remove(id) {
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
  if (scope === 'rows' && (!ids.length || raced(`does “${title}” with`))) return;
  const section = cursor ? cursor.section ?? geo.sectionOf(cursor.index) : undefined;
  const answer = await attempt(() => send('POST', 'api/command', {}, { name, ids: scope === 'rows' ? ids : [], section }));
  if (!answer) return;
  done(answer);
  const { effect } = answer;
  if (effect?.kind === 'lines') choose(effect.title, effect.lines.map((label) => ({ label })));
  else if (effect?.kind === 'row') pane.open(effect.id);
  else if (effect?.kind === 'list') open(Object.fromEntries(new URLSearchParams(effect.query)), { push: true });
  else if (effect?.kind === 'jump') list.goTo(effect.index);
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
  if (answer) list.goTo(answer.index);
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
const writes = new Set(['add', 'edit', 'delete', 'undo', 'redo']);

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
  add: () => pane.add(),
  edit: (id) => (id !== undefined ? pane.edit(id) : list.row && !raced('changes') && pane.edit(list.row.id)),
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
    if (answer) choose('Go to section', answer.sections.map(([index, title, size]) => ({ label: oneLine(title) || '(none)', note: count(size), run: () => list.goSection(index) })));
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
    page.push({ label: 'Print', group: 'Page', run: () => window.open(`/print?${print}`, '_blank', 'noopener') });
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
  const { link, held, failure, problems } = live;
  let [kind, text, title] = ['live', 'live', 'Changes appear as they are committed.'];
  if (link === 'reconnecting' || (link === 'opening' && results)) {
    [kind, text, title] = navigator.onLine ? ['lost', `reconnecting… last news ${ago(results?.lastNews ?? Date.now())}`, live.reason ?? 'The list stays as it was last seen.']
      : ['lost', 'offline', 'The list stays as it was last seen.'];
  } else if (link === 'opening' || link === 'counting') [kind, text, title] = ['lost', `${link}…`, ''];
  else if (failure) [kind, text, title] = ['failed', oneLine(failure.error, 120), failure.remedy ?? ''];
  else if (held) [kind, text, title] = ['held', `held, ${waiting() ? nouned(waiting(), ['change', 'changes']) : 'no changes'}`, 'h lets the list go on.'];
  else if (program.copyTime) [kind, text, title] = ['copy', `copy of ${program.copyTime}`, program.notice];
  else if (problems.length) [kind, text, title] = ['compared', 'compared', problems.join('\n')];
  parts.live.className = `live ${kind}`;
  if (parts.live.textContent !== text) parts.live.textContent = text;
  parts.live.title = title ?? '';
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
      parts.selected.hidden = !list.selected.size;
      parts.selected.textContent = `${count(list.selected.size)} selected ✕`;
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
    (parts[name] = h('button', { title, on: { click: () => act(name) } }, h('span', { class: 'label', text: label }), ...inner));
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
        h('button', { class: 'icon', text: '⋯', title: 'Commands (:)', 'aria-label': 'Commands', on: { click: () => act('commands') } }))),
    h('main', {}, list.grid, pane.element), toast.element, announcer.region);
  parts.add?.classList.add('main');
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

"""####),
(name: "edit.js", type: "text/javascript; charset=utf-8", text: ####"""
// The pane beside the list: all values of a row, and the form for a new or a changed one. An edit shows at once, as an overlay.
// What was typed is never lost: a refusal, a conflict or a broken connection leaves the form as it is, with the reason.

import { h, manyLines, oneLine } from './rows.js';
import { dialog } from './filter.js';
import { generation } from './results.js';

export class Pane {
  id = null;
  #form = null;
  #turn = 0;

  /** `app`: `program`, `list`, `send(method, path, parameters, body)`, `toast`, `act(name)`, `done(answer)`, `closed()`, `opened(id)`. */
  constructor(app) {
    this.app = app;
    this.element = h('aside', { class: 'pane', 'aria-label': 'Details', hidden: true });
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.isComposing) return;
      event.stopPropagation();
      this.escape();
    });
    addEventListener('beforeunload', (event) => this.#dirty.length && event.preventDefault());
  }

  get isOpen() { return !this.element.hidden; }
  get isForm() { return this.#form !== null; }

  escape() {
    if (this.#dirty.length && !this.#form.warned) {
      this.#form.warned = true;
      this.app.toast.show('Nothing is saved yet. Esc again gives up what was typed.', { error: true });
      return;
    }
    if (this.#form?.id != null) {
      this.#form = null;
      this.open(this.id, true);
    } else this.close();
  }

  close() {
    this.#form = null;
    this.id = null;
    this.#turn += 1;
    this.element.hidden = true;
    this.app.closed();
  }

  /** Shows a row; a form that is open stays. */
  async open(id, focus = false) {
    if (this.#form) return;
    const turn = (this.#turn += 1);
    const other = this.id !== id;
    this.id = id;
    try {
      const row = await this.app.send('GET', 'api/row', { id });
      if (turn !== this.#turn) return;
      this.#show(row, other);
    } catch (refusal) {
      if (turn !== this.#turn) return;
      const text = refusal.status === 404 ? 'This row is no longer there.' : `${refusal.error} ${refusal.remedy ?? ''}`;
      this.#frame('', h('p', { class: 'quiet', text }));
    }
    if (focus) this.element.querySelector('button')?.focus();
    this.app.opened(id);
  }

  follow(id) { if (this.isOpen && !this.#form && id != null && id !== this.id) this.open(id); }

  changed(ids) { if (this.isOpen && !this.#form && this.id != null && ids.has(this.id)) this.open(this.id); }

  #frame(title, ...children) {
    const close = h('button', { class: 'icon', 'aria-label': 'Close', title: 'Close (Esc)', text: '✕', on: { click: () => this.escape() } });
    this.element.replaceChildren(h('header', {}, h('h2', {}, h('bdi', { text: oneLine(title) })), close), ...children);
    this.element.hidden = false;
  }

  #show(row, other) {
    const { program, act } = this.app;
    const old = other ? null : this.shown;
    this.shown = new Map(row.details);
    const list = h('dl', {}, ...row.details.flatMap(([name, text]) => [
      h('dt', { text: name }),
      h('dd', { class: old && old.get(name) !== text ? 'fresh' : '' }, text ? h('bdi', { text: manyLines(text) }) : '–'),
    ]));
    const button = (label, action) => h('button', { text: label, on: { click: () => act(action, row.id) } });
    this.#frame(row.title, list, h('footer', {}, program.canWrite && button('Edit', 'edit'), program.canWrite && button('Delete', 'delete'),
      program.hasLinks && button('Follow a reference', 'links')));
  }

  // Forms

  get #dirty() {
    return (this.#form?.fields ?? []).filter(({ control, initial }) => control.value !== initial);
  }

  async edit(id) {
    if (this.#dirty.length) return this.#focus();
    try {
      const row = await this.app.send('GET', 'api/row', { id });
      this.id = id;
      this.#open({ id, title: row.title, texts: row.texts });
    } catch (refusal) {
      this.app.toast.show(refusal.error, { error: true, remedy: refusal.remedy });
    }
  }

  add(texts = []) {
    if (this.#dirty.length) return this.#focus();
    this.#open({ id: null, title: `New ${this.app.program.nouns[0]}`, texts });
    return undefined;
  }

  #focus() { (this.#dirty[0] ?? this.#form.fields.find(({ control }) => !control.readOnly))?.control.focus(); }

  #open({ id, title, texts }) {
    const { program, list } = this.app;
    this.#turn += 1;
    const fields = program.fields.map(({ name, isKey }, index) => {
      const began = texts[index] ?? null;
      const text = began ?? '';
      const long = text.length > 60 || /[\n\r]/.test(text);
      const key = `field${index}`;
      const control = h(long ? 'textarea' : 'input', {
        id: key, name, autocomplete: 'off', spellcheck: 'false', readonly: isKey && id != null, 'aria-describedby': `${key}-problem`,
        rows: long ? Math.min(12, 2 + Math.ceil(text.length / 50)) : null,
      });
      control.value = text;
      const problem = h('p', { class: 'problem', id: `${key}-problem`, hidden: true });
      const element = h('div', { class: 'field' }, h('label', { for: key, text: name }), control, problem);
      // A control may write line ends its own way, so what it holds now is what it began with.
      return { name, began, initial: control.value, control, problem, element };
    });
    const note = h('p', { class: 'problem', role: 'alert', hidden: true });
    const save = h('button', { class: 'main', type: 'submit', text: id == null ? 'Add' : 'Save' });
    const form = h('form', { novalidate: true, on: {
      submit: (event) => { event.preventDefault(); this.#save(); },
      input: ({ target }) => {
        const field = fields.find(({ control }) => control === target);
        field.element.classList.toggle('dirty', target.value !== field.initial);
        this.#explain(field, null);
        this.#form.warned = false;
      },
      keydown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#save(); }
      },
    } }, ...fields.map(({ element }) => element), note,
    h('footer', {}, save, h('button', { type: 'button', text: 'Cancel', on: { click: () => this.escape() } })));
    this.#form = { id, title, fields, note, save, form, list };
    this.#frame(title, form);
    this.#focus();
  }

  #explain({ control, problem }, text) {
    problem.textContent = text ?? '';
    problem.hidden = !text;
    control.toggleAttribute('aria-invalid', Boolean(text));
  }

  async #save() {
    const form = this.#form;
    const { list, program, send } = this.app;
    if (form.busy) return;
    const dirty = this.#dirty;
    if (!dirty.length && form.id != null) return this.escape();
    const set = Object.fromEntries(dirty.map(({ name, control }) => [name, control.value]));
    const was = Object.fromEntries(dirty.map(({ name, began }) => [name, began ?? '']));
    form.busy = true;
    form.form.setAttribute('aria-busy', 'true');
    form.note.hidden = true;
    form.fields.forEach((field) => this.#explain(field, null));
    if (form.id != null) {
      const cells = new Map();
      for (const [name, text] of Object.entries(set)) {
        const index = program.columns.findIndex(({ title }) => title === name);
        if (index >= 0) cells.set(index, text);
      }
      list.overlays.set(form.id, { cells, until: null });
      list.mine.set(form.id, 'follow');
      list.draw();
    }
    try {
      const answer = form.id == null ? await send('POST', 'api/rows', {}, { set }) : await send('PATCH', 'api/row', { id: form.id }, { set, was });
      this.#form = null;
      const id = form.id ?? answer.id;
      if (form.id != null) settle(list, id, answer.position);
      this.app.done(answer);
      if (form.id == null) {
        this.close();
        list.mine.set(id, 'follow');
        list.reveal(id, () => list.marks.set(`r${id}`, 'insert'));
      } else await this.open(id);
      list.focus();
      setTimeout(() => list.mine.delete(id), 5000);
    } catch (refusal) {
      if (form.id != null) settle(list, form.id, null);
      list.mine.delete(form.id);
      if (this.#form === form) this.#refused(form, refusal, set);
    } finally {
      form.busy = false;
      form.form.removeAttribute('aria-busy');
    }
  }

  #refused(form, refusal, set) {
    if (refusal.status === 409) return this.#conflict(form, refusal, set);
    let focused = false;
    for (const field of form.fields) {
      const text = refusal.fields?.[field.name];
      if (typeof text !== 'string') continue;
      this.#explain(field, text);
      if (!focused) field.control.focus();
      focused = true;
    }
    if (focused) return undefined;
    form.note.textContent = `${refusal.error} ${refusal.remedy ?? ''} ${refusal.status ? '' : 'What you typed is still here.'}`;
    form.note.hidden = false;
    return undefined;
  }

  /** Fields that both sides changed: each is decided by itself, and nothing is written before. */
  #conflict(form, { error, fields, deleted }, set) {
    let box = null;
    const close = () => box.close();
    if (deleted || !fields) {
      const again = () => {
        close();
        const texts = form.fields.map(({ control }) => control.value);
        this.#form = null;
        this.add(texts);
        // All of it counts as typed, since the row is not there any more.
        for (const field of this.#form.fields) field.initial = '';
      };
      box = dialog('conflict', 'Deleted', h('h2', { text: deleted ? 'Deleted meanwhile' : 'Not saved' }), h('p', { text: error }),
        h('footer', {}, deleted && h('button', { class: 'main', text: 'Add it again…', on: { click: again } }),
          h('button', { text: 'Back to the form', on: { click: close } })));
      return;
    }
    const choices = new Map(Object.keys(fields).map((name) => [name, 'mine']));
    const pick = (name, side, text) => {
      const radio = h('input', { type: 'radio', name: `side ${name}`, on: { change: () => choices.set(name, side) } });
      radio.checked = side === 'mine';
      return h('td', {}, h('label', {}, radio, h('bdi', { text: text == null || text === '' ? '(nothing)' : oneLine(text) })));
    };
    const table = h('table', {}, h('thead', {}, h('tr', {}, ...['', 'You began with', 'Stored now', 'You would write'].map((text) => h('th', { text })))),
      h('tbody', {}, ...Object.entries(fields).map(([name, { was, stored, set: mine }]) => h('tr', {},
        h('th', { scope: 'row', text: name }), h('td', {}, h('bdi', { class: 'quiet', text: oneLine(was ?? '') || '(nothing)' })),
        pick(name, 'theirs', stored), pick(name, 'mine', mine ?? set[name])))));
    const save = () => {
      for (const [name, side] of choices) {
        const field = form.fields.find((one) => one.name === name);
        field.began = fields[name].stored;
        field.initial = fields[name].stored ?? '';
        if (side === 'theirs') field.control.value = field.initial;
        field.element.classList.toggle('dirty', side === 'mine');
      }
      close();
      this.#save();
    };
    box = dialog('conflict', 'Conflict', h('h2', { text: 'Changed by others while you edited' }), h('p', { text: error }), table,
      h('footer', {}, h('button', { class: 'main', text: 'Save these', on: { click: save } }),
        h('button', { text: 'Back to the form', on: { click: close } })));
    box.querySelector('.main').focus();
  }
}

/** An overlay goes when the stream has reached the commit, whichever of stream and answer comes first. */
function settle(list, id, position) {
  const overlay = list.overlays.get(id);
  if (!overlay) return;
  if (position == null || generation(list.results.state.position) >= generation(position)) list.overlays.delete(id);
  else overlay.until = generation(position);
  list.draw();
}

export function settleAll(list, { state, change }) {
  for (const [id, { until }] of list.overlays) {
    if (until !== null && (change.kind === 'page' || generation(state.position) >= until)) list.overlays.delete(id);
  }
}

"""####),
(name: "filter.js", type: "text/javascript; charset=utf-8", text: ####"""
// The filter field with its error below it, and the one menu of the page: a dialog with a field that narrows what there is to choose.
// Order, sections, links, commands, keys: all of them are this menu, so all are used alike, by pointer and by keys.

import { h } from './rows.js';

const PAUSE = 180;

export class Filter {
  #timer = 0;

  /** `changed(text, done)`: `done` when the person has finished; `left()` gives the focus back to the list. */
  constructor({ changed, left }) {
    this.input = h('input', {
      type: 'search', placeholder: 'Filter', 'aria-label': 'Filter', 'aria-describedby': 'filter-problem', autocomplete: 'off',
      spellcheck: 'false', enterkeyhint: 'search',
      on: {
        input: () => {
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => changed(this.input.value.trim(), false), PAUSE);
        },
        keydown: (event) => {
          if (event.isComposing || !['Enter', 'Escape', 'ArrowDown'].includes(event.key)) return;
          event.preventDefault();
          clearTimeout(this.#timer);
          if (event.key === 'Escape') this.input.value = '';
          changed(this.input.value.trim(), true);
          left();
        },
      },
    });
    this.problem = h('div', { id: 'filter-problem', class: 'problem', hidden: true });
    this.element = h('div', { class: 'filter' }, this.input, this.problem);
  }

  set text(text) { if (document.activeElement !== this.input) this.input.value = text ?? ''; }

  /** What is wrong with the text, with the picture that points at the place; nothing if `problem` is null. */
  refuse(problem) {
    this.problem.hidden = !problem;
    this.input.toggleAttribute('aria-invalid', Boolean(problem));
    if (!problem) return;
    this.problem.replaceChildren(h('span', { text: `${problem.error} ${problem.remedy ?? ''}` }),
      ...(problem.picture ? [h('pre', { text: problem.picture })] : []));
  }

  focus() {
    this.input.focus();
    this.input.select();
  }
}

/** A modal dialog that is gone once it is closed; focus goes back to where it was. */
export function dialog(className, label, ...children) {
  const element = h('dialog', { class: className, 'aria-label': label }, ...children);
  const before = document.activeElement;
  element.addEventListener('close', () => {
    element.remove();
    before?.focus?.({ preventScroll: true });
  });
  element.addEventListener('click', ({ target }) => target === element && element.close());
  document.body.append(element);
  element.showModal();
  return element;
}

/**
 * A menu of `{label, note, key, group, current, run}`. `typed(text)` may give further items for what was typed.
 * A key event never reaches the list below.
 */
export function choose(title, items, { placeholder = title, typed } = {}) {
  let shown = [];
  let at = 0;
  const list = h('div', { role: 'listbox', id: 'choices', 'aria-label': title });
  const input = h('input', { type: 'text', placeholder, 'aria-label': title, role: 'combobox', 'aria-expanded': 'true',
    'aria-controls': 'choices', autocomplete: 'off', spellcheck: 'false' });
  const element = dialog('menu', title, input, list);
  const take = (item) => {
    element.close();
    // After the close, so that what opens next keeps the focus that it takes.
    if (item?.run) setTimeout(item.run);
  };
  const mark = () => {
    [...list.querySelectorAll('[role=option]')].forEach((option, index) => {
      option.setAttribute('aria-selected', String(index === at));
      if (index !== at) return;
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    });
  };
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (item) => words.every((word) => `${item.label} ${item.note ?? ''} ${item.group ?? ''}`.toLowerCase().includes(word));
    shown = [...items.filter(fits), ...(input.value && typed ? typed(input.value) : [])].slice(0, 200);
    at = Math.max(0, input.value ? 0 : shown.findIndex(({ current }) => current));
    let group;
    list.replaceChildren(...shown.flatMap((item, index) => {
      const option = h('div', { role: 'option', id: `choice${index}`, class: item.current ? 'current' : '', on: { click: () => take(item) } },
        h('bdi', { text: item.label }), item.note ? h('bdi', { class: 'note', text: item.note }) : null,
        ...(item.keys ?? []).map((key) => h('kbd', { text: key })));
      const heads = item.group && item.group !== group ? [h('div', { class: 'group', text: item.group })] : [];
      group = item.group;
      return [...heads, option];
    }));
    if (!shown.length) list.append(h('div', { class: 'none', text: 'Nothing has this name.' }));
    mark();
  };
  input.addEventListener('input', show);
  element.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step && shown.length) {
      at = Math.abs(step) > 1 ? Math.max(0, Math.min(at + step, shown.length - 1)) : (at + step + shown.length) % shown.length;
      mark();
    } else if (event.key === 'Enter' && !event.isComposing) take(shown[at]);
    else return;
    event.preventDefault();
  });
  show();
  input.focus();
}

"""####),
(name: "geometry.js", type: "text/javascript; charset=utf-8", text: ####"""
// The arithmetic of the list: counts of sections become indexes and pixels, exactly, before a row is read. Pure.
// Rows and headers have fixed heights, so the scroll bar of ten million rows is right at once and anchoring is one subtraction.

/** The last index whose value is not above `value`; `sums` ascends and begins with 0. */
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
  /** `folded` is a Set of indexes of sections; `header` is 0 in a list without sections. */
  constructor(counts, { row, header, folded = new Set() }) {
    const sections = counts.length;
    this.counts = counts;
    this.rowHeight = row;
    this.headerHeight = header;
    this.folded = folded;
    this.starts = new Float64Array(sections + 1);
    this.tops = new Float64Array(sections + 1);
    for (let index = 0; index < sections; index += 1) {
      this.starts[index + 1] = this.starts[index] + counts[index];
      this.tops[index + 1] = this.tops[index] + header + (folded.size && folded.has(index) ? 0 : counts[index] * row);
    }
    this.sections = sections;
    this.rows = this.starts[sections];
    this.height = this.tops[sections];
  }

  sectionOf(index) {
    return lastAtMost(this.starts, index);
  }

  sectionAt(y) {
    return lastAtMost(this.tops, y);
  }

  /** The top of a row; of a row in a folded section, that of its header. */
  y(index) {
    const section = this.sectionOf(index);
    if (this.folded.has(section)) return this.tops[section];
    return this.tops[section] + this.headerHeight + (index - this.starts[section]) * this.rowHeight;
  }

  /** What is at a height: `{section}` for a header, `{section, index}` for a row. */
  lineAt(y) {
    if (!this.sections) return null;
    const section = this.sectionAt(Math.max(0, Math.min(y, this.height - 1)));
    const below = y - this.tops[section] - this.headerHeight;
    if (below < 0 || this.folded.has(section) || !this.counts[section]) return { section };
    const row = Math.min(Math.floor(below / this.rowHeight), this.counts[section] - 1);
    return { section, index: this.starts[section] + row };
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
      for (let row = first; row < last; row += 1) yield { section, index: this.starts[section] + row };
    }
  }
}

"""####),
(name: "icon.svg", type: "image/svg+xml; charset=utf-8", text: ####"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2456c8"/><g fill="#fff"><rect x="7" y="8" width="9" height="2.5" rx="1.2"/><rect x="7" y="14.5" width="18" height="2.5" rx="1.2" opacity=".65"/><rect x="11" y="21" width="14" height="2.5" rx="1.2"/><circle cx="8" cy="22.3" r="1.7"/></g></svg>

"""####),
(name: "keys.js", type: "text/javascript; charset=utf-8", text: ####"""
// The keys of the list: one table for the handler and for the help. They are those of `browse` in a terminal.
// They count only while the list has the focus, so no letter typed into a field is ever a command.

/** Group, keys as `KeyboardEvent.key` (`^` for Ctrl or ⌘), action, what the help says. */
export const table = [
  ['Move', ['j', 'ArrowDown'], 'down', 'next line'],
  ['Move', ['k', 'ArrowUp'], 'up', 'line before'],
  ['Move', ['PageDown'], 'pageDown', 'a page down'],
  ['Move', ['PageUp'], 'pageUp', 'a page up'],
  ['Move', ['g', 'Home'], 'top', 'first row, and stay there'],
  ['Move', ['G', 'End'], 'bottom', 'last row, and stay there'],
  ['Move', ['J'], 'nextSection', 'next section'],
  ['Move', ['K'], 'previousSection', 'section before'],
  ['Move', [':'], 'commands', 'go to a row, a share or a value; commands'],
  ['Move', ['"'], 'index', 'choose a section'],
  ['See', ['Enter'], 'open', 'all values of the row'],
  ['See', ['o'], 'details', 'all values, in a list of lists too'],
  ['See', ['z'], 'fold', 'fold or open the section'],
  ['See', ['ArrowLeft'], 'close', 'fold the section'],
  ['See', ['ArrowRight'], 'unfold', 'open the section'],
  ['See', ['/'], 'filter', 'filter'],
  ['See', ['s'], 'sort', 'order'],
  ['See', ['S'], 'sections', 'sections'],
  ['See', ['-'], 'usual', 'usual order and sections'],
  ['See', ['f'], 'links', 'follow a reference'],
  ['See', ['h', 'H'], 'hold', 'hold the list as it is, or let it go on'],
  ['Change', [' '], 'select', 'select the row'],
  ['Change', ['a'], 'add', 'add'],
  ['Change', ['e'], 'edit', 'change'],
  ['Change', ['d d', 'Delete'], 'delete', 'delete'],
  ['Change', ['u', '^z'], 'undo', 'undo'],
  ['Change', ['U', '^r', '^Z'], 'redo', 'redo'],
  ['Change', ['y'], 'copy', 'copy the row'],
  ['Other', ['x'], 'commands', 'commands'],
  ['Other', ['?'], 'help', 'keys'],
  ['Other', ['Escape'], 'escape', 'close one thing'],
];

const names = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space', Escape: 'Esc', PageDown: 'PgDn', PageUp: 'PgUp', '^r': '^R', '\r': 'Enter', '\n': 'Enter', '^Z': '^⇧Z' };
export const keyName = (key) => names[key] ?? key;

/** Calls `run(action)` for the keys of the table, and `command(key)` first, which is true for a key of the program. */
export function bindKeys(grid, isListening, run, command) {
  const actions = new Map();
  for (const [, keys, action] of table) for (const key of keys) actions.set(key, action);
  let first = '';
  grid.addEventListener('keydown', (event) => {
    if (!isListening() || event.isComposing || event.altKey) return;
    const control = event.ctrlKey || event.metaKey;
    const key = (control ? '^' : '') + event.key;
    const pair = first ? `${first} ${key}` : '';
    first = '';
    if (!control && command(key)) return event.preventDefault();
    let action = actions.get(pair) ?? actions.get(key);
    if (!action && actions.has(`${key} ${key}`)) {
      // A single letter deletes nothing; holding it down is not pressing it twice.
      if (!event.repeat) first = key;
      action = 'wait';
    }
    if (!action) return;
    event.preventDefault();
    if (action !== 'wait') run(action, event);
  });
}

"""####),
(name: "list.js", type: "text/javascript; charset=utf-8", text: ####"""
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

"""####),
(name: "motion.js", type: "text/javascript; charset=utf-8", text: ####"""
// What makes a change visible: rows glide from where they were (FLIP), arrivals fade in, and marks stay for a second and a half.
// Places come from arithmetic, so nothing is measured. With prefers-reduced-motion nothing moves; the marks remain.

const GLIDE = { duration: 180, easing: 'cubic-bezier(.2, .7, .2, 1)' };
const MOST = 60;
const SHOWN = 1500;

const calm = matchMedia('(prefers-reduced-motion: reduce)');
let pressed = false;
addEventListener('pointerdown', () => { pressed = true; }, true);
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => { pressed = false; }, true);

/** Where each element is on the screen, the rest of a running animation included. */
export function positions(elements, top) {
  const result = new Map();
  for (const [key, element] of elements) {
    let y = element.y - top;
    if (element.glide?.playState === 'running') y += new DOMMatrixReadOnly(getComputedStyle(element).transform).m42;
    result.set(key, y);
  }
  return result;
}

/** Lets what was at `before` and is elsewhere now glide there; `arrived(key)` fades in. */
export function animate(elements, before, top, height, arrived) {
  if (calm.matches || pressed) return;
  const moves = [];
  for (const [key, element] of elements) {
    const y = element.y - top;
    const old = before.get(key);
    if (y < -100 || y > height + 100) continue;
    if (old === undefined) {
      if (arrived(key)) moves.push([element, [{ opacity: 0 }, { opacity: 1 }]]);
    } else if (Math.abs(old - y) > 0.5 && old > -200 && old < height + 200) {
      moves.push([element, [{ transform: `translateY(${old - y}px)` }, { transform: 'none' }]]);
    }
  }
  for (const [element] of moves) element.glide?.cancel();
  if (moves.length > MOST) return;
  for (const [element, frames] of moves) element.glide = element.animate(frames, GLIDE);
}

/** The marks of changed rows and sections: key → `{kind, sign, cells, until}`. */
export class Marks {
  #marks = new Map();
  #timer = 0;

  constructor(cleared) {
    this.cleared = cleared;
  }

  set(key, kind, more = {}) {
    const sign = { insert: '+', move: '→', update: '~' }[kind] ?? '';
    this.#marks.set(key, { kind, sign, ...more, until: performance.now() + SHOWN });
    if (!this.#timer) this.#timer = setTimeout(() => this.#sweep(), SHOWN);
  }

  get(key) { return this.#marks.get(key); }

  clear() { this.#marks.clear(); }

  #sweep() {
    const now = performance.now();
    let next = Infinity;
    for (const [key, { until }] of this.#marks) {
      if (until <= now + 20) this.#marks.delete(key);
      else next = Math.min(next, until);
    }
    this.#timer = next < Infinity ? setTimeout(() => this.#sweep(), Math.max(100, next - now)) : 0;
    this.cleared();
  }
}

"""####),
(name: "openapi.json", type: "application/json", text: ####"""
{
 "openapi": "3.1.0",
 "info": {"title": "A live list", "version": "1", "description": "The lists that `serve` shows. Every request names this server as its host, and carries the token (Authorization: Bearer) or a cookie from /open. Row ids and positions are opaque texts. Every error has one form: what is wrong, and what to do."},
 "security": [{"token": []}, {"cookie": []}],
 "paths": {
  "/": {"get": {"summary": "The page that shows the list", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/filter"}, {"$ref": "#/components/parameters/sort"}, {"$ref": "#/components/parameters/sections"}, {"$ref": "#/components/parameters/list"}], "responses": {"200": {"description": "HTML", "content": {"text/html": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
  "/open": {"get": {"summary": "Exchange the token for a cookie", "security": [], "parameters": [{"name": "token", "in": "query", "required": true, "description": "The token that the program printed", "schema": {"type": "string"}}], "responses": {"303": {"description": "The page; the cookie is set"}, "401": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
  "/print": {"get": {"summary": "The first 10,000 rows as a table for paper", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/filter"}, {"$ref": "#/components/parameters/sort"}, {"$ref": "#/components/parameters/sections"}, {"$ref": "#/components/parameters/list"}], "responses": {"200": {"description": "HTML", "content": {"text/html": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/health": {"get": {"summary": "Whether the server answers", "security": [], "responses": {"200": {"description": "ok", "content": {"text/plain": {"schema": {"type": "string"}}}}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
  "/metrics": {"get": {"summary": "Figures in the text form of Prometheus", "parameters": [], "responses": {"200": {"description": "Figures", "content": {"text/plain": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
  "/api/openapi.json": {"get": {"summary": "This description", "parameters": [], "responses": {"200": {"description": "OpenAPI 3.1", "content": {"application/json": {"schema": {"type": "object"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
  "/api/program": {"get": {"summary": "Columns, commands and names of the program", "parameters": [{"$ref": "#/components/parameters/site"}], "responses": {"200": {"description": "The program", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/program"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
  "/api/events": {"get": {"summary": "A window of a list, and every change of it, as server-sent events", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/filter"}, {"$ref": "#/components/parameters/sort"}, {"$ref": "#/components/parameters/sections"}, {"$ref": "#/components/parameters/list"}, {"name": "from", "in": "query", "required": false, "description": "The first row, counted over all sections", "schema": {"type": "integer", "minimum": 0}}, {"name": "count", "in": "query", "required": false, "description": "The number of rows", "schema": {"type": "integer", "minimum": 1, "maximum": 512}}, {"name": "at", "in": "query", "required": false, "description": "The row to show, in place of from", "schema": {"type": "string"}}, {"name": "above", "in": "query", "required": false, "description": "The number of rows above that row", "schema": {"type": "integer", "minimum": 0, "maximum": 512}}, {"name": "after", "in": "query", "required": false, "description": "The position that the client shows, so that only what happened since is sent", "schema": {"type": "string"}}, {"name": "whole", "in": "query", "required": false, "description": "Sends the whole list and its changes in the wire form of watch --format jsonl", "schema": {"type": "string"}}], "responses": {"200": {"description": "Events: hello, opening, list, pending, failure, recovered, compared, beat, bye; see docs/web-protocol.md", "content": {"text/event-stream": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/window": {"post": {"summary": "Move the window of a stream; its rows come with the stream", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"from": {"type": "integer", "minimum": 0}, "id": {"type": "string"}, "above": {"type": "integer", "minimum": 0}, "count": {"type": "integer", "minimum": 1, "maximum": 512}}, "required": ["count"]}}}}, "responses": {"204": {"description": "Moved"}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/hold": {"post": {"summary": "Hold the window as it is shown, or let it go on", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"held": {"type": "boolean"}}, "required": ["held"]}}}}, "responses": {"204": {"description": "Done"}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/sections": {"get": {"summary": "Titles and lengths of sections", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "from", "in": "query", "required": false, "description": "The first section", "schema": {"type": "integer", "minimum": 0}}, {"name": "count", "in": "query", "required": false, "description": "The number of sections", "schema": {"type": "integer", "minimum": 0, "maximum": 1000}}], "responses": {"200": {"description": "Sections", "content": {"application/json": {"schema": {"type": "object", "properties": {"position": {"type": "string"}, "sections": {"type": "array"}, "total": {"type": "integer", "minimum": 0}}, "required": ["position", "sections", "total"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/jump": {"get": {"summary": "Where a value of the first term stands", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "text", "in": "query", "required": true, "description": "The value", "schema": {"type": "string"}}], "responses": {"200": {"description": "The row's index, counted over all sections", "content": {"application/json": {"schema": {"type": "object", "properties": {"index": {"type": "integer", "minimum": 0}}, "required": ["index"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/row": {"get": {"summary": "All values of a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string"}}], "responses": {"200": {"description": "The row", "content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "details": {"type": "array"}, "texts": {"type": "array"}}, "required": ["id", "title", "details", "texts"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}},
   "patch": {"summary": "Change fields of a row, unless others have changed them since", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string"}}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"set": {"type": "object", "additionalProperties": {"type": "string"}}, "was": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Changed", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "Others have changed or deleted it", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/rows": {"post": {"summary": "Add a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"set": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "201": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "It cannot be added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/delete": {"post": {"summary": "Delete rows", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}, "maxItems": 65536}}, "required": ["ids"]}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/command": {"post": {"summary": "Run a command of the program", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"name": {"type": "string"}, "ids": {"type": "array", "items": {"type": "string"}, "maxItems": 65536}, "section": {"type": "integer", "minimum": 0}}, "required": ["name"]}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/undo": {"post": {"summary": "Take the session's last change back", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object"}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/redo": {"post": {"summary": "Make the change again that was taken back last", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object"}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/links": {"get": {"summary": "The lists that belong to a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string"}}], "responses": {"200": {"description": "Links", "content": {"application/json": {"schema": {"type": "object", "properties": {"links": {"type": "array"}}, "required": ["links"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/visit": {"post": {"summary": "Open the list of a link", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}, "name": {"type": "string"}}, "required": ["id", "name"]}}}}, "responses": {"200": {"description": "The site of the list: open /?site=…", "content": {"application/json": {"schema": {"type": "object", "properties": {"site": {"type": "string"}, "at": {"type": ["string", "null"]}}, "required": ["site"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}}
 },
 "components": {
  "securitySchemes": {
   "token": {"type": "http", "scheme": "bearer"},
   "cookie": {"type": "apiKey", "in": "cookie", "name": "PROGRAM-PORT"}
  },
  "parameters": {
   "site": {"name": "site", "in": "query", "required": false, "description": "The list that is open: 0 is the program's own", "schema": {"type": "string", "default": "0"}},
   "client": {"name": "client", "in": "query", "required": false, "description": "The client that a stream's hello named", "schema": {"type": "string"}},
   "filter": {"name": "filter", "in": "query", "required": false, "description": "The text of the filter: words, or a condition", "schema": {"type": "string"}},
   "sort": {"name": "sort", "in": "query", "required": false, "description": "Attribute names separated by commas; a minus sorts descending", "schema": {"type": "string"}},
   "sections": {"name": "sections", "in": "query", "required": false, "description": "The name of the sections, or none", "schema": {"type": "string"}},
   "list": {"name": "list", "in": "query", "required": false, "description": "The number of a list that a command opened", "schema": {"type": "integer", "minimum": 0}}
  },
  "responses": {
   "problem": {"description": "What is wrong, and what to do", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}
  },
  "schemas": {
   "problem": {"type": "object", "properties": {"error": {"type": "string"}, "remedy": {"type": "string"}, "fields": {"type": "object"}, "deleted": {"type": "boolean"}}, "required": ["error", "remedy"]},
   "done": {"type": "object", "properties": {"message": {"type": "string"}, "id": {"type": "string"}, "position": {"type": ["string", "null"]}, "effect": {"type": ["object", "null"]}}, "required": ["message", "position"]},
   "program": {"type": "object", "properties": {"version": {"type": "integer"}, "program": {"type": "string"}, "title": {"type": "string"}, "nouns": {"type": "array", "items": {"type": "string"}}, "columns": {"type": "array"}, "titleColumn": {"type": "integer", "minimum": 0}, "sorts": {"type": "array", "items": {"type": "string"}}, "sections": {"type": "array", "items": {"type": "string"}}, "commands": {"type": "array"}, "fields": {"type": "array"}, "canWrite": {"type": "boolean"}, "hasLinks": {"type": "boolean"}, "opensRows": {"type": "boolean"}, "copyTime": {"type": ["string", "null"]}, "notice": {"type": "string"}}, "required": ["version", "program", "title", "columns", "canWrite"]}
  }
 }
}

"""####),
(name: "replay.js", type: "text/javascript; charset=utf-8", text: ####"""
// Applies the lines of a list to the state of one window: pure, and all or nothing.
// A line that does not fit gives null and changes nothing; the caller then asks for a page.

/**
 * A state is `{position, rows, matching, sectioned, counts, headers, from, page}`: `counts` of all sections, `headers` a Map from the
 * index of a section, `page` the rows of the places from `from` on (null where a row cannot be read).
 * Returns `{state, change}` or null.
 */
export function applyLine(state, line) {
  return line.t === 'page' ? applyPage(state, line) : line.t === 'delta' ? applyDelta(state, line) : null;
}

const sum = (counts) => counts.reduce((total, count) => total + count, 0);

function applyPage(state, line) {
  const known = !line.counts;
  if (known && (!state || state.position !== line.position)) return null;
  const counts = known ? state.counts : line.counts;
  const headers = new Map(known ? state.headers : []);
  for (const [index, header] of line.headers ?? []) headers.set(index, header);
  const { position, rows, from, page } = line;
  if (from < 0 || from + page.length > rows) return null;
  const next = {
    position, rows, matching: line.matching ?? rows, sectioned: line.sectioned ?? state?.sectioned ?? true,
    counts, headers, from, page,
  };
  return { state: next, change: { kind: 'page', moved: known, at: line.at, reason: line.reason } };
}

function applyDelta(state, line) {
  if (!state || line.from !== state.position) return null;
  const { from: [oldFrom, oldTo], to: [newFrom, newTo] } = line.window;
  const end = state.from + state.page.length;
  if (oldFrom !== state.from && state.page.length) return null;
  if (Math.min(oldTo, state.rows) !== end && state.page.length) return null;

  const sections = applySections(state, line);
  if (!sections) return null;
  const rows = applyRows(state, line, newFrom, Math.max(newFrom, Math.min(newTo, line.rows)));
  if (!rows) return null;

  const next = {
    position: line.to, rows: line.rows, matching: line.matching ?? line.rows, sectioned: state.sectioned,
    counts: sections.counts, headers: sections.headers, from: newFrom, page: rows.page,
  };
  const change = {
    kind: 'delta', cause: line.cause, shift: newFrom - oldFrom, origins: sections.origins, grown: sections.grown,
    inserted: rows.inserted, moved: rows.moved, updated: rows.updated, removed: rows.removed,
    above: line.above, below: line.below,
  };
  return { state: next, change };
}

/** `origins[new] = old` or −1 tells where each section stood; null if no section came or went. */
function applySections(state, line) {
  let { counts, headers } = state;
  let origins = null;
  const gone = new Set();
  const come = new Set();
  for (const { op, from, to } of line.sections ?? []) {
    if (op === 'delete') gone.add(from);
    else if (op === 'insert') come.add(to);
  }
  if (gone.size || come.size) {
    for (const index of gone) if (!(index < counts.length)) return null;
    const kept = [];
    for (let index = 0; index < counts.length; index += 1) if (!gone.has(index)) kept.push(index);
    const total = kept.length + come.size;
    for (const index of come) if (!(index < total)) return null;
    origins = [];
    for (let index = 0, next = 0; index < total; index += 1) origins.push(come.has(index) ? -1 : kept[next++]);
    const moved = new Map();
    origins.forEach((old, index) => headers.has(old) && moved.set(index, headers.get(old)));
    headers = moved;
    const before = counts;
    counts = origins.map((old) => (old < 0 ? 0 : before[old]));
  } else if (line.counts?.length) {
    counts = counts.slice();
  }
  const grown = new Map();
  for (const [index, count] of line.counts ?? []) {
    if (!(index < counts.length)) return null;
    if (count !== counts[index]) grown.set(index, count - counts[index]);
    counts[index] = count;
  }
  if (!state.sectioned && line.rows !== counts[0]) counts = line.rows ? [line.rows] : [];
  if (sum(counts) !== line.rows) return null;
  if (line.headers?.length) {
    headers = new Map(headers);
    for (const [index, header] of line.headers) headers.set(index, header);
  }
  return { counts, headers, origins, grown };
}

function applyRows(state, line, from, to) {
  const gone = new Set();
  for (const [position, id] of line.remove ?? []) {
    const index = position - state.from;
    if (!(index >= 0 && index < state.page.length)) return null;
    const row = state.page[index];
    if (row && row.id !== id) return null;
    gone.add(index);
  }
  const stayed = state.page.filter((_, index) => !gone.has(index));
  const page = new Array(to - from);
  const filled = new Uint8Array(to - from);
  const inserted = new Set();
  const moved = new Set();
  for (const [position, kind, row] of line.arrive ?? []) {
    const index = position - from;
    if (!(index >= 0 && index < page.length) || filled[index]) return null;
    page[index] = row;
    filled[index] = 1;
    if (row && kind === 'insert') inserted.add(row.id);
    if (row && kind === 'move') moved.add(row.id);
  }
  let next = 0;
  for (let index = 0; index < page.length; index += 1) {
    if (filled[index]) continue;
    if (next === stayed.length) return null;
    page[index] = stayed[next++];
  }
  const updated = new Map();
  const before = new Map();
  for (const row of state.page) if (row) before.set(row.id, row);
  for (const [position, row] of line.update ?? []) {
    const index = position - from;
    if (!(index >= 0 && index < page.length)) return null;
    page[index] = row;
  }
  for (const row of page) {
    const old = row && before.get(row.id);
    if (old && old !== row) updated.set(row.id, row.cells.flatMap((text, cell) => (text === old.cells[cell] ? [] : [cell])));
  }
  const removed = new Set((line.remove ?? []).map(([, id]) => id));
  for (const row of page) if (row) removed.delete(row.id);
  return { page, inserted, moved, updated, removed };
}

"""####),
(name: "results.js", type: "text/javascript; charset=utf-8", text: ####"""
// The client of a live list, without a page: connect(url, options) opens the stream and keeps the state of one window.
// Other programs may import it; the page itself uses nothing else to speak with the server.

import { openStream, problemOf } from './stream.js';
import { applyLine } from './replay.js';

export { applyLine } from './replay.js';
export { Geometry } from './geometry.js';

/** An answer that was not what was asked for; `status` is 0 if none came. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.error);
    Object.assign(this, problem);
  }
}

/** One request; `parameters` that are null or undefined are left out. */
export async function call(base, method, path, parameters = {}, body) {
  const address = new URL(path, base);
  for (const [name, value] of Object.entries(parameters)) if (value != null) address.searchParams.set(name, value);
  const init = { method, cache: 'no-store' };
  if (body !== undefined) {
    init.headers = { 'Content-Type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(address, init);
  } catch {
    throw new Refusal({ status: 0, error: 'The server does not answer.', remedy: 'It is tried again when the connection is back.' });
  }
  if (!answer.ok) throw new Refusal(await problemOf(answer));
  return answer.status === 204 ? null : answer.json();
}

/** The number of the commit in a position such as `17.abc`. */
export const generation = (position) => Number.parseInt(position, 10);

/**
 * Opens the list at `url`. Options: `site`, `query` (`filter`, `sort`, `sections`, `list`), `from` and `count`, or `at` and `above`;
 * and what is called: `list({before, state, change, line})`, `hello`, `opening`, `pending`, `failure`, `recovered`, `compared`, `bye`,
 * `status(text)`, `refused(problem)`.
 */
export function connect(url, { site = '0', query = {}, from = 0, count = 96, at = null, above = 0, ...on }) {
  let state = null;
  let client = null;
  let stray = 0;
  let greeted = [];
  let held = false;
  let holding = Promise.resolve();

  const address = () => {
    const address = new URL('api/events', url);
    const set = (name, value) => value != null && value !== '' && address.searchParams.set(name, value);
    set('site', site);
    for (const name of ['filter', 'sort', 'sections', 'list']) set(name, query[name]);
    if (state) {
      set('from', state.from);
      set('count', Math.max(32, state.page.length));
      if (!stray) set('after', state.position);
      // Another process, or one that has forgotten the position, shows the surroundings of the same row.
      const middle = state.page.length >> 1;
      set('at', state.page[middle]?.id);
      set('above', state.page[middle] && middle);
    } else if (at != null) {
      set('at', at);
      set('above', above);
      set('count', count);
    } else {
      set('from', from);
      set('count', count);
    }
    return address;
  };

  const send = async (method, path, parameters, body, again = true) => {
    const used = client;
    try {
      return await call(url, method, path, { site, client, ...parameters }, body);
    } catch (refusal) {
      if (refusal.status !== 410 || !again) throw refusal;
      // The server has forgotten this client and has done nothing, so the next one may ask the same.
      if (used === client) stream.restart();
      await new Promise((resolve) => greeted.push(resolve) && setTimeout(resolve, 5000));
      return send(method, path, parameters, body, false);
    }
  };
  // A window is asked for again by the next scrolling, and by the next connection.
  const ask = (body) => client && send('POST', 'api/window', {}, body).catch(() => {});

  // One request at a time, and each with the present wish, so that the last wish is the one that stays.
  const sendHold = () => (holding = holding.catch(() => {}).then(() => send('POST', 'api/hold', {}, { held })));

  const take = (line) => {
    const result = applyLine(state, line);
    if (!result) {
      // One page is enough, however many lines do not fit meanwhile; if even that does not fit, a new connection brings one.
      stray += 1;
      if (stray === 1) ask({ from: state?.from ?? from, count: Math.max(32, state?.page.length ?? count), page: true });
      else if (stray % 50 === 0) stream.restart();
      return;
    }
    stray = 0;
    const before = state;
    state = result.state;
    on.list?.({ before, line, ...result });
  };

  const stream = openStream(address, {
    event(name, data) {
      if (name === 'list') return take(data);
      if (name === 'hello') {
        client = data.client;
        for (const resolve of greeted.splice(0)) resolve();
        if (held) sendHold().catch(() => {});
      }
      on[name]?.(data);
    },
    status: (text) => on.status?.(text),
    refused: (problem) => on.refused?.(problem),
  });

  return {
    get state() {
      return state;
    },
    get client() {
      return client;
    },
    get lastNews() {
      return stream.lastNews;
    },
    query,
    send,
    window: (first, size) => ask({ from: first, count: size }),
    reveal: (id, rowsAbove, size) => ask({ id, above: rowsAbove, count: size }),
    hold(wish) {
      held = wish;
      return sendHold();
    },
    close: () => stream.close(),
  };
}

"""####),
(name: "rows.js", type: "text/javascript; charset=utf-8", text: ####"""
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

/** Draws rows and headers into one layer, in the order of the list. */
export class Rows {
  elements = new Map();
  #free = [];
  #freeHeads = [];

  constructor(layer) {
    this.layer = layer;
  }

  /** After another choice of columns all cells are made anew, but the elements of rows stay. */
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

  row(element, { row, index, top, rowIndex, selected, cursor, mark, overlay, waiting }) {
    this.#cells(element);
    element.row = row;
    element.index = index;
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
    attribute(head, 'class', `head${cursor ? ' cursor' : ''}${header ? '' : ' waiting'}`);
    attribute(head, 'aria-rowindex', rowIndex);
    attribute(head, 'aria-expanded', String(!folded));
    attribute(head, 'tabindex', cursor ? 0 : -1);
    const [title, aggregates, number] = head.firstChild.children;
    const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    set(title, header ? oneLine(header.title) || '(none)' : '');
    set(aggregates, oneLine(header?.aggregates ?? ''));
    set(number, count(size));
    attribute(number, 'data-grown', grown ? (grown > 0 ? `+${count(grown)}` : `−${count(-grown)}`) : null);
  }

  #make(isHead) {
    if (!isHead) return this.#free.pop() ?? h('div', { role: 'row' });
    return this.#freeHeads.pop() ?? h('div', { class: 'section', role: 'presentation' }, h('div', { role: 'row', 'aria-level': 1 },
      h('div', { role: 'gridcell' }, h('bdi', { class: 'name' }), h('bdi', { class: 'sums' }), h('span', { class: 'count' }))));
  }

  /** Draws exactly `items` (`{key, head, …}`), reusing elements by key, and leaves them in order. */
  draw(items) {
    const wanted = new Set(items.map(({ key }) => key));
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
    for (const item of items) {
      // What is free is used where it is, and passed by where it is not: an element that is moved costs its style and layout.
      let element = this.elements.get(item.key);
      if (element) {
        while (at !== element && (free.has(at) || freeHeads.has(at))) at = at.nextSibling;
      } else {
        const pool = item.head ? freeHeads : free;
        element = pool.has(at) ? at : pool.values().next().value ?? this.#make(item.head);
        pool.delete(element);
        this.elements.set(item.key, element);
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
      // Painted after it is in its place: Chromium 156 keeps the old style of what moveBefore moves.
      element.y = item.y;
      if (item.head) this.head(element, item);
      else this.row(element, item);
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

"""####),
(name: "scroller.js", type: "text/javascript; charset=utf-8", text: ####"""
// Scrolls a list of any height: `top` is the truth, the scroll bar follows it. Asks for the rows of three screens.
// Browsers cap the height of an element, so above eight million pixels only the thumb is proportional; wheel, keys and touch stay exact.

const CAP = 8_000_000;
const REST = 150;
const PACE = 100;

export class Scroller {
  top = 0;
  base = 0;
  height = 0;
  #total = 0;
  #last = 0;
  #moved = 0;
  #touching = false;
  #rest = 0;
  #asked = '';
  #next = null;
  #pace = 0;

  /** `moved()` is called after `top` has changed by scrolling; a line at `y` is drawn at `y − base`. */
  constructor(port, spacer, moved) {
    Object.assign(this, { port, spacer, moved });
    port.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    const touch = (is) => () => { this.#touching = is; this.#later(); };
    port.addEventListener('touchstart', touch(true), { passive: true });
    port.addEventListener('touchend', touch(false), { passive: true });
    port.addEventListener('touchcancel', touch(false), { passive: true });
  }

  get #real() { return this.#total <= CAP; }
  get #range() { return Math.max(0, Math.min(this.#total, CAP) - this.height); }
  get end() { return Math.max(0, this.#total - this.height); }

  /** True while setting `scrollTop` would end a gesture or its momentum. */
  get busy() { return this.#touching || performance.now() - this.#moved < REST; }

  #scrolled() {
    const at = this.port.scrollTop;
    const by = at - this.#last;
    if (!by) return;
    this.#last = at;
    this.#moved = performance.now();
    if (this.#real || Math.abs(by) <= 3 * this.height) this.top += by;
    else this.top = (at / this.#range) * this.end;
    this.top = Math.max(0, Math.min(this.top, this.end));
    this.base = this.top - at;
    const edge = (at <= 0 && this.top > 0) || (at >= this.#range - 1 && this.top < this.end - 1);
    if (edge) this.settle();
    this.#later();
    this.moved();
  }

  #later() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (this.busy) return this.#later();
      if (this.settle()) this.moved();
    }, REST);
  }

  /** Puts the thumb where it belongs, without moving what is seen; true if that was not so already. */
  settle() {
    let target = this.top;
    if (!this.#real) {
      target = (this.top / this.end) * this.#range;
      // At an edge of the bar the wheel would stop, so only an edge of the list may be there.
      if (this.top > 0) target = Math.max(target, Math.min(this.top, 2000));
      if (this.top < this.end) target = Math.min(target, this.#range - Math.min(this.end - this.top, 2000));
    }
    if (Math.abs(target - this.#last) < 1) return false;
    this.port.scrollTop = target;
    this.#last = this.port.scrollTop;
    this.base = this.top - this.#last;
    return true;
  }

  /** Takes over new heights and a new top in one step, before the next frame is painted. */
  set(total, top) {
    if (total !== this.#total) {
      this.#total = total;
      this.spacer.style.height = `${Math.min(total, CAP)}px`;
    }
    this.top = Math.max(0, Math.min(top, this.end));
    this.#last = this.port.scrollTop;
    this.base = this.top - this.#last;
    if (this.busy) this.#later();
    else this.settle();
  }

  /** Asks `send(from, count)` for three screens around the places that are seen, when what is there does not reach half a screen further. */
  want(first, last, rows, has, send) {
    const screen = Math.max(8, last - first + 1);
    const near = Math.min(screen, 80);
    const half = near >> 1;
    if (has.from <= Math.max(0, first - half) && has.to >= Math.min(rows, last + 1 + half)) return;
    let from = Math.max(0, first - near) & ~31;
    let to = Math.min(rows, last + 1 + near);
    if (to - from > 512) [from, to] = [first - (first % 32), first - (first % 32) + 512];
    const count = Math.max(32, (to - from + 31) & ~31);
    const asked = `${from} ${count} ${has.from} ${has.to}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    this.#next = () => send(from, count);
    if (!this.#pace) this.#ask();
  }

  /** At most one request in 100 ms; the newest wins. */
  #ask() {
    const send = this.#next;
    this.#next = null;
    this.#pace = send ? setTimeout(() => this.#ask(), PACE) : 0;
    send?.();
  }

  /** The next wish is asked for again, even if it is the same. */
  forget() { this.#asked = ''; }
}

"""####),
(name: "stream.js", type: "text/javascript; charset=utf-8", text: ####"""
// A stream of server-sent events over fetch that keeps itself open: it reconnects, notices silence, and sleeps with a hidden tab.
// EventSource is not used: it gives up for good after a 5xx answer, and its address cannot follow the window.

const SILENCE = 35_000;
const HIDDEN = 10_000;
const LONGEST = 15_000;
const FINAL = new Set([400, 401, 403, 404, 413, 415, 421, 422]);

/** Returns a function that takes a text in parts, split anywhere, and calls `emit(name, data, id)` for each event. */
export function eventParser(emit) {
  let rest = '';
  let name = '';
  let id = '';
  let data = [];
  const line = (text) => {
    if (text === '') {
      if (data.length) emit(name || 'message', data.join('\n'), id);
      name = '';
      data = [];
      return;
    }
    const colon = text.indexOf(':');
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  };
  return (text) => {
    rest += text;
    let start = 0;
    for (let end; (end = rest.indexOf('\n', start)) >= 0; start = end + 1) {
      line(rest.slice(start, rest[end - 1] === '\r' && end > start ? end - 1 : end));
    }
    rest = rest.slice(start);
  };
}

/** The error form of an answer, whatever the body is. */
export async function problemOf(answer) {
  let form = {};
  try {
    form = await answer.json();
  } catch {
    // A proxy answers in HTML; the status then says enough.
  }
  return { error: `The server answered ${answer.status}.`, remedy: '', ...form, status: answer.status };
}

/**
 * Opens the stream at `address()`, which is asked again for each connection.
 * `on.event(name, data, id)`, `on.status('open' | 'reconnecting')`, `on.refused(problem)`.
 */
export function openStream(address, on) {
  let current = null;
  let attempt = 0;
  let retry = 0;
  let watchdog = 0;
  let sleeper = 0;
  let asleep = false;
  let closed = false;
  let news = Date.now();

  const connect = async () => {
    clearTimeout(retry);
    retry = 0;
    current?.abort();
    if (closed || asleep) return;
    const mine = (current = new AbortController());
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => mine.abort(), SILENCE);
    };
    alive();
    try {
      const answer = await fetch(address(), { signal: mine.signal, cache: 'no-store' });
      if (FINAL.has(answer.status)) {
        const problem = await problemOf(answer);
        if (mine !== current || closed) return;
        close();
        on.refused(problem);
        return;
      }
      if (!answer.ok) throw new Error(answer.status);
      const parse = eventParser((name, data, id) => {
        if (mine !== current) return;
        attempt = 0;
        news = Date.now();
        alive();
        try {
          on.event(name, JSON.parse(data), id);
        } catch (error) {
          // A fault of the page must not look like a broken connection.
          reportError(error);
        }
      });
      on.status('open');
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done || mine !== current) break;
        parse(value);
      }
    } catch {
      // Whatever ended it, the answer is the same: connect again.
    }
    if (mine !== current || closed || asleep) return;
    on.status('reconnecting');
    const delay = attempt ? Math.min(LONGEST, 500 * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2) : 0;
    attempt += 1;
    retry = setTimeout(connect, delay);
  };

  const now = () => {
    attempt = 0;
    connect();
  };
  const wake = () => {
    clearTimeout(sleeper);
    if (document.visibilityState === 'hidden') {
      sleeper = setTimeout(() => {
        asleep = true;
        current?.abort();
      }, HIDDEN);
    } else if (asleep || retry || Date.now() - news > SILENCE) {
      asleep = false;
      now();
    }
  };
  // Without a network the list is as old as the last event, whether or not the connection has noticed.
  const lost = () => current?.abort();
  const shown = (event) => event.persisted && now();
  document.addEventListener('visibilitychange', wake);
  window.addEventListener('online', now);
  window.addEventListener('offline', lost);
  window.addEventListener('pageshow', shown);

  function close() {
    closed = true;
    clearTimeout(retry);
    clearTimeout(watchdog);
    clearTimeout(sleeper);
    current?.abort();
    document.removeEventListener('visibilitychange', wake);
    window.removeEventListener('online', now);
    window.removeEventListener('offline', lost);
    window.removeEventListener('pageshow', shown);
  }

  connect();
  return {
    close,
    restart: now,
    get lastNews() {
      return news;
    },
  };
}

"""####),
  ]
}
#endif
