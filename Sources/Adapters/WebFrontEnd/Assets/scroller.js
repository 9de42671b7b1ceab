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

  /** Asks `send(from, count)` for three screens around the rows that are seen, when what is there does not reach half a screen further. */
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
