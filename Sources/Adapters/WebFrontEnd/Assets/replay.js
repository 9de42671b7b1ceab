// Applies the lines of a list to the state of one window: pure, and all or nothing.
// A line that does not fit gives null and changes nothing; the caller then asks for a page.

/**
 * A state is `{position, rows, matching, sectioned, counts, headers, from, page}`: `counts` of all sections, `headers` a Map by
 * the numbers of sections, `page` the rows from the flat position `from` on (null where a row cannot be read).
 * Returns `{state, change}` or null.
 */
export function applyLine(state, line) {
  return line.t === 'page' ? applyPage(state, line) : line.t === 'delta' ? applyDelta(state, line) : null;
}

/** The rows with the values that run along the list; a change of one row changes those of many, which are no updates. */
const withRunning = (page, running) => running
  ? page.map((row, index) => row && { ...row, cells: row.cells.with(running.cell, running.texts[index] ?? '') })
  : page;

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
    counts, headers, from, page: withRunning(page, line.running),
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
    counts: sections.counts, headers: sections.headers, from: newFrom, page: withRunning(rows.page, line.running),
  };
  const change = {
    kind: 'delta', cause: line.cause, shift: newFrom - oldFrom, origins: sections.origins, grown: sections.grown,
    inserted: rows.inserted, moved: rows.moved, updated: rows.updated, removed: rows.removed,
    above: line.above, below: line.below,
  };
  return { state: next, change };
}

/** `origins[new] = old` or −1 says where each section stood; null if no section came or went. */
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
