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
    this.#timer = setTimeout(() => this.hide(), error || (action && label !== 'Undo') ? 12_000 : 7000);
  }

  hide() { this.element.hidden = true; }
}
