// What makes a change visible: rows glide from where they were (FLIP), arrivals fade in, and marks stay for a second and a half.
// Where they were comes from arithmetic, so nothing is measured. With prefers-reduced-motion nothing moves; the marks remain.

const GLIDE = { duration: 180, easing: 'cubic-bezier(.2, .7, .2, 1)' };
const MOST = 60;
const SHOWN = 1500;

const calm = matchMedia('(prefers-reduced-motion: reduce)');
let pressed = false;
addEventListener('pointerdown', () => { pressed = true; }, true);
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => { pressed = false; }, true);

/** Where each element is on the screen, the rest of a running animation included. */
export function screenTops(elements, top) {
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
