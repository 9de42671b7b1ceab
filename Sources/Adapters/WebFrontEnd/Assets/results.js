// The client of a live list, without a page: connect(url, options) opens the stream and keeps the state of one window.
// Other programs may import it; the page itself uses nothing else to speak with the server.

import { openStream, problemOf } from './stream.js';
import { applyLine } from './replay.js';

export { applyLine } from './replay.js';
export { Geometry } from './geometry.js';

const TRIES = 8;

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
    const isFile = body instanceof Blob;
    init.headers = { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' };
    init.body = isFile ? body : JSON.stringify(body);
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
 * and what is called: `list({before, state, change, line})`, `hello`, `opening`, `pending`, `failure`, `recovered`, `compared`,
 * `progress`, `bye`, `status(text)`, `refused(problem)`.
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

  const send = async (method, path, parameters, body) => {
    for (let tries = 0; ; tries += 1) {
      const used = client;
      try {
        return await call(url, method, path, { site, client, ...parameters }, body);
      } catch (refusal) {
        if (refusal.status !== 410 || tries > TRIES) throw refusal;
        // A process that does not know this client has done nothing, and has closed the connection; the next one may reach the process that
        // has the stream. Where none has it, a new stream gives the name of another client.
        if (tries < TRIES) continue;
        if (used === client) stream.restart();
        await new Promise((resolve) => greeted.push(resolve) && setTimeout(resolve, 5000));
      }
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
