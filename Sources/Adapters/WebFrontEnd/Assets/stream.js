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
  const ended = new AbortController();
  const listen = (target, name, handler) => target.addEventListener(name, handler, { signal: ended.signal });
  listen(document, 'visibilitychange', wake);
  listen(window, 'online', now);
  // Without a network the list is as old as the last event, whether or not the connection has noticed.
  listen(window, 'offline', () => current?.abort());
  listen(window, 'pageshow', (event) => event.persisted && now());

  function close() {
    closed = true;
    for (const timer of [retry, watchdog, sleeper]) clearTimeout(timer);
    current?.abort();
    ended.abort();
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
