// Written by script/assets from the files in Assets. Do not edit.
// swift-format-ignore-file

#if Web
/// The files of the browser page, as they are served.
enum WebAssets {
  /// The beginning of the SHA-256 of all files; it is a part of their addresses.
  static let hash: StaticString = "74c76b0595190f3c"

  static let files: [(name: StaticString, type: StaticString, gzip: StaticString, text: StaticString)] = [
(name: "announce.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA41W227jNhB991dM0WAlpV5ZaVEUsOEGi7RAH3axRZtFH9KgpqWxxUQiDZKKY3j1750hqVi5FGjyYHE41zMzR5rN4K9aOJAWrJDVHLRC2OlGOoRGPiAY3EqtYKMN2NIgKpKICo2dglAVuBrBaWEd7KWr4YuqNMnIIT6gObAzi2jzyWwGV7VQW7SgN6DJzFgQhq67tsUKup13xzkAWbfaRhew4SwsllpVFNNG9wLWnT1QiqRnnThYWKMwYt1gPpnIdqeNgyPU0MPG6BaSfGb03uZ3NllMJuSLzH7/cPUrLOHHoihIho/epmyEtfBBKd2pEg0cJzBAsIQ6TSr5kEzJs9ebQ2J3+h4ViYxukM9OuM7SORFGivcMYULigGgCfbYgh99S0Zb8HXt/crKlSEso/KlhMIfDXkgn1TacSeAzN13ptEk5RZv5DIFAkTb3EtL1v2zfs40Vh9ThoxtUqRXX1DUrWmodycHtZYnDBMSTVs0B5Aakg0puNtSt/BQnAJKz8ZVWDhUn/J83y2UIcwmrsyM/9X93RSGKFcz9xeLkeCj+F+GQqtmn2VMVs/Nz+FBVlqbNDx3PjTCHOaiuXfMw0Vhxi2F9gD1PSC12O1Q0WsGgzWnQZYPe2I8NFVxjU01DrSwOrsKAMfKW8O6UszmczygFUVUpd24Ko7YMqPKCpGGwbjj+NHq75cQ+r++wdDnBYSRa7yTLGN40KGWxfL7w1rfkOn0lu7zkeN9Fz2PcTgnFp3DJEYJCmLGvX+GbdNClQ8zrHg92FC3LG1RbV1OKBl1n1DjSMKwW3TU96s6laQbLnyMML9WKRRSfUonxB+fBgId09Ru1Yw40JGO9HspIHCzIV9ngMYC9E8bxzL+AeFxNK3Zp+rwpU5CqwkdOPHoDns5wmzv9UZeiwT/Jl9qmCS141lNe3obmOElodFcxT79sN3F0eNgvSKMghYvbHlb92ZED96e0T5k9MQD/vQLj7OhLy++0VCkTStZPebgDdz7hQMJPwtVU5GP6Q1FMA629h/S0Q3Q6bVeWxZ2ireKd+kwU3aK1YovgeZU7t+C932r020R7gM0GOtWQGl8Ie2/DC0G3SJ7V1i/IMwa99u8EnglssA0M8QZ9+lcHSWpZVaiID0yHA0mORugF84mBnp+x35OUbJ6eTyxYExSxUM5AlI6YagqNWGNDFgm/uigTNEazh41oLCkaSr468D2Rt2/YEDOMn2e25aDmKS4G4YEJ4p6ZLkoXI9t155x/r4Rc4N07hihIPUrsfB4yZJaae+BkeT+HuHKhcAIPiSmjG37q+T8brW1sAvHzrhElXhETVgZVSvHsTpyikdUU8jxPY26XcBOebqmEm9vsLZ++lx+JUWlvttsGaV8YwwHLt0xCuweUx5gQFTHK/kOC5mMOHfn5A+PhCzXhxuPhyTBJFm+0Px9eeMSUaYSWGkPt8Ja0kRTE9yRJhoLKhr4eBj4bMVj2v6hv1IVhgC7h4vt/6MuCovxEP6f3WFAbWvcKEF6Ahd/OfwGx39zpmgkAAA==",
text: ####"""
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
(name: "app.css", type: "text/css; charset=utf-8",
gzip: "H4sIAAAAAAACA7Uby47juPHeX8HMoDH2rOWRZNlu25jFArlsNkAQZBMgwWAOtETZSsuSQlHt9i4myCn3IH+Qn8g9n5IvSRVJUdTL7V5sYMx0WyoWi/V+sD+8J78/MpLm+SPJYyLg94Ie2JaUl1KwE4nzTJQzcqQJT5OMwa95xggNQ5YJEuZpXvEdSZPDURCaRSSi/JHsL/INd8rwyE5sTt5/uPvwnnzLEKzEbXh+LgHmxEjM85PctQx5UogZ2bOQViUjBwavBb+QU1UK8pjlZwQ7EfZMQ5FeJNK7Lc9zQX68I60Nt5ogJGYH7xynoAXj+rGDjydv4wg+4Yy89dbeg0enCnAPh+jAreATIBzzYt/XcJwmJetCxjGA+b4f+GsNlmSPbRgv9CIPwdgKPgsNVuaxaMOt1qvNigHchm5CWsOhFNpwLICPi9tGfryo4ZR42pB+sFyFDwD5EO/9ONaQIunCsQ2LJV/gICzY1DvnTz0GLuIgXiJjYt/zAw2YsXPnxKv1JqAAtoojl7oaLDzS7NBl4Ga9ClwEZYv9YhkakXTA9gt/5SFv4vghflgB2Je79+RHss+fnTL5IckOW/idR4w78GhHvtx9OiZRxLLPABQlZZHSy5ZkqMe/SE5FzgXNBILt8+gCICfKD0m2Je6O7Gn4eOB5hUrxRPlEa9J0p/StfghihkdoKrBq/rBecnb64M0DbUROlcyIQ4siZY56MiNvvmeHnJE//OrNjPwu3+cih2e/gR/ke5qVb+wv5Jff/Zp891t4VsI3p2Q8iZHct4DRPlGcMjgt/u9ECWehSHI4BRBanbIdOUrr2xLPdaOn446gQOM0B2kp5iDGoweW7s9IMSNRCv+iNjfwgMhhMLAkOwIZimuVEHk2g0dFBfYr2LOgnFFYqhhiQDXLekul6FBcQFzxTMo8TSIiOJy1AEQoGi1NTqOkKrdkXTy3RYOy3IHfiiIpfHe+AAHAjxUKAjaueIk7FzloOwN/dT4mAkRR0JDh4jOnRUPOVuo6EtUTvnwzbUDnJ5pkg5DKArt6UiuPZORZC2S5dDsYDQVxkgpky54jKHjfcuLN3QeLgk+UJ9QpOLxi0cc3glfszedBitDSu/QYKr/cbeM8rErnKSmTfcoAQ14JdPhb4huZdBZpCCeP45IJKTzE1NeDvnQ1O8GdTV+WrgJWHnfaFvNSy1mK+ZxE4igV/N7QoY7VUKO+/6TjOfp8iuVJ9kRh0WdzPKfFWXBakq3zgufAzxOADby3DArchucrdYVVf6kSJrprMEoopGWRPzJUvCIvE2XmdA+HqARr2IDUGqPHL32LD9OkAKVE8CSDQ06W7r3c4W4u8gHfAic+ZA7YzgnkhGxCYzrQAsmXovDkASwJrZqnxiWD3p5GlQFOl9ETK1/YfE9LhtIx268V705J5hg9kE9wMXyBD61EPsSFEW9w9NAC5WrlX070uca9XN63pKdO2DLrFZp1ygTwSOKWDHHcueshaJ8K1FCnecxSkE2ZlJIjIRiCKDU5TnnkMq/YbHaDCiLJeEIthZ9ZdQJvG26JoPsqpRwflK/dP02e2Dgz1mhvo4T01Pv1W2+3exbnnEmDAKXDqPLu3a5RkCSTlrpP8/DRGIBSycYG6u8dd7NE6lWQc3gNGSjInhNqTBDp6hLXh4dsyAbPSzECrphqHOV82bEOnS9ZyI4sjW5CNujcNBNqVpGFdLptzrjNZpCqYyw2G85I/by4XGVAn+6YJimLurrs7ciw/7TWXN3ILAiPSaFzj77udU7oaX+rY69e+urYOVdxuuWPOUupANprB+SCuRJv03VSm9rjaxRWvBjy7T9A3IkQHZg+eGhwwjQNJxjxyFdabYGiWo077lApujFbeDcJ0EfOyMZ/Ok/7fhsYN2IHJhi/LrRvlJah2GmEpu6SB1jo439vXdf1kRWFlLBJO+WhANC1EmwlTsiwF0tSJc4pz3LpvmfE/DqYodc+xgEOqmjwBSNdnpavi3VNoFaL5ynds3Q8XttQW3YqxKVbiVhg+1p7TYLousZDpSy2HBSsSUKZQA/kvir1HSToTuetQ+o6UE5I80RVMq5Ubn3gSXRV572WArq7W0sVwH1kNGoJBTfbyf8dEAk8g5Ct4Evja9TXaS0m4geobw1rtLUgf74yboPPiFs8T6cI/4o85fZ4Z07zNcEq9cb841pMVOjqukt/hfWZzbB2MFTW30+dGwt2e9YquSfpkLZgVW6vC+E2uYPFlTKAAXs1i+dQDiYQ4w+w0qZIejobjpZgqnhGw5d5xOpnXQM1m5hVIKPtlsbKmTe5Bvnv3//xTkJayEZB/6lAsbHwknl0GYldsDxNLU9Fs/CIFCsemapFfVXQoMN18aG6YKfkeQL2XfLDfmZrKAmW9zO7sp62y2w8BZafpBSQMiq+gi51IlsTjWTNgHblam9alZjsshQM2nJrpbLvESTao9lRS9fpDnsCskoLE0rUrt103W+wliIJHy86NLpWuPSbNFBbMZP5QncndYxev2Ao3cia8HdDTSMp/xqs8+l1kWbdzmG7ZiwzGOO5RgoZa/OxTPqKYOYPdurUTie13+smkyp9Vf+7Frk+PtkpnQMqgGHyV/Tlf5o4UIhPCc8FfJsEy4gdGs6pkps9g4uLsM0R07TEPkf3TBZmjcixMGFd2Y2tK4ytr3BnxnJtL4ScUpoOtRU4HlmujWQDwzHilpJN4x8MIS8Wj58iKqgDOnzOPg+4LSoEnzQgo7luJwsxAQ4W3W7ebUuEpdPdzxHnB81ozFRGDXfUg0pbxsK/7UF7Prl2HhGLaZWKmj03dRUlH/dR8jOkCX39HMlNccu5SETKRsOjArkagW9U4Cg56c3ATPCLOuxt0WuNvLcbqboZJuONLClt3o4ik8UcGH5PkBauocg+4iYbva6jTq1Ursm+Ft2W5ihx2tL6kboWxFzpl05v9Ld6+KGrKhmXcVMZmruhCG1Ld3vPiTgCARaWsdL3JfR2NYzaPhBnGh9TguZMXwg6Aw01V5UduD0XrR0spTUdl6qAvdgYWKsvccqfRgHtg6mdR6yl3lh5Wo3/c20tEQtzTtVpgbuMq+Zl550zQqMEM8tMRzpQDel5lZX0CQzAEKaCjLikOKkRYKmhhDtT4DdYMBjdT2uprfz7Vj9tOdBTWQy37xv901RsM3GEIyZpNFlk0w5Ner8guB9ZEowtWXv3miccs55hWbVicY9NdYF+JeVduPcm6bW9YR12RnytwmymXjqaKr8x39iBqYWg4V0JVDJikvIc+8riIhNFX/XtM8qlu+4V0CaJriFUzB4qyTG0bIkKMCqqGh1pp6cmBRgaJpqNjFbqTrxrRjQtWlCcWS4mCn462sOzWlgrRFP317ympXMF7ZX2i7VKrdBqN+3gmBGFZEr+at7oJ4Nm9Z9/k3dKOJC/WqrqB9aAwu7Z6vxqrKc23o1rxKBYYbIfmft4Vt9KUoI6IvXoWkECKsdFa8pj0kAT6OZ1G/PoN3JuD0jm7srOddtTEvQ0psSZL6zyV6kizS7nI+N67FBDLuf+mO5F6c29o1OSAdLJUjZCkW1T4sWDYy1AOz6Tk7PyVopWcOYoGxo9DfZ9OSuPsJRmyUnHB/UIyieZM33zyC4xlyOxGlbemRkNaNfizRdAGOe5GJL6kISlazJ603MOBllnkD/mvuKEpc2dAkt/Hpo2OELU7dRuM+v2gqq3g1/vECUc7F+1Ygf7N3/717vxVv8njCp5ll4+v9zDMrqhytd9VV7MhN4IwXLhS+kkooSm+eHVU3PPf2Fs3r190VRG3Za8t4IdV67uyQdSuyVR4N0Af8Tz7pQE4RYqlWJZ1Xg4HDEs9IghkCOGll75Y/dQJJpPedG5snO9a2y7hrWLqGt65E0Ai6PurY2b/kDM6qCuLdfQ14RWVdi5Z6SoqrtBo05bN2l10p5XBST9Elur3b+0rroYPW8Zhe4hjegmz1P2MS+Ql59HnYIaJoxM4IcuZAyO2+TNjl5zrUODMpa6EPuI9nL1Qkv3CO3yecDl9sC3ccJLoRJLO3xh76TiWH0NQfVKk9GyAfID9n/oBj3uI3PHqtbG0WHYbc5EmUOdXfkDM+FlZ6JidHQk4wXHGkNeLWyd1fEEI1w3oZMzycB2GDaOYmgu6F3ZHlgmM88mKqW0KJn0GfK33qUhcYSyO+r0OFT/xFLzQKv5Rv0I2rOUl7xKS3UCuwE5oK3i+CrVgQUD4bNly8HymjEPmCdgrD2o5pZyVErHnVG9Fzkt2xOQOHlmkd2Wd+uKX97CMHzTijHUKP7jxFGXlCytwfH1bvC03o1+q39NycRVtxtXW5dqV/6Dj5dlF8vFw8IKs2/jAD7+0LR7UUfWhcUlk0DV6zdx6MZxO0wPtkPs9Vema1ezQo1lzqAA6i63j7umXuit8C5v5C883T3hLK7K5kbHQGRuzzIG+7R/rkqRxJd+oTlUXTcDBdN/1jTclofefXNikNGQiaVDnrvZ4AAC75Kr6sikaP35Uq2ojmclmyYYO7WDc0auw+nXpuR/6XqFTpfGhks1wS9cGVma7gWar7pR0bLnVgK1vB8aDV8jpGs4Ac6AAtUl7NqBg4YQtAzhy5BU1piGaqGoG4n9zGc9WpzAovouYb/3AC/NtZ3mjqC+NPhFbaguhjRrFZ96uipjrLNn4sxU/moW74caDeZt99qIdTN6kBuLh4YbR5YWQ8ibhVB/xoyXDmdRFbIIEoN6DI3fFZr37cqzl6tKt5uMvLQ3Ay+Ne8iD4Bw1xEG3JtV0lwfu3H4L6paqEULvvq2v2puAwW7xt0MsYopoeWQtVHKRfTkPMufh5qdNt0MjFK3NS/yzFfnnMQn4WIAlcvAww0I/PKo/W2EcXe4Z5MZK+Ucp84InWSfhkapqvJUCaGcz2iVcTWf0wk9lCKXRxzc8P8uyQF741ptpC+0jaf5EoR1B9lDQPjqyDgaxPeXYKTE7lSeaptICcirMrGc0G2nlNAaJkONnmceMDagV4Bwy2720x4EB0+DS2xLl/wFN5X1X4zQAAA==",
text: ####"""
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
(name: "app.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA6VcS3PkRnK+81cUY2cXgASBHK3lsJtLMaTZ2Yet1cjiKBQOTmsJdoNsaNBAL4Aml251xJ588dFhn9ZXX33175lf4vwysx5Ad3O068MMG/WurHxnVp2cmNeLwqzyu2JibtqyvutMVXZ9SkV1kZrbsuqLNjXLol53Jq/n9KvrqHVn+uau6BeoRPHbolhRGY2Vz+cttTHNLX9iaFPWpuuLVXZ0IvP9YV20j7YF5jMljc5tbOmCSpv28Yw/bsuW2tyXXXlTFTwfSptVUZu2eTBNXT2atlhV+awI15AdHZXLVdP2ZmNmeVWlZtbUdTGj7d0VddHmfdnUZmtu22ZpouyE+qyrvsu+76Iz3/MLrM83wnJHLT6r62ZdzwCL100+aJ1r1ajHrxSus0XTdEXQXgA+av0Vn0VX9H1VfFZVQfNiXo4Xc1PW838sHruUzuTxy3xJPfscYPO9qGK8yRmtksCySA3WW8xTAmrxRVmH3QjU2u2I4Ejb/KdvXn79z+bcXEWy7Cg1UUfj8V8CM0G3w2+ALJqeaa+bnHZ8buriwXzz9RdxdEJNqmbGh5Et2uI2sS0tKp2bODHnn9oul0XezhZf5W2+7GLXs+NS17cre8yiQ8RJRtgaRyiNEnNxYebNbE1Y3Wc3zfwxm+c9rarPuBfVRqeRHahtmp4Gcu1pnJdVgZ+fP/52Hkf5ahXRrEdV0ZtV29zRqtK9NNQDNUAtiixn3EVxDgBZV5WUAbGJFAdlQjLnZrOV70VRVU3wnXdvizl9n8rnupZpucy24UPmEhlXNliV94DUhn7Ubycm0tnpVGiO+YTb0i7yslq3hf2knRJOLbuJuZqarcOItsjn7rhe3XxPSJABfV7WfVsWXcwYky3zVRzXhJrc7KpmJB2eFNdOk0x2EcdXqbnPq3Ux5S780xyfy0aSxM3fFTXPvyTW1MxxAv0C/9OhFDQOEQWOG2McGRNb2NOB66aTDCO8rztNd0tHyNzjoSWUiVfrbkHz3uZVR5va0OCynrr4Y+9xfYC4NIox5a2JGeewF0K6hHvQIiyupozI3Pa2aU2sw9J6wCgZnAmPwvjBoJwGgwhow7oztzZhqueMqxl/2BVJjQWv+dnPzDE2GC4uB5FzO7cPYHtWzv2xBM2JdURCD9QiWENv4YOG5b8Q7Znrk4tnGxRsrw1h40lkx+e2GNyRPI6HQfGhGbMBKz+u+GSIoPH3ss8JpBhVhYUUTGPB6YiWiElofVuhZxyuECKR1fDIL5umjuWobasffjgHk35dLotm3cdCBGhghgPZgkJwYJuavzk9lUlVPuJI6OODD8wrwsvOi0k681yOUwQjMWn6m7P87BbNA+Rs/tgR+fdlJS0go80i70xJmC4nC5lMDL5llLprmjngW/IgxH7XXTHPzAcnfsMgjhhHkhKXyHvlHzTC7S3tl841wH6SaeuWhAB99+0a4gP8RwClRHaRzSqSerJ7gNliIjrYsru2KBRkYF8WYRhJFGf59w8/mOcf/51vkM+bFcZS4k6ZqwUnAUyydA9kWpKMSywXHqzMBLwZraRszJtRZnkzQCQlljvbXUipMsS868q7OgbfBUB/JJeVnZitrk0VBTkvRuBhhVIWL025qNQTin1LKEFKklkRSwM+kyyDiuY1LUh6wTURZFTzyJhlHhakcxGqAKFuCvqtMiXjseUIeLxzlisZr/kczA2Ai8BLnBRS6KOMzxP6HSrs9y2JXMJFol7+FLy6AIuZBMD3Qs0fkqAH0UOMstRYXOBjAcwt5iquWqACOXj1x571Sd+sA6vIQDlZ1yyLOCYYMVrRX14TtoO+SSLTt8V9kVc8XDC68FGhfqC7VoUUFDAIYTIWpfJ5HIzkFJKciPS+UJ2ElzHQbZIAmMpwPLXQGmtGcCEObJJaMRPUIpmMzwnkYknCAaYD8fTrtj7T5sGxMze15YR3n1n9G0zFsq1ekPEuJwykkoZUIxTXDaRml2nvgK8S7yYdM1XZ4VHrwpwSYggrRZdt6kkxhoLntxQwF1ScPbHT8fYsZTNQ7Uc4iODerG2qisiQOCzUmWRQO2/zh3i4SuW7sVL8Huifh2uytUNwRzpKdDasVq5CLXR4X89KqZCK1mVF2zYtiIR/TJgrg4SWxfxxYkfI5NtRjuwBgDJyPn7LW/27j3MyWkDisRlHDIeETTV3iv+SOM6yoMKaxBj6AlfOvDicN4XDEAAqH2otdq2C1gxBoIdd6ECsMQX63TCt7uv+HBLneIQcenzu9MJRWLcRBsyLCzlyMmLj4/4FsYP/7xGlJssy1gIeSkgKpm2/Ud3Aup4Xt4Rm8wFWQgN5vU8qNHQWfAIz4oUkCAjNC9UglB+f6adoJTmb9wvYmlBZnHpSs6IRYEdMCsYNUXkqjoPtkBCOReMckaRqBmDQbMesGpIjxGImrNFh1RMeLauK+g4K/TLvZ0CnicwF/X9Qr7ZrQWLZ6jTYFMRw0G6aMk8mGTphBf93ZNUkKVvLE3NqN2AXyXoJ7Y6XCcM/r+Fz2Zi3ZK/TStE6Im2JtMGIZ4MJNuQRALjqLkOwKFQ8U7AKVSBPgrOWpViZKNxzh1qdtyEWFUDnHfAxMn2rx3hUI6ex0R2y/ictQqKQygx7FxY+L6o+j8I9WDtZ2wZ8hs0IKZ3HgPwlcdgrwnIddb0ifkwqCdwcOBFfs2zu4drwBUQiKJomfv9CdIxtYS/mJ2y/dNDJkwOrUBMnGDCU23qQ1H8OXFehJJMxp4Yu6NDbuCIrYrzzICMWGW8IWR5ytiximtBzXjuRMn430UgayJg7vdpiRjtuaVt7+jDv3u1DfIDMZOqycUorE690d0VOAnV7xrh5LKh7W+RQSn1nLTjXGm0eKDEiHq1uEcO/BN4IZVJt34kRNs+ENWEjIiVlIwX93xMV5qJIsNwQNeLnHzOaqH4k7NILMNE0t2KifUaSpCU2wH5J6/YS9WbeQHIROdKkDyh4IEY4W5CJUZsqF6YFT53zaLKxNiOBd9eMTLARA98cBdIFPrdAtuDTSSYCYn5TVMRhvi37Bbhd4JnLZ8InxVQVZAaPogEmxg3tGCIxuqgmvhjhdLZnO0sgElGTX4EQrEmL9qzrt2J5rLt1Xgkkn1iZW8hgotQuGQdo12Yn2rqTeh2a0bUAm5dHZETA4WWoRdDUbC9DLcHhVEAxOrvbvMUff1Y8nFjXwwPTJRNReAOZFf5d79AeP5kWFfq5AS7qSukXBqVtPuUcS5xb5h8uX31JKgx8++Xto6IPsH1UwcMnA+VobKs71q5Wk6rBvgpmkAnsNBKsVteD+t8z4O5hLPfNyhugVdO87UCEVrFLmWyoIMcJpKQvVFAH2Qxl+6xvoEdk6ivoVuyiDXxPQMV4qIljxk+Jtkl9C63NhAgeTo0JdbcejYm0uCsa9IplQ4n5yOyOuCVesRmSgup68JoNdb2BTxZrVrh8u2gYBFROW7aqrjPItYtTt8jwzmdvAQIHzQ5OMOBopgs5Hq0kXAivbAgCBaBfYEA/Ay2ZkA9tU68ubwNfqBPZCLeswYXLuivaHjJXRa/KZlZWpYRZcEo6ZEW0tvWcjUdQ++6BFJRA6RNkI17WlXNw/hi8lXE/5tEusiuUTIF/pO5/aGIefViMgUbiFHYHlD67avEwfWhniiOpiBK3/In9sdOUFJoCsQbd+cT4ZioxRXWYWJDsjCANosSCGRQk7O7oKO8e65nxgO/7Ykk63UPTvhUI9oQVokvZwICPeClhiENDdWXn8RINEVqFwWjqMaDzJJUZnjOyU/LK6mmBaaI1YpoAwpfMWVyPg9aK7TgyKBmL44i7RCAGO1CiisNL1LjhB8u3PGfrRDRiYSKSBapklzRw8oPQSNR0phFqA7/vraDu4N+yDi8UrGCUjp2jbT4jtUcw0OIu8TWyiJY5An81AcfxDiql1sSHQjvUaelhE/UUBxC+duIL8ub7dWc3Qwt6Ba/JEkbYsw2WsjXv/vTnZxsesC9JkZczh89q++5P/5VdJwGFi9tVQfVNTUpLCTvvltkOXMRedWmWy5JwjbA2B7l3D8RO4IEXkQj4gDtbpAIsLDuj7kO4zYmBE8lpPDn1nUipZQZHhE9WaRN5sB5r45AXMP+k5bm4dJdzZBnKP/aB9RNLI42NoHzGDgS1THNzs+77ps7G0QgdKtMgQXwSE5HCQm6K7oc3mXnz3dfsecA47LdK3mTPThA/CKSkAxV0Xrs14rwBGTraI3xgKh0dOJZzdTolOfPNijDqRQ45TByiZ9WnKmlpz5muVJMSqJ1buCHq8Q3/ICXr64J+eLXKr+5CVaycNecZsQ+nRjFOjDiNsLu4nId6TDnvRPxicudJsH5b1JLlTEaRFZPHVKRGNMSxUJByzC5KwuNFSzrCl/lsEfOstFQeFSo4x5Ygth23DQ5AsfNcmZllkbJbjvJFX726fI34dL4qT3QEAucWIMWitzLcTkjn6TXJQCins/nkVN2RvG1ZUrg9cQcS1VSwXFxLzFDWs2pNVTaulkgcTkzQXxF3sSao18+YpHSSfYeHUydtlqhO4oLdjIR7aphBgOzkHO2hhSdsdT4kTjQDxY8jmBhHMA/eFvby7z/ka6Yb5k08K5gR697XSbIr4VW9dzolYRR0Mi1+dYv8BKedTYY+rL8KCRRADgsETLSRidnZ44VRxJ46+8hizIHDHh6PB21BrHbWM1Sl1o4hFReBmwQ6HlGI5o1oA+HwqY6TcRuJsTNjEMVIuQSWyJM7L8fuJAjWKnKx8qfjauD2iY6c55GIxrjHqNkXBdex1fiwjtiJxg7fN+H36+Uq0gDHXfO6scPdVnn/VajZPDGG+poZaU++W/T9qruYnJQZsaLejrduoXc8UJ/mYQATqiDU+f1NlddvgUR1g9qiTWuSxSRAWzJmEydbWVDlpn9cEXdkYWMd3BN2j+Yt3BKshNTr5Q3nVmmuA0k0lsJhwhRsXhro5nEoWO8aknRBDEfQ7K5t1ivI1F+T3dBEIf6xX3froqrQCwMaxKqo7uS7+M38w/hi8iajv8lF8tNnJ1nxx2IWa8hcWQGaO83maiPzplZEXT/bcIur59Ot+WmYAXZNGuHaGfz+RH+X9wvSW4i2OeTWkSb1PDEfGC4nhhvb8VLzHDrVCf8hpXnq9wCAYgc/ucAekp2FK4QIbvAyUWNChZ2Vo/zZhj1I8Zd8OlgPTZwkW2zE1mGRyfbQdqSLbCJwYckhn+/OKqwS2RDglKQGP9tw0IkdLi+aar2sOV+JPRLsOxlNDRJRZAi9IqpbCAn8hJGf939hrvB3Sowt/LYOBvA7+bVPvgRzbf4SFvzrl44DM0WDDTB5BPzUslMPSikZ03pIasR4aGaInAl0tWaYS9EvrINBVFjOiGD55ChN87lY4YYiWfbcCNoZ6Y+kJDEsRoptgVlHGhJiIOd2uEzFDGkRJdB6w9bJlgGCX3wmb8jqIbHpv9VHr4EpHoc39DXwzRluYiByQLCLlWNbQ57WcOF0APpKWSmD5PS8nrvsnix7CljVkrStzV8rYXmgQMuSAd8jON+bSyXO3okuRrL4tiPUyXIX1t9JZHItJCXF5hJpokaQkSTAUc4IjYBj5xpjir7mLCdVBuj7Un5Fkg9IBUgljUCHOgLRMDI0XcZc7B24oOp4l9RtGSmGM4kiQM3/iHX8CMbBTheuSLJuVdEJRmmUENnbBXCSQadA5fgFxCHOComlkVesU7UpUsSY6e/Up9wpymkOAQnIIddjc4HMFKpbr3ZrPpIqRL9+Oe6KwtjXf7PardXufTOsK+ZUF1FpxNU3Ddl5yz0tpEIa4YAvi4HbWeShlNmFtMV92ay7p1rqokBPtt6Z33Rawh9sAWv2E2v6V/M44c7zos/LqhuMr5LJE2s4RsoZgsgkCnrIgKhiK2G3jj3SfDb1/s6S0ciDs2vQttC4tWaV8Ajw3x8KJXA2U+C8FwMzZesKps8IjmINoZrQ0dbxvuGn4wog6MRY8ytW329ofHJ7NIsDECsMj9XmVG9QlDjAcocQsHocIAPr7ROAzRtiOMwmZX2s3sc/jg0qMTEXhEYOaseHUBdPiV9//QRtsW8CASkPuWDUUD/eyYn5XGL4nD3P3BAxFSsj6eQa0pfZ/6WOEJ8tlh25RBONVfrf4v93PnIzSg7ZtxebhM8L9COFyb4aSJWNEBd+dBtx+l43UGclb8uGS4LMLZdrNrC47ckfXmSd35d3ed+0ZH6Xq5smb+cZM9PXxEVYBRQDjOxm4sedCnf+LRWiJVEZO3Ocp+nqTf+mftNOT+7oHA349vcN6bjRmz74TZqAXVvoHnzRrEpCfBJVnMEvq7ApDVZlQB2pp+oAZDB2fCADANasMFvxZE9Ljc7oEuLp5jHyo6Jlx5rY74ap3RoDdy4qMajrBrQU5VaERZyI1xaIzfLUOGtuGSiyY5YiaoONHR+aw8vJfZNcf0TQouYjnXk0lW8VTDgNENEyNg9FCykbCB1CS0tHefDxaAd+tawi0HLjYSxV8lYAeTcigsovFmU15/zPFw2JmrpPDmzOs2MLy2SHukhBLf44wo6/TKMPws0bnxyjkfiPT0+t7jdU8y0E2Vq1S/Wa2hCEV/qprqyUA/zTEVD1PkvMTRLo1lGMYHYSWWQR+w19k33Wmx5mrJPtBZfVuy330eTQA/Db4zFVdvmjIMuTRaJHD6G4YyCAz8m0F2IbWM8c5idT1Ov3CmBuBOczo6eM7Jwo+0YaHVk0HMlyQ8FsPSVAXTnjoWOyR2NLuQvs3Wh4RGP7ZOs45GjRScgyo9eLUmL87KzBnTYbr8gif7TWXBuRgdh0V+IO9Dee/IUnzxDZVBAlZtcEFKEETEQDhLW9r1E6JgI+22QALOv8Y7+Buim7KzfKlK+BddIUxiQZ9HovLNaiZKpezJBJWCuxFmCeBfvmvDbauLMVPpvP3/3pvyMa4cpZCRx44BLVRCQCwSWQ7GwTeS0h+qIIfFt3iO6zSfMbZIPacunNHAkDDliDXwDUUF6BzycZZOboGooKfoYIN+Wi6VRliM+o0Is04Ynl9beQ8Jz/KYZTtsg74d+JHUD4kaA5H9KQDblzir5Cvp89HHckfFNP3QJXqbEBm6kN0bA3XKVjcvV8ShSaDE8OcRxHA4Nja8v6afs5dVkmLgrLehM8sh7noq8wULSzk2ANoaP0+oQnJgua/0LS7vGXRj4l1bKRF0oh1Ay5feyv4NyXOyC1zRNkvQkIBdPE9kkHLtRPTn8Kp416UiOrL7AXVrxcnZRtPckDPXakOeOK3qYMc2+Gp/Q+fJG2Y4xRt99bvriZqzQbIlDoGbSIwzc5MYIiULKDC/k+YUVKUb4q3Ab97a0wt9E2GvHRYU6L0yaseehih3s6gYiDLuIU2d/heBQZs3x7gdQIu5FteBHPIj7iNT5kPCZUCaKNjmiPULA+dr7QiPvFKhB4gUNnm/CKkbMtiEX5a10LHszfi7YuFFbi9KKT35Akjg6CcJLjPA6/HXPxrsNM/FI+3Zk7jtz7tJpzsZd+4dtdwE8ferPFv612hW22Y1Tgvl5ge4zrz9iPA3VVsqlDFdUuLHOp13zDBOvixTS3W3F+6/jSWMexNs5VKII9u5eFNbfBplkonFtfmnyKVuFNse9uHo0E9a3vzLz7z/81UbAPmAf7VW4anEfN8h7uID/qR/HVd+mbbvphwibes+fm3b/++2DMJ1X5/XCSqVSj+9Q8J5hxERz8NmVTcNMb38yC45HDnMYmjmtTz+Q+PR09nwMnwuhlHfqHQYd+bx2REVZ8bKS7PoJi50U9NMd5wE8lwwUYPKraReUrYHH9OA2c6IxUZ8O5FMwMNrKdYpIXA34F7UcuBcWRDzOQhfdlQ7iFGbZCBbRR5I6IkwtmX4ouki8S9IteVCRGgzy9CPfmkdU/q8rZ2x2Ta8Qkke7PLhnWwPYu7HUAcLfEx6KXRYmMHgscwojhYmeES/BPL/Oy1juuNDSpbcGVP8jnALCEOhDVezYDPsuaX7B8l4r6edMQROok9JPnd7giRQq92rmbML7f1JxzEEb5fgk0sFlT0ouDeqchf7Vdf2H+/lRYhJZsTYcZQfJUGIxre5yYvz0ljrbEdTNqd3bkb69rLr1zx1/ZhL+BIxweQHaIc94eqfmk4a6JtuO+6REpcwY9fyP70Gm6F5kIC8lATDkL0VNfGNt9IEJdSEosfS0bXOdDOiVfn6HKOV/fLR6CzGXNk9ebvmwWjDLVlPwHIgXmmdz0d7dP0yCFX7159lbuFeLmgkFqxk3ZBkIbMXzk7wvNsstXq8KlTD8yHrvUoyyaevq3t0Rx90CuCNZ3HACLhzdIuTi4fGhVmP0L8266pubHLC6w1qbDiV6HU5H5IAn5uHNItECYEbs7waj4EuV0ah45OcYbXlCAAHEpenINm8+CM+ck278oatq1an4Tv5aoub1F2gZ+/qghJCnTaUt7YMRpzrbUXyg6fIIKFSQN1m+3BBBo6jKTm0cR5PAoaFDMI/d6iO1hb6w9/xhobws15ZMl73AiuQdzaBbUYq2Ctc827g4MHCiiILgiqAWaSYubVerv56gnCUabDspR82gBHO9Gdmg2Wpq34FePr5k7HVomWmCZ+Csa1LgvZvVsty9nxc5cTIfOx3J4Krl+w3v0v11/7zmeelWDkZdlgwYhr/kpkGcbTLK99u86uMahJgKHvHixDzTw13/DBpxrdq45Z3zyvgXsOERlP+v7tiT5RTZX3pb5R5p3SxvSpOI9EYFghEOak/U1/HrgXhDNqGl6AcUXnDLb3N1VNDuRYFVEqXmCP4VVcvlWU/H0Crbd8PUQTa/j4Js0AX7rItp6FJH0uOthgr1eE93oRe3UKFm53OmAtc9YNTnfr7dcLjjR2d66Ye/KXmm/sQ9pZOGTGcGDGfLOjrxeAuCeALDXJxcoPyepTH8QNvdB9baoGr4RB/VBDT8G/1h5o4WrwuI1GAtjZCtS/eJ5sKnRNV1ay5dwD3VdqaftDbsZEv97c1PI9dTI6VIj9Wt3SNjHg2eu+nGuCLs5SC8PE8dpHL5PEIlWwqe2JUILGeDWa3TD+8pI2uCznDh0D3HiZl26SJ67z6B+HvcwVbxrirHJq+341arY9U6sWq3VoInYvW20cfd1JxLLlkXrNYcgVnvbkHX1EA8c4dIWF+Cpt3vjQLfN0RYfEBmFYXw4yrnAQEg+OOMCGXpdtoF7wUfaBm9KkAoRxs40xyq7tifAbofCR0i9eSYV3qw5DmLWeovjbH+XITdyJvZuf1JP7bd59+f/uA4uj26V2dX2CS28DRZvQkPAvj5l35vCc2cIHdudBe8bkX1ESDx+64Er5UUiRBuSv+wKSaCi75lpcA+WfX9zz2pGXBixfns7efAehrt0iqSGw/01V33/EINHMULYqqUo0JV32uLN8MZOLPL3FncKxDvn3qIYmZvsU0DWzvg6XbrvARcoJTu2Ig9NgkZsRp2VnYoDT5xF+uK2H2VxuAyNbZDsKCIBlk7gq3aRGTqtkqRcqw9lGVUC1HjZkSnS6YCtqM5o5dgdoe6Ao/PEzii1OcrBEnb8RjL/zkBSGTkKsSrHgeZcpUqvCkWnO28H/hglxPMDRvVsUUJkCD+wl5sYJFT5S3Vg7heuIx/n0+LQyid5c2CwBCQ6+UA4tZmX94MGnN84FJry+2ZeBuJuoHvAY5wOAJ8GUE133Q4ueLn3dAhK5g/rsgjg7XyrkQPYUBnmJRzZJw2YXAp55uaJvfZNU8lehweYuvcD5BDjwROFl3t+m/gSwWGAKdSdIoGMG0UfPLzUv6/Ymxh3h7vuLEQDYlCnhhEvtf5IbYkXOp6DrA7JKuxw2H0OITuVhuxglsD/E+fJ9d5hqXI06n7sL2fsqeZgmna98MfJIRMTXyQcsoYqL+SuNdFhBxMP6T1M71uCn/3dv/1PML8NIpl4smcNQYjp0DpsnFbXkng90eqm21QTBNpyrk/cKZImKoMd0gb3TdvizopMQVM6mIux7OMpnDKWsRap3lt95DMOpo53tJw0UKYcK6ZCBH39i2g/IkM5DE7bjGQM4jMOqHsS5hYPL2SqW9BVCJvjF6HcxczS3a8k1bmsCv/mj164502hGS5M9HKxT+kkk0zBl3itAeCDnhJHNDTSUemQSJwS7O6KXtMN9GPnrazh02OQ0u6Nrt3hV82KFaDIgn6Ugrb7+ihfrPHPyMUtR3hSvX8+apz3QVCUX62jIf3bij4LFOlso+hZEMx7/62x7aHXJa8iYs7qlbIOqmmyCwlN1WLvor0x91sYBvd5FVustK9UHQ/egrMuydQ7eEMfi4iBZPQEUli1L1ld6YTPY+fynjXTcCUNYhYeSkLZJ4zNsdh6JWoCMg5EEtgnxxiE/GwkknfOcfnvzJzZL3dhhb8/MB/Tnj/5/SlfVtHb1O7OtuPhLskKzxfryyZhCpA2i+x7J8HDTjeEXW9V3T5wfdu+higXsNXq5FMZlODIPjn9+fixq+HVa5snyTZJ2yzxVAlcqE11X2j6UvCCGxfL4zU2S2F7JP/Unh3f3jlESj+SkEgTb/l9AYti76OmvXFcx4H/DxNgZ8Y4WwAA",
text: ####"""
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
(name: "edit.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA61a3W7kthW+36egkUUkJRPZCdICHWNibJxNWzTJBtgFgsIxYI7EmWFXI00kzs4OnAHyDkXvet0Hy5P0/JAUKcmOW+TGHlHk4eH5/c6hzs/Fm40SO1krsVSdLpUw8FzpzsyFrCrxTlZ71YlmJaRom8NMyLqkKaum3eIfGK/VQdCPYiPrtSpFU6tcvKiFKrUR3aY5dEIaGC0UrIfftWjeqbaSx/zZ+bn4YQMvDzBujjtYrDsgCK9F1RATolWrfSerGW7Q1KtKF4a3W7bNW1XjYK0Ko5taVEq+A249f0AUONDdTBy02dB4q2TX1PmzZ3q7a1oj7sVmJrayPn6jawUTgXf8JU5i1TZbkeTncOwu/0eXXPZLSi2rZh3MWenKqHYwa61q1UpiLKCmun1lLMFn6j3NLSrZdeJ71ML9MyF0KRai3lfVJTx8QCcJns2+reH5ApYLcf7RR+JO7nZ3c3G3a5t1K7d3M3GHCsT/narLdKvMpilnoGWzwb8wRwG3cNhlUx4znGcayQtkYdIa3tNoCcJIZd0dVEvPBahElSn9bnZwujLVZXaXi4/OgRXQQ2fafWGaNgWOMjqKAKHrLodnYBn+XvZjqlJbVRsY36SJRNtLZiA1ksVcJGiTMJDIVstPKrlUVQKjXykjddXBi40uS1XPBWwJ2srGhHNZli/fwY9vQBioijR5q45lc6hhdarwTSYWX1g2QeorO5rDNHG2WIjkZVfInUrEzz8LfqO76wbU2+l6nYEpoSou7XKe0Jlm933b7OSaFJ9m7jVzRvTcoGN6zOdSgdLVvq4aWcbMEpkPSt2aY16peg1W/eGHdu9dS/+/UisJJpZmRP6EVrJW6AWvQGUpqMUyLs4iabE8L2GBm/81GF44n/cmc0TpkEEyfXcuK0uU5DSjZz2N/CBbsKDMy3/0CiwDlRtJEEwoJ2PNMa6kyXcNDNdrjBod+H4pjsrkAvQmQAO6FmuNAWG/E4coyuRkaqptm3ZgQSJS62lwHuTuKgf/POPzT3Ef+Kp/gd7CJDQ4Im7obECoqlM8idwr7bVmn0M/Gm9giY7HOE58vBCfTrgGKzsSsBev83LPB8aY1xzFMQdcwj9iw6BIQfB4ONEZeexsJJDdsS5oOMXjrppi38FeKwlHHdsI0oqdiSKJsHEuHZwmC+eA9iFTLLwU0C51OZSMH2mPXl+8Ho6DcekgIU14AVDQTP788g2Fn53GDED2AsR6M6EDkBstFoHEh2GB35CxUv4kjr3yC2mKjUhtisuiWPQE4lZQ6j1GUUsEQpA0KG9Y+fnF5+JKJG+AAB0Vc2sDiRWydIvZsFV5IiBzPL93i8klTqIfaMFgyqO4AjLJ6S4+1QozSZpgME6TXRS9f9prZWCEeDtl2dCdyCay2Ch/2qv2+BqeKIUky70xTZ1kVzlNTrOBnfYZyFvqqqkqELTGqNJbGEe+QfjBx96P/ZM3pSxwXNzCuiQjHBjpnrZFb5jBPl2+kZ0LB1k2DhFuOytho00F0CnP82Kjq7JVtbMUNgDyWM6jVmihKnRBA4NEeo1rUEFI2z2LFCJnZtUGg7/++18JQqI5kdPF27lI+zTko/5pOv+2alfJQl1bnlNgb6NkqVpk70RGs/ms/70sNfHNe1scxmfP0IRmfM4sFsRjwY0CjjeOkRNGMrwXFj4BzgSAeXJBxWMWG3AqDCgcdq5YpXOeiNTrgBt6xrAM6PhbucON85LRSxTCEKqx7srKCgPOF8zOV5U0SCG9QWTGyrklNdxYd8TFJhAezgORzYLXZWgTeAqwRPiXQ6pnwMfGj+4Krr4CmLrB0JAk4jRzwyMledyc4jNqCZf8+ss/E7v3bRadla0TgzrZIYkaUBKdJTZepm9nTRgg4lRePMPIRg47MEPrPPjWOhCKmkxt1TTGm6HVe17I+odWG4WSYU7S5CVUMOg7WMnAmR6d+xXYnyHIWvIvL3+3CrwepPW2C1d9TSGLyxyIx1AjIYUKpyVZAOGgUEI81jk4x9DKowML0SKYstKqKjsM3Te3Wc4lSpreoy5M24Bcda0NVDKoNhCpHc6p5ONMyu97JjixozA4xj6C9rIhagxD+O+Zh8dp3umfIirO9lEusAU0sM6O4E9P8eGkPAVAo7w5wJRgmZQ852KQTE9BOmS5lmXKXCxQV/+/YONzzylA+dPffQeh6Pm9P4Yzy7rZ193Nxe3pzorFM2h32telWoGbl30stdvCgUMWgQiaW4Dk2QbhH6iyNz1rcWfO5KAoL1/V1TGDZO/G3MHshkNl9qw+FMYpsI7j+CQ45sXWYRbeYS33Wwy+94Kjr+7+BuXhCb2nVO+jCtIGObWWBK2RvxuaRVIJi4IIuPECQljxewRqlpCrob4Qf7zAcvT85sf6x/b2HIy3Mxx947VYwy7EHZ3g+T1x0cM3CxusMjD50FbAAVKSoA6K/bre7Smt2GWCbAooz6ws5N40BRTEGO5gfrNawexup6qq2CgM1gml4AQ9QZYNaHhu5RehLwdOSkAUrV6qcnlMCJXCVqdPQBlLyOx3M88FdmTmwrL8rTSbfKvr9NPPZuIz8TEPFEpXaSi4c/GHiwzTE21oSZ1CoQXBj2UeS8uywak6Brv2FYyhfEZ8T7cqHN2oDVLqdxFlUh+lYHjJ2A1frzDEkB7ifN+Hdru53wvSxwuv8K08igOlrwpbXRBmsU8GhRwAloMEql3D9TJE402DLlFz8eAG2WKxp5ZHRbNwTkITfIKZx+IdsznzUjjFrREWUQ3Z+nG5AzE0QFmp1jzUG2Ja2CV4ECpvpcYBbBHAU7dfbrXxaBhzjEXx4CgvAFGhj7wGeslgD1ukE9Bot7RD3cDRdSnRTzg3EKix0uOd5lFX6oGmzqWrKGFfio7OlslZgQRgJ9kiQjhFsSmKcYiNHwvMPjIgJCRq3pAEr/Rgm0SHnSvIiut1pdCGIROg1GhhACd4YQgqwmyt3kO1AG5Ms2bcXRnOiZtDHt6TxTg52B7ffKrFN2zyLajJVyMWxIhk3xSmrTBG+a7fFoA4DGTZ07USc3USjOrjfOJtnni0T+DEaO68bghVkfxsiJTZWP2ILd2uJUDJ6qnVWxYDZ7bfKNsy65Y5ywjOc3l2DLzdQmzvxNQ9YuHU7jR/P4oLrvZwOd4OE2K7hrkcN7k66dOnm+XrwLM+mrtAxMb6whjIN3sDVksJSNfkpSC1LxuIKLLmzDoEwFbNEfCwMusFeBmhEi49PDZBaDuBTbgzAja+3HfHqZ4Y+Zbfhp76lWfDbiuRCpuVIXKMe9E2OCqU56vlP1RhcryxAN9oNZR3TDnCQXHEuIkG2ekHxR82X59KnBNMRDpASZ6wl1XUyWTgiX/gPEMV42ysJ3B6EpJBw57qi0YwtmlfymKTcpAKGvJTwSsb6HSqa2yBGACmLmgV+LiH92spzwlrf7yOs3JUVoZw0iwbBXuCfQGeLZpqv6056v8V36HEyU+trPk3hkXqCVxGcZOpfbEQFxmzjPLlUeumPhjb/2j1ub3r49lWEpR0kcQMigujK4ZlATailYDqVLwq4Q5fEs8rW3lIoxbjuMLkayzMGlYXfS7nspOrze9fvQ7Lzc4G3ntyDWpvRLNfvLn+y7g6nftN3NIZWf+gaJ26LbB6KwNGweSZ+bwvcCeNCvYB7aUcalBadhneV1GbZXSTEl7wTZFeDO1VjG4qptQ1qSk7CROnrGgKJyNeKtu3bCB3LVQrJZaiUH50COey3qz4siRoE/j2bGgOUUksUCxv9FY1e5OGOyKz3KhBAjMoDy4untSXf1zu3lQjADPa0k6LbxMCo1iw/m1v+ANiRJUpZ1x/I955YHaCBF3LqurNPoyNEVLqw2OrtuCckxFy2KF4jIOgXTF5B/GnQcvC3eI/fBoQEd8aDXFeEBAZyEIkDAL0MLAObkZ40lV+w0gUQ9xtpACAUkCQVtH9bweSqddJRnlN14O7yGHUj0IgJWR7hsxC32FrwyvEnbTPOoObEqQx1YwJc1cMip58pxOMW63hMJY29GHGsdn3H2Z0EKorwfdGrpswkTwDhT3YQcJLxa+530L3iMsGMAt+BNC5S5a5UJBrcdtSFfCiFMsjlqmqWvFnKHV/94vVLBxc8MW5vYYcGpptzvVYln2RonRgx2h8y+Z9FJjjexYOIzAnDoSoLUcSaoezaZvke2lHJMjYw5jam3DnskFcP0zWbAy9JiunQapxecD1HoM12C0ARYMvaGwTQYruhLs6B1lpKC34Yxp3p2j4NhHUchRb1EBfLU547Kg/mMW1ITDat8JO7gfrhD+9SROnW8y+3Hkvk+BKyZZBTh1XfpLYAqw/bHSlyMa/a7glgE2WLLjH5OVkL8FFyrgicxsA2n68pcBV2YuyRJGSDfz6y3+G5RnbxinaUUzejCRfyuKtMI3/1mlIim01rO2mvmywdr1pdKFCBGrRJdTIXWpVxFbHV0U9Kk8wqSUDpL8DDtDCeQo6tSvjRs3SVpa64V6J7za6kpbeJdxrnIs7+jrt+T0+ITywp6VY4QpbexACEv3m4c2Q4B1z6k9SzCWy1Aigo8SyQr5M2d9R+hYcPBKhiZtLTjoWXUIcsM9o02iHqQ1bGdqfv+W012f+ojz6EEIuK9uzop89OwbvU4PHtr9AvMFr+eTvEL37Zh2OvDbgnhg7D+79odmDW1I/MLllLXtl0R7+bMRgeKto8AOyfs9BTRIZjrWXewTCoBbigsLuXGzpe7tbv6E9RehzlomuaNgyiPtB73OgKqeUqS8SesEjLKc8mKGqQuWcssAJ0aKtRaHQdYuFAR8CbwWDt2REMz4TEIYD0slvUXJTjcg4DYwLPjRPKvisbWcPd/RG9y1wSKKO32OSmCYKOw687s6ClzPHOZ9vOLWP0ROT41sMTom9g1nJDeGQ67lH9P/3fuPAkUfF6CDBRg270OkezjPX/e9hokmu7bevgFHo6wBslkOSIfyEF6a/lWHYywPfitLMU3ILdqIxHdB9S5QLyNROwzz2e+QUxECDz3Zy4irLozYfQD4EfC/8l79i3SgUkappNwDaSm7FBryxRdSn+CPjotluNRbPGw1j+FEwOIKdiwjQFvUwDYitwLYMQb/VvubvgUcVsS+FyYvsJx2Wo8WgXbGmSpYOQGDevgjbcjjuSIYhv//yN7VFL3/0iwBb9fU49lKCqX48G3DSl6m4KdXA7gNq6p6IaTI4OeqPnPwHxwMJAdizQroXxOPMJlZ3vRrGJe7e8MYnCk0Rt2E5yJPcx6LUYme6+VsIUOysO7nmL2yDI0zIiUj9hmTQzv4Loax/kNIuAAA=",
text: ####"""
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
(name: "filter.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA5VY72/jxhH97r9ijLYhedHRd/10sOEY7sUFAuTSAJe0H1wBWpErkRXFZXdXlg1H/3vfzC4pUlYb9Iup/cGZ2Zm3bx59dUW/VJpWdeO1xUM3Je1rX1HtHWlrjaWlbswe4xmptiSP3abVtNXtjsxKxp1a62tSVNaqMevwvorGfKU8tQqW9o72PMAbVlPtyBsqKmOczi+uruhvttR2Rk4Xvjatm1FTtxs8CrPdwjF+bfSLg5umiX63pGDIVzDF0eBdI6s8u3O6xKDe6BktX6gzdcsH5BNgyJbyi4t62xnr6ZUqOtDKmi0l+RUHmv/LJTcXFwXi8PTz/a9fH+iWPn76gDn9LO8UjXKO/hrS9npB9Adfb/HzlngT0dW7d7QoKtWudZl6/YzslUhbtrimBf9YIBe6DdnT1pmWKuWQsrZ2lS5vaNHolU+zBa3rJ+1k38oUO0dLVWw4czzT1M7n9O4K/iRUuyu8sekrRcfIIazQIZMISVKV122384izShP5mcziKtZfOtQxcVrZosJ816hCV6ZBYTAdDovpRNlavW8UgJG8nS+1K2y91OXyhVcDst531iwbvcUutfMGNe0a7dmZWa2SWfTvOt00RaWLDb+oGqexX3PhULAKFRwFF18x7fUQPpEc6JrSjG6/G00jPQ1e+wUVMjufShpCvbKb0abRPPLjtO9fCPaGag5ZzJ9Us9O5t/U2zWYkEeMpgBlZPsyGnzhHafaIOdVPONibOOtVXMlr9xlJMq5u1/Tbb3T5mDy0Mc0PrlAdpya552v1PQwmc0RUNDskP74PT1lGVvudbceHDKudlef3eqV2DXB28//m6hgoHNHt7e0QVkanCUIyk2Ti4fcyCSTribtwG86kNP44xDWxGLEWMF7WT4xwqstzYJRrjIXjTFWXpUaBOISpWY0NOPDUbG8gWE4Qz+j4s0k8YuvA5ABoEXOCEEPGwSGbJa43288VCPBJP0Rvl0jt0eLZ5LIVurvjJAf7TD7/YKoFM+6taSMlM2UEKhqGXV0AIDqwtJCko0DR4fLfUGvgERYQ4iIeZMF2213TRO6xegW6TftjjskmzuUhq4j1Ms7cnBBS7s163eh7Dwgsd16ngUzqFoesS6T6L8YAl+3gJVaGM3c5eB7DfeLfajnO56puSqvbFBV0nWqlhJwSsPIfX/vN0vYOdJywKEX5ElJ8WAAVPfryPO8DyvtU3tEjrOOCjYyf7jlkc7qmx3l2xISwe/qWqfO48CZhDngs4qU4XMAGV/2etqZUTd+JfQTBmju2aQu0XRkXDbouukxoKWujj31lH7qzp71yUt/Y8Fa7VhpzNJ0K8H9SW/RX6QQzTkYR8xuOEdrnybXhl8c3Z2Rn2lfkyfdpbPdmMLvUK2MZ/efvDW+MnnNVlg9MVT+iXepW2zSR8yOKcaPod6PY5kn3CQ9u7kIV7nL01kidXwtrmmbCE+Hv//JaFxv2Clgou9bSmeE/DphE+2R9881gR2JNA1KGsy5N+ZKrrtNtmcaNE+euMvsvjIRwjnAv+tWbiJYLEsBEIbd4jXXEjdcitma0tmbXgSV3FskHb9hde1jktGChEGQNFMpWvYhKAUQsazuAR2+hZSAdRe8BSKIsyjw45IYhKaQWD4vgFHq+GxRNEJy8+S34gl5Mfe0bxCiOGEsjocJ8GFbFJ4TdLb1GBQTJQZwZJqLH+U2cUT6oth5ZEsOE5FFpliq8sDTPmJJmgljqQrs3gkjcRzAEi+ckVy+2OIlTqXXW3qwPAtJpaUIUYRtSBFWrSxZbDMYojcIi/Hu86JJJvOck2DnxNTnE8R5HBkgYOXixL0boeJyk0VtebfiSplyqM5ctgjvcNXwE3K9YTzMSZEUkvZCYIMkA7+g83O42WndjWRyYLviDtO9bA7u9ywHbbKzneFYm5dYeg90qu+FgR4E+gn1EZv97p+3LV+FcY++bJk0euSK3pmNgzpNsDo6wD4BymoY5TkmpnycaL6yAu/1ppwt0rrnVfcVKu07lbWEF5bNB+8ipZOUyrJxovL45vHEQ6JHVOUhDtQy6GE1dDtb7+ITcfmi9+Xut9+CrZWMEFy2koXY+GZTR4TSHfL9OchgW9saWDisTvWd+NHttPysGQe66pvbp1T/dt1dZHgRVGtt+9BYsrfjbdIwpMZ0zmbykKQ9kFh1dCi33iNu5jJjdYifvp4Tl+u5+EtOgqsVsDGPgEIBDOKiPliPLpGOlY4kGNg9kdBee48UsCIF57tAddPphRn/+8CH6EWb6onyVb9UzL42N3tEHvCqhwH1b/sCgSPnjL7B1bC5x1IfOhCfnjUOG9qk4QvjRbKP8F9WlkulzcA71CKA5S5lhKTLmIjAQss6GDotBfksV+rBRhvgzwfkShil/45F0z/7bjq95rP9h/H2FCJZlPVJeRwSwbKMRBMZ7exXPK8xox1dl74GLxIL36EhKzBv4XwmMHdQQVUKu+MOLQ4T5zbIchcJ975Adb3JIXqVVuBZHJAIuoxFf84hQUZanXx6yNg06bO9FZu8vzI499StRHjCcJZyeGeb9HR+L7QCNRrdrX2UBQFGInAmuhfAcYkt+it8S/K8O+bdNC92XJ0cHTMDpkVEC3N8Kqb6Jcii/o7niBzerrtMv7shXXnNSXmn4lr6mj7Mw+rW7pvcY/KzWOqx8CgNZ+ESHx+ETeH7MkFhEDaeJ6q/M8U6rpZO9GX1HH1Hc8UUPv+s2xfZvJcbZxB69p48Zo/K4gR8Tj3+ajPtaH1OMJCNxTp/9lpf/NfApLt/8OyILt0+MPyo/j8bE1LgX/ff/NISmwQbC+ORD53DxH2ExCCyWFAAA",
text: ####"""
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
(name: "geometry.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA5VWTY/bNhC9+1dMLoHk1dreosjBHwn2kvbQoEVboIdgAdMytSJAiwZJxSs4/u8dciSasuzs5iBAIoePM/PezGg6hX9LDkwLW+64FTmoAiyuSGHsHHJVV9a4NcNzK1RlYMNzteNQSGZhr4ygVVZtYS9euDQZ8BeWW9lkaFoojeCg1QGEAc3ZdgJ/1ZpPRtMp/K0OdLDEda4NlOwbAiOKWxLPpUUwo7w7JtdKStgw7R3kFeyElHi1wzYe3B0AdEpVOfewrMpLpUX17LZVhSD1xmrm45iMRtPx2Mde1bsN1yFuZmwXLC4g3oY/CxchIusupPU3Jmu+XsDa1DuzBmZyXm0pmtb+gBmF2QTG01FRV4TnwB/tF2Vs4s5l4GFSOI4AJLcgMU8rmC3azxJDwm9nOpG8ekbAe/jF7R5KITkkzn7pzQgDkLAK/d+J7Rb3V2RxR0B38JDCx4/wsPCWogDvxFcyfoLlqnOH3KB1MkZeeedOC35PQCd8NLe1ruALs+Vkx17cpRnM0sXoNBrxl73SFnIM3cBvHKVjdeOddflfF0pu+XbtGGLwD8aMNBAhPdVhokkk3nIGokJzJ1GfZlUHyoxPeJsHXedW6YREnMHRaSVr1ZYBXY0BVfzgrk5SOPXTGDS/aguhZYFyYkthJm2BdAbRDt71uxcxbuJ7tEMOhE36jPaDY/QS7RjLtL/NufxZKmY//PqoNWuS4KpjOTph1f6t9ihs1As/q98pMXwsIy66tbuVkxRlrOfh12ABD0+Ic2XrCfcoZ2FlEQM5x6/CxBsOhNKHLwmla1Iy04WXwicUy/zyIhg7RtqwT1F6z3yHYHuEmuuxmKceuy2vA2/JDGsCOvg/i6RroamTJ9VR1CWiy7LQbdNFD+TRJs0PTjsPMmi6Q13Xw2VXYL43L8IbFVYrwBY/ozaIJgK1R+luq6yJ3R8WTsjWMNpzD4ok36Mu7QIask6Hb26jFoZ1hvroLsfWdU2QKcqiX7mBri5phuHk87mSouKZa8N5Sb2r6yrrY4t3WmduYPi0tulCLxN3MGYLPyfBsRVWao1j7lMUlbcIoc1pp0l6BztyLZPyp27opWh+Gf6FVv9ApLeix153wGcZXHXeJfk/pzThhy1r/wHmcUp9k7qS7HNxBJtz2t1tbZEE1b3rFXzQmvN+8aqQESzMulnWzj1RJU3WawE4IdM0jeE2nEZr00mwr9v7ISnnOqGzS+xn37/DraJxe++iwRSJu43wGGI6xZ5p71eIxL8UUuH0pHunF9pIM7h2jY+5V55HGFA0vzUPnBOnQdHpy9/EDbcHjn+A9qDO/4nYuJQ+d6axI90khVY79FS9Tv3NGfgD4h06EhzNyP4Yef/+GstopW7N0NAQYw2k0Agut0PqXmugSK0VVc07a6Ladf7VG9tm/2QhtLFBJpH4SSk+207Eap8OBZP2sfx/dqS4a2pq0XMuZJJY9Tp0oI/k7P1d+I+lv5DeKeUXOf0ZedJPwwl/b/8HYNxiqz8NAAA=",
text: ####"""
// The arithmetic of the list: counts of sections become flat positions and pixels, exactly, before a row is read. Pure.
// Rows and headers have fixed heights, so the scroll bar of ten million rows is right at once and anchoring is one subtraction.

/** The number of the last section that begins at or before `value`; `sums` ascends and begins with 0. */
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
  /** `folded` is a Set of numbers of sections; `header` is 0 in a list without sections. */
  constructor(counts, { row, header, folded = new Set() }) {
    const sections = counts.length;
    this.counts = counts;
    this.rowHeight = row;
    this.headerHeight = header;
    this.folded = folded;
    this.starts = new Float64Array(sections + 1);
    this.tops = new Float64Array(sections + 1);
    for (let section = 0; section < sections; section += 1) {
      this.starts[section + 1] = this.starts[section] + counts[section];
      this.tops[section + 1] = this.tops[section] + header + (folded.has(section) ? 0 : counts[section] * row);
    }
    this.sections = sections;
    this.rows = this.starts[sections];
    this.height = this.tops[sections];
  }

  sectionOf(position) { return lastAtMost(this.starts, position); }

  sectionAt(y) { return lastAtMost(this.tops, y); }

  /** The top of a row; of a row in a folded section, that of its header. */
  y(position) {
    const section = this.sectionOf(position);
    if (this.folded.has(section)) return this.tops[section];
    return this.tops[section] + this.headerHeight + (position - this.starts[section]) * this.rowHeight;
  }

  /** The same of a line, which is a header, `{section}`, or a row. */
  top(line) { return line.position == null ? this.tops[line.section] : this.y(line.position); }

  tall(line) { return line.position == null ? this.headerHeight : this.rowHeight; }

  sectionOfLine(line) { return line.position == null ? line.section : this.sectionOf(line.position); }

  /** What is at a height: `{section}` for a header, `{section, position}` for a row. */
  lineAt(y) {
    if (!this.sections) return null;
    const section = this.sectionAt(Math.max(0, Math.min(y, this.height - 1)));
    const below = y - this.tops[section] - this.headerHeight;
    if (below < 0 || this.folded.has(section) || !this.counts[section]) return { section };
    const row = Math.min(Math.floor(below / this.rowHeight), this.counts[section] - 1);
    return { section, position: this.starts[section] + row };
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
      for (let row = first; row < last; row += 1) yield { section, position: this.starts[section] + row };
    }
  }
}

"""####),
(name: "icon.svg", type: "image/svg+xml; charset=utf-8",
gzip: "H4sIAAAAAAACA3WQyw6CMBBF937FZNz3xVNDWfgnpkJpgkKgofj3tiBBFySdpJk590zTYpw0zM/2NUpsrO2vlDrniItIN2gqGGPUEwiTqdytmyUyYBAJf7AshkpZcOZhG4m+AU1ldGPX++DZDKE2bSvxLOIkVTnSstBbq67rTbGib4k5brrLbhMkWXWciGD4j/A4jL8pnh/EoOvvyljPkzT5lXC+WATfHfHxamUG1Vag5uWpKgQFiTwSiCwQVPvyP1aePoWt3KRaAQAA",
text: ####"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2456c8"/><g fill="#fff"><rect x="7" y="8" width="9" height="2.5" rx="1.2"/><rect x="7" y="14.5" width="18" height="2.5" rx="1.2" opacity=".65"/><rect x="11" y="21" width="14" height="2.5" rx="1.2"/><circle cx="8" cy="22.3" r="1.7"/></g></svg>

"""####),
(name: "keys.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA41WS3PbNhC+61dsOplQdFXpbo3rydiedOqk9cTNJa49gkVQZE0BHAC0rDi6tpce+rj0H/R/+Zd0HyD1appeiAW4374Xi9EIfig03OmlB5tDQLoqfTgEazQEdVtpyK3j80KZrNIOcFmf6aoekoQlKIeAwnpNcia3zi68nkBpQEHQbl4aVQ17o5EwT21jAuqolrAoykp3ilGL501up40fgLdgLFQ6oAwIy1pnKDJYFJqXusKNB31PRqHI+RxNG/Z6o4MDeOVsUw/EL5Q4OdfLW6tcdnavTRji8QT6k5sJO3ISXAW4Pv36VzoANQ2lNQO0S4XOR/Bq6YdwMOrph9q6gNoMGisBOoKrHsBV8sbe62SAxE/4TV46DMGpXZjkGncZEbga/RDQUaPxdBt014He1QxpajohXrjVaOc+5ELNdKehbjdIK6AdZPJvHxQ11EKuAU29xz6j39/YuWZEsMyelw69R1MHXA0+qCWF6l9MfEXsZyZj9K0Nwc7ZK/U/8d8ykKJ2qTkxXRB93O8izsU1p+9L2/gNVAR8KpiHjItV5Akws8CVJnaCL6jELdXavaoaPYaOeVfWFyyrNJl+IEHTwlJfqF2bL7WwnxmsbobYWksCq0qUdF2JRuzCrFSWDqqs/DZqII3HHYUCaMW2snZXxAcWkdsqS+JKDpIVrPQT9nKVvtZ5kJBV6FwH/xzsbTkrBNeYVu/n9I3EyrKiMK2pHS7PXB67k2W6bJ/lUlhEi0826R3Or8RE36gqaQlgmVKxn4DlDMOevfMxIpVdUAnpHKvbTPUuoOD2YlQRo1G0YeTs4eVVBrzmBpQYvAdph4W5DtIJ3sszEQbRvQqtSzpqt3w2AIoBKmO9tOyzSN/rrAxSyfxjny0DlnGKGoOOdcnkmtoHNfT35kOshswm7brP+o5ZOfs37xngtAB43QcsYzvXyySuu3H4nm4c5n3Ya/3dzl7zHkuucCYQH82XfZ4zP1V1DJyQbZvIWC1KMyPU9bjXk0Fi1Bxb/QgeoRsbh5A8/fwnIuNM4P3v7Z66j09+a0+4sfjoD1IHCdKXtZqScjEID5DAbTs38OBidmriCau4mMlAwFDj7uYt0T8yLZcUbc3WFtNBnE+//P0+gdV4e0BifL5D19CzPpIpHH0trl7h7hqOj4lhLBP7BG8vHNSuMX0Zwemke2ZsPk945srcmMQ0sWzkpqlEg7ucFvQwCK6R14siAS2+dnbm1HxzmOeNiaMBr2x8Kfj+zJUZ3qH+NbagNpiuAaBhg/bGT+ERUy4uirGUPKMX8EbV/XSMP0lvXziu5B3SPi2u2RLyIt3kiiYSZ9oKHXodyLkWypLpEpABfARJQidk7RDblx83YrJ2fSrO+Ozoa/rD4SfDAcoc+s823Oun8PEjMNew9Cd2XluPx+tDVYVzSqDToXFmzELEbvwGZys0Rjin+JpC1jV0jgPqnNK8xpCvR+w4Q4+xfhLAKkpS+DKi7rYRtSodQsTvY5g8f2RyBc8fkXM1YbQAtmMTfW1VvXgBm0XTOhSV0qsB11Odq6YKkkgJuMQfpbaZmWFmyKiUqnjzkMRuKI5A1Nsy4Qu3PxGzW+vTNOYFAF/IL4Fijw/L+OyV+9PjQ5hvjjHQhKDs4CigBFOt4z+sbO19PA+LcqqHUSYbIh46XWuFldAGqQszrF1MFgpvezle7XqyXQL/FTYCRZnPjlqpKawbfCBwZl/hd9X7B18uqHmODAAA",
text: ####"""
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
(name: "list.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA608227cRpbv/ooybKRJi6IkOzGCluVGNpudCWaCBGMD8yAII6pZUnPNJhsk20qv0ov5kN2fmy/Zc6nLqSJbVoJ9kZp1r1Pnfk7VyYn6uNKqrvpBtY0a4He/7LRu5up+VS1Xqmvve1V0WpVdcd9kUKrhA9stt13fdqofiqbssaIYVNWr27YudamgUPW61stBlxl9UYNCLVdFcwfDtbpXQwsjFUP+7ISXYYaEUXCCqtTNUA071d5CP1gIj1MNPay30eF6cR27nibRn3WnWqjq4LurBq0SbNdta5gSxirbZX9ygxvT+bpM82fPqvWm7Qb1oP6k27Ueup3aq9uuXatZfnJnivL/7GfnvuWHZdfWNUzkW/amKGr5fVtv1w1A6G8wY6ZWGSxc/xU34LviYqJuPxXdpx53XK1hS5nZ5sd204t+63ao2oZ7Plu2DZzi33747vs/qwt19vYfb779Gor1rzTisi76Xv0VD/rhmUJwAWAuVLOt63P4NqD3BXiOPX7re/VBD0mKhfZE4/IWQF4j/Ln8p2LD5WvcZlTWD9vlp2CibkkjnuLXC8afH8dzv9jopqyaO9H1RdF/4hLoC98nr16p67a5nsNfaJ1UZXqdqes1LK9M0mtV3A5wYgJ5qQZaEHIn1BiKh2RJZ0bfddsPyaB/HbjWAADa5urVCQIOod5tl0PbJZuuveuKNZ5wSlBWMFnV56Yc1ml+nfs6wOILaC9K+k2x1HgUq2RWVp9nGWADnd5czbhupvap6ACQP9SeqqAEMFPD56bTPRBVgVgTDUJIMjkG1kDBUNxUTal/navjs0MDZnIHmVidnGmlCzrdiamoyi8XyAI+ZkVXFcfwm6afzdVZuHK93gCTmByPqqBkVZUl8jQ4KB12vuuqcrov1vilDEB9poTXUxc3uobFmBPNgVPV2laut/VQMa4UN7We0QBbjRCiqSUkMg//TGxILpKYMJMDMpFkGq5r5BiO2uB3kqTq4j1XIoYnabBz3ZrGlusll1cIAJhtrt68BqjB8nQHv09DmFlGZynUfCbxPiwaiGW8MH3LcC20l7woyx8+AzYhk9INDDhb1tXyE4A80VguhqEKGIXLnzJUeVMfHA12bMoWCGv11VeWNnPiI3ErbJQDc3nKvLftcttXDU77ADTU3ekBoIlzPxhUYL5dM6vkFgDFvkKaUouFLeoBmSrLKJSqblVCfZ4zP6RFc0vAuR+RVKAKOGNqNrnZAh8LhlIXpusCTt3OOB8tYa/mUG/6zKPlOMzg/3vLhj+26gbYbIFnDextyToDURuI94pF96a404aNgjwCvhtwTWbCFqONGE0kQxWkY1ZBJKL76r/0zze97kAsSSJ40VEVIl/ecn0SjxA1dJvCc6OzxFKkEj1su0aePZzjUFSwRFAwtmtAgrwAEH3WP9R6Tfj2229qugoO4sJv5Rwm5PlY5svpfiqGVb7UVZ0ElAicpLpbDerEkTai6J+pMBXjwZ5Go62LX5O3X2fmo2qSb86A9pM36pWjdtSvjtTbN6n6Sv33m7OUhoQxYY7vhsQiSgwVUjEWOR7ypUOmY1GXoxpz5ZeHBBYPwoJ64bHxucNZPqlPTXtvKJTbImECxpKOQEObJljsxkam7waif3O5MELMW5A3SQKLIgSC/4ucul0oHGqx8Lw513yOCPkhue5ePlTl/towk8VCrIWkBI/p1mLUwYRmWOq67i8lkrNkYfS/wtFmwEvenhI6zbAhLm1mTgQUaT71Hr88Ghu6YlaDMq6C5f69KocVKPr4LzNl3HuuDELtlUTMZ5bxPOfq1GzhXAy+bSrUIzZF1+v/qNtiSAAm37drYD+6/DDsYPuOCOwPSyH5LZDQB1hxCph89lYQZFN0CMsLXqx6p95+fQoIipOJVmbuqBSZTk5SHblyPrR3d7CIGQ85y+QEsWYA6AALBl43/NKBJOiGXTI7Pr4pUKW6fvngIJO3t7fQiAAKKE6L3G9+vU4lZCyHtxSK30A+ISEP7SboBPxE456o80KNGluCwgHhk0QCov/phLy2XOLCnK5keGtd9NtOJwEXvK2GZErwI0ASNy0PlgVLDJdzZLYBy5LDsU7iOKxfQ4CtfO7Enbp2iyQpMWKhvnmtUF1JLb/C03/aOfLxwznCj9FpsfJjz4vNJRCxzwWXMCIQBNxCncIixBrfnP7+5eCMvJ7DA4llHlLiJO9dwhhgLgPTcKqdVesyY6kbvsfmnhDifPgT8ji3xxQzeZ4mACIb+6WFoh0Bh/a0I5gRYPPX305AjkdzTEAggOBJdjKrvRFntn2Q2/PPoPpz1VegoIeMbNxbyckcE7WGPTFozypNuWxspnEDAcJcGoMhzz1gwURO/pGZgUnqmJ8AsXpAXWZURToeDZXmPei3OjnN1NfplZVndmyzAg+uD0MHpnPiAIDjmLIxeFIBE1B22q01ke3uM7vFp6G66WyZr13kAJZPDfgUW4uwqF4wCl8UiTW03Xshs6SxLduwMM1UqfulcSq4TisQwC2i8sM+tlnzTsPylvr7VVWXHShmcHZjYBky4NMU5xWq+w8WbkVd3TWjNVuQXPL/q/OgM+6BqMpvhlVIHDJs2nbMxUyXhUrEpkGX8F8zQJlZ4b6cDjWamT0uBOu8apb1FsZIGAVtY6PZCKvamNG8HeZAs8za2sDyCAx79fKBF0xqzv7a2tM4GRjRXOdsaOWWs8CpbrbD0DY0G/pr5hbCoeOCCmHKD+jvuNnBjFSCc6F1Q7rR8tNcGq1gBpJXiPcIZ7VP3QoUgAnmBlN3NDM0c7ZRqAjo2+HAeee1bu6ID44Ra2ErATinI4cKq4moKeDoC4Qp/tqrddtpa3CVGiyUGpSzRl/jcc+8zXZCvsGeXKzMSXtry31YkRO4IZ8q+YrP1fUnrTfXaMtdg7ILsCMFaH89Z1ct+XWNTxaUdu+zvZU+24q/yPu8KsAsHKw1CDMmoLxu66FHqJKUyazveI8yDKg0U7iIQEaZPgAG8ysAE1L2BfeVWo1xhdJ/UT7pAZW+FpBcuuiCcusInaiK/Z6mGA+Xifm2qHs5/4TDM9bDblu0xYNpLCKhYy6seZqOF/Jbi7LO/Lowh5DD8VrLRrRDjfRCtPZG1qmVSKga7oTRCKiOx7gwOrQzrFi1REZh7dinKqJeh0ZBJyxH7ykxUxo3ME7ZbZ2YI1eJ94ggvtHZmEE1/BQNWRckF13oRzklzwnOGPaf0n2LzabewZw3Go4Uvf0hwseCDnZLEQEbgmBmEgo6gEImzTjbXLYCDOcaE1pIxiatBOchcglxZBQFMNEGY1W33Q/FckWGdQbQWd/ozhrYeDJuFDpbdrQZeJC/AIwJ08mMDQOqhFdwiU3tAFfIbNxoUoMB0V2sdXK9eflg65H9O7udYgneE4R8IJk8mIBEKJbg6eMTyBzC/xlue4ZbMzXcEL4RZ024zDmAiOkIpZYap08k4BrIpwEBhPjQbvwokv/giqAS5LtpeSqweqrxTQtide3bR+QW9bYL9suAAzOu31V1OzhAMjD8cQGiEVYLtLXI8yix40T2xHABI/CXuh6KmQMhMO4kOD2zOD2gl4X4weE1phFMHYv2pztx7olnmdZ79dtvEqUvyE+bjlXElRaqoZ3sXIYQJoVEAAk/q59ATTK6ueDte6fLeQiByYdcUlboZpEnrmQveCMoTRQ6m2FgF2kbVAXQIFgTqXoS+jOrH4XnPCHVPLv8winbHZq46SRDAxLz3DMXCJehXNh5xY+lPK4FixdiOvRndMH698bhNsUtHkBzre4qxHEmfsfQyV+HMq5njekeo+vbhjyWal3sFHIqG1M3/oY+d2BwrOS54QU2eJr35EUbu+cOKDWmkpDRLhbFopkB0JW3ZF0KVhVFYDAih+XOqeocAkErJwTA2jW7mrCRnAuG+/Inn4ftFFon9wVujXaxoH+Xph35TY/PYD0TURQel5y7sXPZwxPUU9PQ+Jc9t6Y6mBoImL+LsowWuBeoy23wfBCsYhg+skD1dNLAxVX+badAN1br7XJFuvPnCg4SD6kHY8jgkMnEqNv2E2ZiGD18LgLfM1bHM0uvgGJVZ3xtg+neo4Z+vwK7jZM5cAyjnv8BVm6OlkQEsm+LyxZHrRgyZibOfaEuwcC2nlLQTXA4Fihm0CvZh5d6QX2dv4T9j4BZ+GMcRDBC2Hsq31uRhbMBGsRKKLkwQWU9zb9JI28Qq5JTuhgtHzUDbiIm5RI3LY07Vf8u2Dd6j7iG3Ee0cXT40I+RUmTtLlqFZ5A2fpgLZX0kJexpLEPd3zGIqCAnO/vnWx7YEfZcyW8vPh5h5AgEO+17CmLKoJABT+/J+zg8x3O5g6Fqts4rsg8YBsX+GY05ThVC5NjWUaAKOYTkGyKGBIT83CuuyA+QSUBpInW+BdaAvMQ6x7MxRcb2AA4SrzfetrecmBFir+nd78ehB0KQy9MroV9SDS5fBg5HVDlehYsWhhA7cjsmFsGuiiyISvaw3LPpRbMMfaIqFoe0DEGweRKSIe3U22khMpESRIgvfcmG8EYNIwMvnVKyv9BtShs3BrKwJY9FmgsRCgc3D1OrBYQlzr2jV4tLaB54WvZEHFOvmUrQb1giicCO9w5pdDQ4xVApFyFJkIaIFZN8fh+NmU4hvAGdSz1wSCdmhfVPKSAIPifts0NNUp++ECCTtCMZkLTYSJGqOS3Hk7EhSD5WbjDzJ+j5xRcQxG3zS2QVoksa4MuIHcWY0lBgY8RNQo1qJw2+XdJg4Pp4HIWUGGEBg0zlEPdDzrgDHDgepysgZ9yhwJuIXKZfABxuaT+NSbUuPmvHTYSmYn9maobqI+u7xX2xC40TEWHKO+03FEIW1Pmft4P1cmLCGuZSoffTHaUxg0jDz1hn02wtg42hiv5TT8K7Iuc09qzKXBp8LlEzxNK5T+Y4zf4wBgEKRdDbAvECEesyBoY55vBEOv1ZF7VHo999BOS8tj7hWZRSRIAqOi0V1X7bfa5A+5071zIaTJY/UMJn5rxqZE8Xzc6qsU9YESrToaiZCLkaLYHZi0uhO/MZdF5SxBqV0IWB8zqvaJQCUJUovpOCk9Zg2+9NT8yaEmoQ0A5UvpuoAwQ4C9RlhGSo/HDEKnbLJSZqXAxzqQ05NxwGNwzKOK2bupgst5FbD4nG5s/ZjhReSQo4KerDO05uctzwsf0s6BNZB1YA9wh8yEVcBg2JDIqbniuPgw6u7iaqC2B/15LiJFXEA9qh57zUZ6zfYXEecAtj6pn0543u4Pe6aJY6b9p771UJ3CnX//rn/5jEE84lwmHT/b/++b/q5QMi6/464FsHGCUcvjfVQxmAdaAj2hxHNSGPMpkrFYsfk8sh/GyRpsa+E8y7NunX201Z0Pddh26PWHEh2Wn6sN18xD3th+nPn+/V69PT0PMRe4gpx4rcw6ZnKt09vUjhAo7ETTgzGPs5ShajgmSHwewaHxst9BuNhpDe3sn+2MCvZe62bjWPicVdOiXoZkebJiiPJmFEQYb1F71z7osM86ChOc0JAklmeco7G3TmiGXsVgAJV91WZPSSyzDAAKYaly0x0qw8cyTjxOZrBJySEuaEseNsmTSSkt4pCuv9jhwqqqDUGnkPAFaO0Ud7pcQ4ekLP9qSxHLlwkM4t6NKRvHYps3EcSbTxNBrMlwGCzF0I47shXE1KzisTjrPD45rdOaAX2nrwyM91EaZXVoGPLwiZTadhitZ2W6PGHhIPESszNzIi7ynmgL7gzoiD0xbelGkXWWv+zE3BAdvJufks1h80fALXIJKjK99jHB0jSdEc+2vPC2OiCvZVlUGO2aSX03septJXrz+8fDAteTU9s4tAeeIk/R4UTEAstK/xFyyWU1ZAb6lqSRDG/3fOV7S0WldlWRMdVOxmvQXtAbVk5xHUOrkljYJDnY8FLLMnH6VkC4EpIpxjgaeNbJod6gOHzxwN7QPBZeN3hhIa5ohdFEVdO0/csYpsEh9549j32Cwi5wDUvaflIcOAj3c0S+iOQ/ghofrGR/FsYffxapDr0DJ24zp1ol5bnYJ5D7X0sy3o75yGtg2D4Nt0kD1shDrJKCxy1xrBIJMggsQNnwaBAmMibYL+n0c6jZAAPkh1KG5k+PRyK3PJkDZ+Ivc5SDdykZ7TtQS+9Mie26FtDZoj30oCR2qA4M4HNR2ZP4jgwr8jOE2UbUoqeg8Wx3ROuk9+nzTJXHVwHUfsJ306rSGyFzYpuQfkQSfMJLXMCQ/P/C6d1m2A+B71RhoL+/N4r1TgEPCdybQ5RbjEwyAAzjCl/iC6nqbnAVgMYgRaMmCpyMuetKeLIVN+WLaZU49NeEZJWXWO0Qswu2LYoBv7LAsuWRyr1+5yhS5hLN2UMnQSqd2pX7jUHLT1pQvP4oTCjnktOL4HcNDRrf7x+DsCdgRR2oCRScnN7hFiOUwi5EAa8ekJwcCOrLF6OCEfTFbCzc4iUiwlvJRviBU2xIRvdkKlwiEwJIHd6eOdCgNaDKL2g9m+SVCwOo4rj7QBcZLx1aqnpDxNhkUeSTi6az+28ubOF/PUDngpD/ibpi3ENNxSnFLwdI79C+rrQl1BVw95GpzPzNxUx6vgFYYzz9U1en8oY9HcSrtHbxBV4lCdvYnmfFjsLwpx1/g8LiYvCxlH94EbQwKFeBCOawWqMZ1KdEHKJzx5h0CYdiFJYv+Eg3QZI+xC5CyT81ESZR5AwjMpugOG1Il3RLkCI9fugCgDYkVXnP6fqV6mSD7qSDtE/5Xz14/tNb+Ulbkw4HyfmE2AMwNDwBGgirY3XpTPGkic1f286iNvqFFwzDWLoDEnHIzy2p3ijM7HqRAzZ9peqKnI6FgjnUxv9YVp3OrSJKAs1KwoS0oULzVoAXp2FYHvj9g0JjbikpSi1IvHJndk9Uh+XBBDcgzoj7BT6zU0TI9gnv4+3nUCoK55uGfuPYXkkEVoOMhjISS5U3OzLQQK6R5nwjPnW8mcDD4t87pBzgDm2EZYg7kt4QSYHe9eRXDTlDra28QsMkdpREWu1USSdTzjBPinaA0lx9/NKyTteo1ZLcVy6BUHZbV/3aKjlzqMf6Zw8RyjLLCYQGdFVfajC6vB7jBTI8/zoMJdzbH3gMxvOOgrSpjyVzl/aatm0Oxcw8ux8gK5n5XvYy/rttf9AHJhhqPNrBoZXZUPMA3pEnCNavJwHBiF7qNJtgjfUQCOWT2U557dRexV1oZGhraXn0e38IVU0Pby9HQ8SlCMaTlJNMKk4iny5dDVf9E7FDdcsNZDAQUuBzwmJucHDIfjzhRTw+Gss/LQteU4CHuJEh6N6StMd5K3mL0mZTfmEpvjcEmBoQinDZDrF000kbOPs5z7gndo9YvvI7KenIERXeueYgFT7XIRPT5Ep/tY1xVWS7TNIJo9eYYbJo+Pu422Zst2uZo5n6y5a2c/7VUbfNKhx3c07M7sMw9x2DLANaPaED8PiChC4/F9cPNihfVrmjkS02Yhria7FwRmhmDACFs4wFCKHt09Uw5a7rYEvWBg5A1AtSMIsdMvePbEspZ/B14JSiAn3Lg3OZ5gB0R2hA3MIqALDt2iQ8lwTMxOzAgj8QsQB1TL3laK1x/ocQXc3sjpi4O5DOjwCgNLlHYz4fedSH8Lrl1TMqFNTI+1zUxmrY/9a4cT6ORLHIc89ZFzZqKF4117iYt2byxc6QxiJZFzjZ/saeVEKZf6Ze4NTRnY5i7JTdHrL94oWRWlV7HptYzgPrB70mN0u82GI4+su8jcUPlM5pbTu14LY/PbTCWv35yit9d5OMOnL9Qr5fZ14mY/QS/LtJspTNi8vPIOL06QvVA/NsASqmHna4B8seI4WPdNQSEuO8IEQoa4eEw7DfNb4QcWpr8zaZMGzTfbfiWCei5g5iU1nycSUBrmZD4PtXaU4kFCZ0q74xmCiugeQJxHujMGyi7C+HB260j0GUHvCSo2L0gmAIsplDshhx9UkKlDkyl7ckEDX78/DFFYmweol9QhfHcMYg/d/SjTDFN+rPrjBISn0U+sUSBNoTOYl8Eu4NbkNWNSAY0CiPCJ1BeRi4SM2VChExhsKYoHeDI0ZslRYmM65ELhKxvnqt0OlH7iE5pG+UxtU+/U3RZYu3a5SiZ9Agtd+twkp5z0ewvmGHVNXfzSdRxnrCU872I07zt562Y+6eJmFEO5y2TJ7+nNY8Kk4nBmDn89JdYo3BNT5PjMXy1+UNZ8cDg30g/DFKIYXh4P8brsLuPcJAvgTN0XFV6hnhsxQGU8BusNlGJuAAonQ6k9P/J1ao42i5wxJl8DQMbWbcN3BQA4aRB8EjTl6/bR+ws14GVtuEaQhr9Q+OrHWfxeAwlGjgkIu6WI3oQItDO68ONCLdP1X3zaKR2Z+8ETCHr4bhi66mYLNrV7zY6yxWZBCt6RSiZ2Kr3LfP8AZKTYH3Gx0JloZXFPTj7E9rnAfMSyeXilUngyjRzej4J790UzOJ5a4F+/9AwnA3HMw7Nhb4NM1p3I3EM2GWVYklwxC/C3mviVR2uYuTcfAawfq7XGxyjkG19Qb65U0XCA9pgQFLoPzHuPgRZr72GBaI7uW6G3AJkfLKppDRM0imvR75qlknOSRXcVK2fuLvtUejo+OCol/Fj8Uu50qJr5sT0ncAvG8QukbDsxIFBTJrM//fCRHjDcVCe2LWX28JkQRgJVnZ6KLFpckL1V7zI8bAFoj+NcEYNLLrYQrnoyM4lS2Sg5yYdRhMNoBI8oxyZs0HsvY0YubnsJ277KYLBOLYthuQrkZVdh8u8dkDpGElxmbsnGUm76gQJY1PUudN0Hb5EeOkvyCSFiHzziaaRmhT9T3zhMlulD0u+1D7JOSGBMSJiDpsOkc9mkipJedVu3bUca6wnLQFSkhTB07uhukGr7yJea8ahGvoZ+IYxC+q481pEam2lO0YtHp2RXM8ORemNXGLqfpO4VZ+gEbgB7zCQ9saUVjA6wNs33sLcbpPBcTQABPucGWseBgcVR3GOusw+eeNE7lfx7pPz2X0897xSQDrNgHokTl/2yLIOxasCkR+siUteirC++GmohREmE8+lbtTc7nnDvfdRW1xmxNq/NTKPwI7fwxNNRkeNqjBXsmsVEL3bMuiyvML3Lh5W+txl8B98rpHvgU7ouz8XzhJkcPv8seFDDfSAjEWPyWKn0mtl1mWkCddtZjqLILOMw+pN66E9lZzB457DXo6i8ejDpZ8GbO55erWbz2mKfU0y7OBznFVS7wcz57ucGnqHLUuScwzwUarDTIDYGnUL0dC94mJddgqbutZc791SF6yBRev/s/wA9JBdUaF0AAA==",
text: ####"""
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
      const { then } = this.#pending;
      this.#pending = null;
      if (change.at != null) {
        this.#put({ position: change.at });
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
    this.rows.level = geo.headerHeight ? 2 : 1;
    this.rows.draw(lines);
    if (had && this.rows.elements.get(key) && !this.rows.elements.get(key).contains(document.activeElement)) this.focus();
    this.grid.setAttribute('aria-rowcount', state.rows + (geo.headerHeight ? geo.sections : 0) + 1);
    if (last >= 0) {
      const has = { from: state.from, to: state.from + state.page.length };
      scroller.want(first, last, state.rows, has, (from, size) => this.results.window(from, size));
    }
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
      waiting: row === undefined, cursor: isCursor, selected: row ? this.selected.has(row.id) : false,
      mark: row ? this.marks.get(key) : null, overlay: row ? this.overlays.get(row.id) : null,
    };
  }
}

"""####),
(name: "motion.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA5VVyW7jRhC96ysqmGBI2hQtG5kkkCz7kJkkBuw4iA0YgSBAbbIkNkw2ie6mZUajHPMB+cR8SaoXSvQyCHKwzN5evapXy9ER3OVMQ8keUAGDNGdihfDIFb8vcAyyWitYFTxDWMqqhHWOEkHn2MLafIU/Xl78GsXApOSPrFCwZHSVC9oRGaHKBwVKsxaWlSR4hWlF++aMQc6KZTI4Mgyeg6ZVSWSsPSa5zkvUPI1BVSAqnXOxAq6gRKYaiVkCd3QFaolLlGpIO02K2bCsNK/E7kFZPaKaGBuelMSScZEMBkRIafjp8uLjJ5jCBrJGMvN0DMffj2IgK/R+DEHa3PN0eI9/cJRhchJD8h390f/jKIDtxONcXd/cEsy3o27j5ufru19o5/jDiPb8ZsqKkvZKptP8CjPOwiB82wFSwK6jIJoMCtTGT6Uwo9dLCjdOBizLPj2i0JdcaRTELagrLjTKrFqLIIYwgukZ+bV/qGWDE9jG9oNgjTShIyZYiVAtYdaBNDVBdIuUiRSLYB7BK6Pm4Vu2HMmescHRwYEXHFmaAxZYEpBRlOQy+qhUIlICmW/C0YYPA9kIYYRkgpdWH0qytGgykwAHRwN8qiupYdmI1B46kNuqVqG3oAixqiPYDACcswTeFJpIClzDFatDogfQi8bsAdu4Yzg3PDosBwNgFGkJwe8nLQyNlYk95EvojCe2hM6TumDtjWYaYTqdQuCdCiICOXQ8Pl5fXTEt+dNvyLJrUbThCvUPVVk3GrMb3RbYYUaJlkwo4ltGSfnNiTPqnEoU6tCyb61T24E50Y0U/sJksHVSXKJWVNXUAtaMGoCGxT0SJC5skZIqSAK6qhfV2rcCbdYTWNiqx8xYiha29BXJ8qYgTjfsqeHsWFViyJGvcu37CGYuviaAplQSWyiE/flzl1qRd2eyU9NWOEkxm/9vFd29L+rojqvC5LMjnaxceKO90C2cwvB4NDIcWzjzDsEh0F5kIDQXVHa7+xaOcqARGS656FzujvuRjZxvSd2oPJx5ijHMNlDVLOW6HcPIVFhvfQzb+dyz21oJLSplVp6we2WtDyk3iOgo+QDv31v3zmB4Qh741enehxPjQ0fvS2R22TiGhf0uSO/fw6833ti2fqIksTx7VwNRCQz6dH269hXsi2fNR/CisFxrchVsPHUkCxQrmg1nti33U+YN8JgGDjUx9UUjvfToktm9iN30iHY1dbubMgTlJmrmJqmpKZqBpiLUGEhc+Oevv2GxeeAiowHHV9T3yI+CMBvKmGK76BdTWjClqFMZZKPGO2fkRQN7p3mJknbNvPHZK5tUVzJMC2Ryn2o0GlXi9+i+/3L9gn52PcSxKynxzYTcPi8bQ9oOTi4USk2KHgaxDSB9kne0aOqMokXLP0nomUGbw/k5BMFkT8P5su9bG+jHJEmS0jYLG5Ux1ChN+hjRE2pLNHcO/aTd9mryK4ds4xFBb0F8ydAtfVaNDt3UcsdqjUhxjB1atItFV/DEy/fRPutdO3CXbSBDc7d/ye/6O52lZ7E0HXb62rnJbtYIfDID60JQy6BCdwevet3GhYmKyiRgj8PzHuMunU6tWVPk0TO+GWU75fi+zYFrJJ6D7SUlF6FZe2F6JQwv4m1fne6Yw/l/KuAMsKeQOmjs3g8NVeqHY5PbLzM49GptB/8CX0lO7dUKAAA=",
text: ####"""
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

"""####),
(name: "openapi.json", type: "application/json",
gzip: "H4sIAAAAAAACA+1d727buhX/3qcgvAHdACd2kqZAUwxDutvtFrdFgzRYPxQBLi3RERuJ9BWpuN5FgD3NHmxPsnMOKVm2pVhWHDdL1Q91JErk4SHP7/zhIfX7M9bTE6H4RPZOWO9o/2B/2OvDTanGGu783rPSxgLLTlksbwT8Z2yvz3o3IjVSKyw5wOtQmCCVE+vvXUTuUcNsxC371Yj0RvzKTKSnZp+9hbdnLBW/ZcJYpngi8DlpGD2WMm6YhFcjbWyfcRWygKeppIcEs/paKPan08xGOpX/4tjkCXsjeCrSPzMNb7NA62sp2DjVCRtg//bZuZ4yGRqqbaKNxLfgKhVMTzjQwaz4ZgvSRJpCRRHQoRXUo9PkhE2xI0DjNNXqypFFt6xmod7v3SLbjAiyVNoZsOAL8A4pxT8vb/vASkeVu77EpyfcRga5/Iyx3oDYfSUs/ZosSXg6y1k54VfCcZI4SHzIR2LCU2CghfFwrf4xFWN87w+DQCcToF9ZM5g/NIC+ix4RtO7JsYzht9mzRqe24ZMiIOY3e5p6CexivVQYKDeCONY7HA7pd2ne/Xzx4T0yJdDKQlVuCsPIDiKbxI6zQSQS7gpmE5raxqZSXfVu4R+8+sLXXElZQcRgkupRLJKee+Vg81debP7K8cavHG5GGHKAJiMKTd2EfPstiLiiCZlL47gkdsj+shxcVsxRFHmsyklIH/EGL0EOoQka698ymYoQbto0E9X44pomqUBKoBNX0Ar8Shj7kMi4Y6xXp9TR8KhqSuXy95pa8dBCWGXbD/7uRpLYcRe2jGUKIHww7A+HQ5YiugDscWY5VEQDO+ETQIEOaTqk2eL8hFeOvbxtPKUjwWMb1c3pz5EAQU1JWnN7QpkpztoKZGo01vq6cqQnMZeq6VDvTuJhPqcyMHX8+bu8yuB1JpUDcOgJWThMj9kZWEzIvcysyntjbvkG7s+yTg8PwDAfeAN9/6vRqh7IQSOVx6H98H2E5k7P3jFwBpaHkE8msQzI4h4U1FQMpB59BejtBnJpIL2FUjeGf9NxlijTBxsD7invrDjvCGSzZOO0V8aNZ8HFYmubzIJKSly5KXjQzY3FuSFu8LG6qXHKplKF4MLCPODk+TkHVJC36s1xKJN4P3ej9wxUyXzFP4j5hk/mzgW6/3f7FmMemxrnwlnFYA6jOGboUDBNpkQcs4KwahcD3Y8rZzEnUskkQ4kf3i7QRnW2Jk5lyQhogQFHe30TMg7win/zV8cHh4tk8fY0ASUYCsH4RB9tC9D0Ac3JfBjuUvgLNIyA0VtiDaPKnI8I1xsN2BpOja17oxWVeQRq7r0GsURppfBOnxntSrSKZy7KFAHqCgWz0EgVeP/TzaCmfJ1GOm7H108ClRFSSXUQ/hD8YJDOgU9hTk6hqsKcnHIbRGxvD6+hD6gs4s398hoN9ZaA7YRFIo51n6GVJDEw59ARrkK6HHMZgznaZ6kIUIJFSAoWkAP/GgkOD49m4N0bIVioAzOYitEegLTVgY73k7DSjiVU3QOihdfnnTm75pWDzbt/cLQ5YYc780JRazutTO+DSK+o7Q8OfMSC9naT5jUJD2EUtIdP2Mi5rG5OPai+dmCTW4MUhX+jwxmRvxp6u4cHgL1IQTJTK70wkzZooC0Rp8JKcernKqJZLU7TtlOMZWZ88TVdenlexqgXVRiFEyDsdeIPrRw9UsQ4aNH9V5uDzHCnuARqOqxFpZ+hsIxKtNpGFgUYH6qPS2ixsHjvSrOqUMITgSIwHBYRZqTBuuGqtyr69OhGkv8TdLUT/E7wdyz4hWtaFyfE5XwXWIqFurIRhZbKDu3Di/qWfXRP/CNwxlvFBRbsjoPhcLiBC/Sp1OBWoTH3T+sMsIVplpfzNOUzKrba8rjhMCwCbdFwuZGixsvOl2oJkPcCla9ZMrljtQ0cfs5ueJyJPEztBBOEPgF3BiPZuwcW9NLbJhZQX7YWp/DBseeGjWNuWXmGb9ezgtrPquS2qewtVNCJmm/l1S7MlzZhi91iQOrDHFWLE3HsRMa4AIcPtO5W3mXYVtrr48KtZX3rsl0fCsnzMysLQ2G5jGu1NGY8VpWtIINjrmuqVG1RRwcWHVgQVlBOaxCtrGy7BcqxBDd6DhJ9lilwRuAG5usYFvEb4ZcTKD6RuLWOJ4klOw10GGFrHuRhSOqex2eLr1SsJPWm3Ny7mhVoQdrqAiuVEOvmUrjVpISQgjU5hr2qzIqpmKM6ZaGIBa4NS7vtLIm5Dp6L/BJNp97qDrhS2rIRLh7odMu8WSalC2d14axdWp2mNo59Goa7tDb/T4H7/ogLfH5AvD306LDTRmtA/p0tYSnfOgUdqneo/sOi+ibugcG8Rh5TesSj8hK+gw6QYZWPjv6JFYmp8/wTqd75cp/ZkF++PD4+eklJFHFcufq56tlggIcyVXx413HjufGpVuVkP6TWLRB0LscDuxw49zv1tFX1dPRINdrj1TUHT9DpwGzVO5JnpizhauYA0brVL0wvxSX1fD+V3/WOueIOMhOS4k5HPR4ddbuJAqBkA5gVr5nKoB2325nMFax4GsnA5W4SAaEcj91q21Z53DSP8a7IftWIfMmHBAqxd6Qaq1Mfv1u8/7Hi8m7i/R2Ut99V9W2C243u2P3u9jIYkucYgNHtcEAwB6TAwz/yg05+xA1UtG2jfXqW2/VR5ITEa3IqoFAoAjEAHHNDcON+3MaRy8WsLTNJBQ9NJIT9xMcNd7aAQtHTt8nEzv5JSR51izlnmcUsOcbRBgAghg6MBHRoUb+zEg1sqjPQB2mmcDph37OYm62uLOcsXNmNgtxatwnFg/fA8tGeETju4ETsuXX7Ji8vK7Af8YyDFnjf5liE3WKkTAqMrIuyF7YNLd06oCTjNmUKWnHGL/7F7FR+jxXbR4ZU8MdYiHAZsei3dZopvFymsE9maCKM4VfCrKUXrOv3lPALtw+PXy4SFqaz80xtF0Fh3hiYEzaS+WlZhs+M28zooLIcY2+6idFcy8kbHm6X1PcCnDOY3JmlTYJpmOM7wD3GOAAkZdhngJjuXBHQCzBHMwPkNZww913214EVDbcb9gtpQH9JKhTjTXydzzRAoMIoQrVtL8bP1zqXELgtNnYlb104UIQNd4RVJTdXeUHLTlBOe0Fn0W650s43eoKOzuET9I1cHLlW7/9ExcUBA13cah63Wg5UVeRLms1WGH5qgbUbLC90i7vd4u4Dwkpb1+iwPXj5I5Jq0esc3fD8IKWtnZ70yOHMG8mVoLUlqJtvy2q1xYQo7JCxQ8YOGR8KGTMV6lpYvODXwh+MaTCqjetj3Nj8BLERD66fCDp2GNNhTIcxD4QxIKT1GPMhxxgPKvyKS3/QGYaVLMdTuxFpCHo6uOngpoObDm7ugptYqmuzbhHfx+xHItYYltc/9kbk98SybTuY84FYt2PYPdntC+72BZcF+UaCbNUaDnjwePFlm/ykY3X9hKPPtctgdYGcmp35m4dVEG+QSXloDFl+QmeossFfseAv//33f7aOHzQsdWc62k3X46i2DmI6u+dp2T3PGH1KbP5c/oWw/NMln1DiRH6bFZ8Zm4tVZO2kMCVc4jR9Hq3nd2EVXyIrKfKJ/EXM5qbL/FtOuWFzdv7xH+enH/bOPp5f9IBK5oB9AZodQYWYF1kbeKNt4gtpA+s/voYIdcKG+Gcpov8cCqZqbQ5MKMY8iykxYtjLd6R5BVAm199qS7A/yjtPEaSkDaCQzqmmNJ71GS9EmU8KLVPmb7WljL71Ms8hgqpO2BTzXfr5d/NUKO84TG+JQJPnjRXjjDfaEHdqoeZRZoX/3EWRoMhGM7eKY14DfYlUGRRCK+5jJ+6M74bElo+sKwguHTF376ysvLJ+nhfXjDDKuy0TlX/Y756nEfKS5JSWwugU+Q0PSyyEfcG2cBs6PXLVZRLVfTDxwbaLFbT6wkpK11oq9AHIOlMlBVD1JmJFqdvGWhkkoiGj3XvV584iHTKwWSpqEWxxwKcaTWRhTkoi7TgNwsLTa3KHp8B23KbkDvnFhLZMhYDXVuuwwqR0XZ9389LPU4oybSPJq97ubZiZhemX4zG2vfDcnJ4GGVylfK1+Pj2Kj/Os7eH866erwnPbr66s6aFdSmeqVQ5c4L4fVHfaF7bpPjHUME+OcLYNIXecDtqgE+7bRzW9qBCueaHLZG7VrNso0o5irj6ny45NWaQjbt6vBE7KDyAmm/P8qJOqJwI9mV3IRaewWjBAvDEDu5HzWN7aMk+NKI55y+dTuY+XhK9goj67ffY/0A5CJT14AAA=",
text: ####"""
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
  "/api/jump": {"get": {"summary": "Where a value of the first term stands", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "text", "in": "query", "required": true, "description": "The value", "schema": {"type": "string"}}], "responses": {"200": {"description": "The row's flat position", "content": {"application/json": {"schema": {"type": "object", "properties": {"flatPosition": {"type": "integer", "minimum": 0}}, "required": ["flatPosition"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/row": {"get": {"summary": "All values of a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string"}}], "responses": {"200": {"description": "The row", "content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "details": {"type": "array"}, "texts": {"type": "array"}}, "required": ["id", "title", "details", "texts"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}},
   "patch": {"summary": "Change fields of a row, unless others have changed them since", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string"}}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"set": {"type": "object", "additionalProperties": {"type": "string"}}, "was": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Changed", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "Others have changed or deleted it", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/rows": {"post": {"summary": "Add a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"set": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "201": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "It cannot be added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}},
   "patch": {"summary": "Change fields of several rows, unless others have changed them since", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 65536}, "all": {"type": "boolean", "description": "All rows of the client's list, in place of ids"}, "set": {"type": "object", "additionalProperties": {"type": "string"}}, "was": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Changed", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "Others have changed or deleted them", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/form": {"post": {"summary": "How many rows there are, and the texts that all of them have", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 65536}, "all": {"type": "boolean", "description": "All rows of the client's list, in place of ids"}}}}}}, "responses": {"200": {"description": "The form; null for a field in which the rows differ", "content": {"application/json": {"schema": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}, "texts": {"type": "array", "items": {"type": ["string", "null"]}}}, "required": ["count", "texts"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/export": {"get": {"summary": "The list as a file, whole and of one version", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/filter"}, {"$ref": "#/components/parameters/sort"}, {"$ref": "#/components/parameters/sections"}, {"$ref": "#/components/parameters/list"}, {"name": "format", "in": "query", "required": false, "description": "The format of the file", "schema": {"type": "string", "enum": ["csv", "tsv", "jsonl"]}}, {"name": "spreadsheetSafe", "in": "query", "required": false, "allowEmptyValue": true, "description": "Puts an apostrophe before texts that a spreadsheet would run as formulas", "schema": {"type": "string"}}], "responses": {"200": {"description": "The file", "content": {"text/csv": {"schema": {"type": "string"}}, "text/tab-separated-values": {"schema": {"type": "string"}}, "application/jsonl": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/import": {"post": {"summary": "Add the rows of a file, all or none, and none twice", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "format", "in": "query", "required": false, "description": "The format of the file", "schema": {"type": "string", "enum": ["csv", "tsv", "jsonl", "feed"]}}, {"name": "name", "in": "query", "required": false, "description": "The name of the file, for messages", "schema": {"type": "string", "maxLength": 256}}, {"name": "dryRun", "in": "query", "required": false, "allowEmptyValue": true, "description": "Adds nothing, and says what would be added", "schema": {"type": "string"}}, {"name": "skipBad", "in": "query", "required": false, "allowEmptyValue": true, "description": "Leaves out records that are not valid, rather than refusing the file", "schema": {"type": "string"}}], "requestBody": {"required": true, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}, "responses": {"200": {"description": "What was done", "content": {"application/json": {"schema": {"type": "object", "properties": {"message": {"type": "string"}, "notes": {"type": "array", "items": {"type": "string"}}, "added": {"type": "integer", "minimum": 0}, "position": {"type": ["string", "null"]}}, "required": ["message", "notes", "added", "position"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
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
   "problem": {"type": "object", "properties": {"error": {"type": "string"}, "remedy": {"type": "string"}, "fields": {"type": "object"}, "deleted": {"type": "boolean"}, "picture": {"type": "string", "description": "Two lines: the filter, and a mark below where it is not understood"}}, "required": ["error", "remedy"]},
   "done": {"type": "object", "properties": {"message": {"type": "string"}, "id": {"type": "string"}, "position": {"type": ["string", "null"]}, "effect": {"type": ["object", "null"]}}, "required": ["message", "position"]},
   "program": {"type": "object", "properties": {"version": {"type": "integer"}, "program": {"type": "string"}, "title": {"type": "string"}, "nouns": {"type": "array", "items": {"type": "string"}}, "columns": {"type": "array"}, "titleColumn": {"type": "integer", "minimum": 0}, "sorts": {"type": "array", "items": {"type": "string"}}, "sections": {"type": "array", "items": {"type": "string"}}, "commands": {"type": "array"}, "fields": {"type": "array"}, "imports": {"type": "array", "items": {"type": "string"}}, "exports": {"type": "array", "items": {"type": "string"}}, "canWrite": {"type": "boolean"}, "hasLinks": {"type": "boolean"}, "opensRows": {"type": "boolean"}, "copyTime": {"type": ["string", "null"]}, "notice": {"type": "string"}}, "required": ["version", "program", "title", "columns", "canWrite"]}
  }
 }
}

"""####),
(name: "replay.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA7UYyW7bRvSur3i+JGRM0/atkKoIAdqeGqBI25MhVLQ4kohQpECOIruK7j33E/slfctsJCXHPfRgm/Pm7fv49hY+7HZloVrQGwVlUeFXvYIMP1sNumZwqzOtCFxXCg5FldeHMez2jUogq3LIyhLqBqpab4pqnY5ukSmzQuJMQ14jT7yEVaFhXXyh0x5JiHS5yaq1XBPthMUtkaFq6LOCrP3cwgq5Z7DL1iodjW7fvRvBO5QgWhUtLI67ui10UVcJNPWhTWCb6SXxS6BVS7pQeQLLel9pvNyoLFcNfqyaepsw29NiDAu5X7D5qJ6hRLyFoVigEh+zHTw+kwKkabXfPuIFkQToxHHB96QNi+HTqkRvWFVhQXCUVkHE7jhsVKNQAtKgBypy2CNyQNFxSvI+Kb1vKrKWDU+M704L9j1yIKzbkXra1Q36el+xPpBheJ9/xmBEhowCE8NxBMibODIg1TCdTuEtqf4WZkL1Cx66VOMOcq5KnTnsH+jURye9JqPTaLRE12ho91uYQiSejmH63gQlbVS+X6oo0rXOShMqvmcAXAskgbt4Mhp1bRtqSbaJvM9VfahQ4hWrLbImeFusIJK7N28gupJM+vpVUip1IbpCK5nSQuLYOk0Ms3KEMwoSpjPDyICN17x4ITJZhVSVOlBiRV1qez+Gh3lMZFQGkdA+YBGqJ5vLc0pAlmFpZjMisiLSVumoQxF7NY7Qrx5fF3AC8YB1Gufy93BHzuLvaynLUlVrvYH3zOGCkyr1hInD0QG4VLHGV/ZIhgiCK2SD4c6Ewg6bdWG62auEZb1Q+IRwmvhaOAqrMStrS2yM4M/ovrGpD9S2/kKKcLywB2qjU4YkWLBtXRmAHNCLJy6CbuKeKZijcbPPSGbDnqZk7ObnBT8f2T7MmrrMf2JL8eO3ep5gMSEUk02g+IFQF+JUGrvno7A/W5Em1ka+j7jNCyMqUJIpsLoGJAOtif5jpjfptqgiVjUxVJJMxJN0eQUzp7vtxmgA+/pXc+64e+K8bW4vOJS7uGH0Cb9DJuxG8afYkD1FPQhaxa5OTE6QUbEXfqZiXi4Z24RrqZ2xZ/tiGQVYQS2JR/2UDApm7LyY9ioouOnU1Ng7g2I0Zv3STp2Zfsl15SwzxSXzBKsu27fKNk36Ro03xUo79nADPrebYl1UoUoGksAaxVfBBZ/FQrxXjSYHsIr26CqbofydwH6XZx7VnKjQQ1xzEu7ZI37bnkDfCY7ykpYmBvH3qzqP6Ru48sDCmEX1O0fPoQN48v/z19/30GbPrVkgVLbcWJORZV3nE1m3MNmq2t0ss60i8oOqdEp7Q7c3na0XjlapqMP0EoKbCKNODIrRloZbp5bWtELKxPsVh1IcztDt4CaYeEeod7Zz41p6ciPPlbqZeZJS3JR2bk9RWr2NWXia5TmPMRYAoMpWdbAlFxCbFGJsXTPuyVQsc2mLP7k/MxIdrOBAZZ64pCdRxFLtMoZxhJrFx7SxQedxG4zaUQd4mE88d/KvsJnC3QTOcrTg6yncG9Gs9yZrRQUUSbzT3b7dGEgoV/auqeCY6X7trZ1ctJVQ+rYys3M2+iy5bGBiu2BgKjPsmmhYiT2spzcVV6qbe9yjyJgH4nZ9Pe9Yy7UbLGJxR70UlfoRyyqi6ZSA4YnLqV2vSBJexTSimNVw4cLugyBCig1zv/4xSajOo0KJVAx+ZQS/Y1qttqioiEVV6IMXsxn+jA0H2gDmIu/kEz1YRmdujB67MkwutWWBW7nLflPCjSzVHWed2U2Zh19NDe9Blf6HkiB0RuKdQNBFGnJktULHC+ZNDy90poFZe8Miv+oNRgqtm6Ch+Lt57N3mMdBKd5jzCm8HPr6B3APIPTDOrs0uWCZV+tEaPiAMJB6U5zfeC996KZzCOTVYp7sD9+yuO1ybbCcPn2vnhkNohH80FLm3QUZvN7HCpjT1b+6bYDmdDDLwPfYYirPNx+G2ebFN06N9GhCYzPIyCAFZ45+0yDnuRX6Gm5tQviP7wkP2zyrvyElXRalVE0V/hH1p0Or9lOVXnbj4Q9Nkzzjc0CtuHgoSMi1dP/y9qPR3l3Ht6nR+qIeN9RshpSWQN1of2axpildH9nUx7bwd6BHLpromMghIEEwU18j7CLpkeHE/iDSZ01sorKs4wJIJ8Qt05DukkoHSIzmZNcuNxtHLu0H4ZOuMTd+He55AP+ui2iuvoMiSBx7m4aXnXN9ngm3HbjejzTLdHya9KXhp0JDH6D9vrhpi68jYEHM7E7dxar2Qfp3EE73+t8R7bZ6dztorloZK0exnIhJoLF87y4McI0REoT/UgthTJgZ9V6VLVZa4+pSZJt9HWp4lCJR9Q9tsQGaC+0C/5zT5eODxyWw7PuLmnRS0hGjYxGW1eeA2z9LQiAvB74XdsE9l5Q8d4MYXP0eh9+Jzrzz3rpMx9i8ZIwCBIBcAAA==",
text: ####"""
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

"""####),
(name: "results.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA41YbXPbxhH+rl+x/pAQcBmISpNmKg2t8XQ6bTqp5YmVTx7N8AgcSVjggcUdRLMK/3uf3T280KKn0QcBuNvb9312j5eXdL+xlFeldYHqFRmqyieLfz5MaV+GTd0GLO7M2l5TXjtn85C0TTWlehfK2vkUL9Z5CmDjQ2PNlowr6NHaXbdogmXWtbPg6Ip6n11cXtIdNhvaNfW6MVtPW3Ogcrurm0BluJGTLBQf3lYrar315OqwKd2abOUthZr8zppH0VIl2ebJNtnFReTzLKp9EKWmLGlZ2e3dio60auotTbJLVTj75Cc3wyGz21WHX0poOxA2dleZgxJe2M9/kLIn/IettzY0hxHdOi5FnpevX9NbB9f5PbwSNibQ3ojFtO8+jH+0Ba3q5oYW7NXWL6j0NKNyBUJokZutzej1ZSc4r4z39Ktdtd5UZD8H6wpPf2+auqHnC+J4wgNtHuomie5JZYPItzvbL2aWj6Q3snO3/IQcyMC5XLsEAfG9b4XieHFUc+6gUWP/01qPeC52BmG2wTZQWswzjSXXVhVBmdYVdgU/FrJa2RVysQ1jU4w/uJxWrcs562BpVSVL4+2UwHRTF9DBhA3/78TQnJ6PU1rWxSEdrCVTFI31vOvsnn779ZdEDzIz0R/+pURpPzrwmtKTqVr7wCkcbUetNKX1ySAsTTkIiVDSq7kYlnayMm9Nk2/eMzV/hGTEV2SquNKVgbXuTcpNvkHZTVz9nUeM7ISOTM2S2CwImg+u6yLHXLKNNUX0AU3+VjtEPnx3f9jZCdhx2pa5YUdefvK1i2zjUeE8p399uHuXITtQb+XqIPJieAkBCjFTeYXzWkXH7J2T2RuYsrIh3yTRCVPhrixgGHbiobBp6r0EIyZq8kya3dc0m5KkHpS+7wucilqxIMrLJlPk2dYWB5D9HLgkODzIpbUpHcrHOoGHiF6cPiBZmvwxg+W9UezVV5Fj/Zie0Uut6nEkUeJUODQ2tE1Xv5nqT3PE5/vZD3SriX7dbbPTExyLhcKmuXa7hGnIMVV1uy05IRh6a1+K0r6FzwADi6ufMrPMFyeVLgm0ts42ElfEIOkOpjR/Q++Ef4aM9fZnF/rNKV3NUsWfC0LN9ljOHYBQpguAPUTdKdpfA3nKYBdTWqCwm8OCksWqrFACvOShijzVzZ7fmc8ixQsD30J6wyKvW8eEqLSFCXHRLOsnu7hhLfhbUA9x4kq3xbUySp6XFvWJ2pGuggrZGLfGs0IFHFOWt7FVVfMLYz+Sl1/xVsTXlSmrthEDGptDYmML/oDH4Rt9Xx6wz3pElE0CoDPVI8gEW/RgucguRkEY0GncJ5HN8BgCMpkhUcVrEZqkFcw5ycUheP3rX6bsc8UPvLJLlCLLMjA+apFz/WlbVcqbuBbb+OkiatiwxFm3sG4sMKvA0seHbg1e44WVQWft1+qKvYbl91C09DZDHdfVk+XUPYOniSSaFvXXsBbYU17aJ2jp4Qz4JzYVpQc0Mp8xOjLLE1Slb7/tF+DTCX//YZwlFpFMOCAQz4+4PAJ9PsN1+HGiiQ3CCSe2PGNi8zvn4+QhpUGOxFZ6xkNky5gigerAOSrAkZ/EJM74I9LHbUkH7P8bnSnbms/Jn7/viHkmyirr1mGT9ocEuiTOqs7ErFTxeKYDgo4e09dbnqV0/soFneEAHiGkNW+AMvDIug4hYucAF35T7+Ng1wKaW6ks3wGXZ+c1POGpJHXptiyKipP1hQ305g1dndhuwmRs60c9+3CblcWpk6Q4ztJySuhrPHHUiZHdBOv69vz8Qq4J52XI83yM5Hkq51yovx7kEwbyv+slmtXSn0YF5wFm3GJlIEq+Nv3o4DONPXCOjhiLaVyfjGXYU9hQDYZmPughbU8mLgG0U5EKb9PIRIBqNIN1A1jnH238SaMddQgBhyYuds2Ty/uHqxn9/ju9Eiu6lhzpRsk8mg2+TF3uIIqK3FR4t+A0jzcJZE8teeuA8JL/fA3BnN0nczZSUN017xyWxvsOw2IwTUj6+KrHGPMiciZJhE4JQQTgbNf6zbCBpEVe3Jdbi9G3W57Sj7PZbKj0GBLOgf8begHzUWLJkMelH29h3F37K0VMlOVhcIfPm7qqxEvsu/HWMEplQyOA1+Y6mIqV0e1iFrSdvL/7cM+4yR1AFcBXP6FnkhlJ7CFH7TB8SxwuEdwZDYWSoZYVspiOh8vfDh5jefvSb2JYQS+TjPG6LJMhFnqcQ9gOPjuprH/W0ghVj2RogfHtSzUz8HPx86WZfCga+awt9pim4+YZzCPDYsLjy4vqhEFtxQ2xv2YmceoR8qHDvFLKoZqi3/T+7Mm6ul3DKUBuyzWyNe4gPLgYZJBeIV231rj9pqzsDTPlHq1O6qdtEMHxktajUXrZKP67vlR04PjTfAB2bYMyhqB6rlLOFUz5jInXit+30gXp9lYWIyhen2mAtyfdA/QKn9P4CwXDXJzp+a+HfZX+DapJVJh9vXa1wsZwfDJAdcHRObRraXG2iCOZhiMb7aBOeFy4zWB1N8FyAAQuY5zjTWSM9Ppzynz0M8Zwm9JYyygVx4/CBHOKqDLKsL06rKQdfHDaJUJ+c5ZaZujJwIuGyZJPZeOG8cX0FHGL54EO5jzfNm0CFKPRANmdZclcGmlffskZMFDaY3zWTqcs+HNkxXHaR4Hvjjq1Mwd4XxdBL4vT2GZlmAdl/9uHEscNUHcbfCBiUnShumbdDeJJ+mXXHEU/KrbuJ/SX1GOPjsgZut7ZvT/HXtK3Izg5KXNodAZ8qm8KuTB2VTb8254v/6uQM67FuBerj0lgduetJ2sqnC/RctCG/VueiV7w4V2Zlq7HROcYMjgmDMuDbfEWwotnGp7mxomleVV7SIr4qy6RtURDxlfs/wHEwni34xQAAA==",
text: ####"""
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
(name: "rows.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA61aS3PbRhK+61eMK64FYFMQpXWcRIqs8nqd2lTlsbVOKgdbFQ6JIYkYBFh4iOIqrMpxz/sj8sPyS/br7hlghqLsHNYHGRj09PT7NTw5UT8sjTKFWZmybVQ1Vy3ei7xpz1VdbZqRWhqdmbpRuszUrCq6Vak2edYum1S9vjH1tl3m5QK7dIvPK9OoeV2tGEvTVrVRiwpr7bKuusVStea2fVWVLQ5Lj05O1Gt3sAZkbWbbWWGyC1WVRjC+N2bdqBwAIMZ7swSPVFOpeTXrhDxd5ivd5lXZ4Gy9BZ3tEuDp0dHJkyfqVW10awjSbT9XEyJoMlKTWaGbBg9L4CmI3bxUk6rECnFSm6ZlEnXb1vm0A5oL1dYdeDStYFyt2y3RPVJzXTSG6Sm7olAlFlP15OTI3K6rulXzrpwRjWoZt3oxUnfYpS7V3W7E0hmpNE2HY9TOfsPqbJkXWW3KRN0dKQi7BFGWEwBlEAM9pjPm00qWzkguAJ7PVUz41aNLpitxW1NPJ0BDbwQ/r2oVyxlvS70CXze66Mw1mcj301/MrE2xoc5NEw/UJkKanMbw7jj1l78ot3ApIhoogBBfOhyxd5i6BCyL+UpFkTqXVWZnt0eiuWFzsOo7RGVVJsOJOste045vYOimNHUc7ucjetj12pRZ7CkgnedFi00xLyTq8oXiJ59Zt+CYZZS1abu6N7+Lo93RkdC/zLPMkBmcvH3XjfHvmP47ndPfz+b88gW9PD+dvevOxuMp/T37/Jj/M/T3+ZhfngNqbub0dz7/4pj/m16fLC6Cg74uv8lLGNfeeeMv+O/0/3/4UW/163wGGRiITtd6Bin61jyrMihd9d9SenqFxZdtPO7NmKG+VOPbs3HiRPoGSi4XKcWeV3ZPDIBn47F6ymh9+csxUM349rM52RaIf3Z2ShY2+fLHp4/vCCBtK0Eanz5P8PIjzKB+pRsTJ+laZ29aXbfxs5GKxlGyezHxlDnryJFi8eZV1bRsIfyeFqZcICi94HUcPXl8x+tNkc9AsYVPa7MuNBZIPdnnrJ5sOp9fPz7BgTjvj99+n4Ba2grGOLy95DelG46eBfRLMWyzzGdLxCCJ0nljDYBCbLGl6Lnq8B3ekvNWXW5pNyJIxiFQcyrww5ewCCCyoJBNvP11PBZ36Fqf/54fOX3krMDRTjmogd+7iN0I/XC75v7ZKxDpzDc8/Wz88/gjBJy8q9+VJwi70bsy2qfLukVAnpyJUIPMgiNKs1Ffl22Rftetpqb+itfjyADZRUjmrOo4oMYlQzJVgiaV/9yHvX0l9pls2DhSbzmtENvXjGVCBgrkDsFOPb6TRzbqU5gVKfGct+wmVsZvKFNtKKlm+XyOFMfJk7OshsLXOge5MAQGySllG0p4BdnCFrQ12F5WSKzbwqiZLmZdwbmWFdS7d58L4j5FewHd9/USCf2yD7KL/RTA/mohya4v+5QgIfbXX70cISn3Sr6c22AQD9mCogafR7vJZ2wk6L/xCZf7mbE2q+rGHKDL0HEfyF6l+OVOJP8Tl0uutpIaqjmnKopMnOsiSmUs+CWccGqQChpDflIiL9WQYI3yBw96AS0NenNu/Uu3Ql2kp1UXuirVNOqVnMeS/4SwWiv+yej3sImYGfpk2mVQAT4hYsJgrOjrboYaLl7X1aLWK/hFXU2Ny/E4u0ktN9hogdzKxQDT5m1hPAh+F7I8qDVT9kAVE810eaMbeCyo5GLlFotnWZT4GIg6OWdqvHVUb47P3RFnAX63bIiNiVlfKka/WkOViPBYigfMSUgsvJj9G97Im/n9Tf5vQ+44rHylV3nBXthvLjVsTxdUbHkiTFd6Hcd3SqS1Y0/vz1oZ3SAg/UBsM0CSchGO5HZ25hP2oIbd91DR/fpN3uRTlsDba191qGvh5rQeRb0AOWSDlIbKX6IWdp3X0hZICCdDn+c1BEtNxIWS8NSgGUBoGsHCZ7qDC/V1PuINZc1qPqdHrTZ1BbuWXWzSSlkRxITQ6c6rAKk/gIf5X8W3H9EXRItBPCmcjNCgHsTeNi87ay2+DKlEZKDwkxXfMcJs8MEpERS91rMlKVIX+aJUKN3zMjO3rE9Hly3HfYyoZ6hslE1UNkZtrXOkwUXkRyv5Jyy3EhdtLiZi05kpiuYtH3itrqhqHqnn4+QiPNcrRJ6oT3G0b5Zu9zEs5KGTRdOX6lvdLtNVXsaHDZWi4GCnI8vcZcAcojYVaefq7B6dsvPFIeqSgyRfqnsivVLu/NPn6lxe3Ck7e97Ot2sXLtkss4piLCxZur/CzGGjsNO+xa3zxbK94EfxW7LeYqO3Nn+m6gdqX8BNg95YojWFeNS15cJk1rSBX5gNY1Jd4ZRLy8CxFba+jU/PUCf2oofcRhbmiRqnzxLLleAY/Pp+rPnZN015kq0FhNcgktkgzl52cTG4FX9zKK0OBKV98REzoTOTF7FPgVVZ+oBJuBB5PvDZox54Pfs8SXqbsYUpiZ1os4z3rdoep+xiQ3bax0JZFxUYwwtKZJGsQ6UYt1UbMsgLMDCWijNF2Dt6AzjQMavRoT85sYFzkd+g2tVbhMI5TUm0m63AgJyZDWGTjG+zrKBHqIIsUozraD8aEOOW3Pt8Pyz+vXCTNqge4lgjTvNGYWxKIUEe9XUvLy8Ci1ypyiFKEnZhEiSk+IIkEcjncjDnXsNfPB8FQEn4iuMFXX+4d8KXaOYoyj+y7Et4S9QUZcR7B+9sollzt+VeGf3389huRWV+fJrg8FMvPgxS7hOi286GP4hZHmV0MVQ/CMVgkdiFt57O64SbTRQKHoO79e0kSdJfKsgiUlHgx9wdXXrH9+jdCg1YLEU2tvcw4frBrG+fDqd+9yhfbRP9iEiSksDWuX+v9YYHdTKNc4ND9BWV9KR6S+0M2kqKl1WNr/7A8X7p+i9CdTeMYhpb2HwLiUvZOq/NULPw2z+4dZWlvTKWzw+qV14BMP8flDcv5y3V2yXbBMJ1BYMhYl29q9FocLJl31yBU1ecow1glvyZKsuERpI24OM8+HdskY0kd4ycEh4osB8urPn/P6lWuEuT88QxDt5RLMBHn0pZw2L4hPlzfZw/2XOdT4+rNzRZCMuGe9ABbAhj+/FXdtBGQ7fAgkNfs269jKNplkc0Sq0RI89VtKjzjKjHGlsSu9qD8W/3+O4hnxXRkq9G0W6CiiHx2ohqMzS5dPQGDVLV5NQHQ6XVekRrXxNmBDJAztBUgKCuRnylfr5+P+KIBmtAVtPYiOpgF2h/Twd7wuIOGn/DZUcDdUL2MQRozMx+p3Z37xs3LiBeOhs8UFQKIlErQeFthJMj2yy4QjuRz+m6a5axYwlytI8syK6kkYILb7QTG6/SLF8FuyMs+EAitxBE1nwoJ+cQzq36kFbyIWBXNvomhCM9BUC0kL6HxVigAyOPiK0O1ifb+oj+gR2ZbvVxA2uMxDQgNT6IliA1Hkw8vFvXuT6GGNmOo8HwPralF8xgoaQumrmzrniwEn0MS2FuDPmaxFR6+diOaddso8HovSM/wmirp45HUT72UvdwfJrcD4BDN5aLF+o2aMPsoA4u5k2i3JD/rW6vXeFABbHttsjprtThXovDxH5xAhu7EljuOyV4JX3zJhAWAF1L7BfiXgeL9P7IiQvPhwJWjzT6AWtM6UyXVC5OZaSb9sTttY52jjwcSeSkzbLaSHHI373ulT+H90bejuESSf4NeiQgUiIHVbnvGibiZ88gWCYssAJXfx3Awz5jWynrNlbUVyjqZkWXGSdwd4PkId4NoZxKFT+WS+lCPjHzovnSULfnR3UXy+dVkVFsp2pupBY1SWEXNnOE0rMyHo5wmnsoNtMG79U+/floHcII7QImzwPkIFc604teE3p/fNc7WmQZtvmQMJGcnGwj589IlckDqP90oPLhURSioGQd29HuI5F48tC2j4YJe21oCy+9WNRmQbfDI9tzXTsNDIrqI0OQDY3M+KvMjKybUICxE2e6RfK8ZHCle5+sz6idIKcBpaWtl7FzVllwLo+eJ4rpjjkRrSQDAp+rcPNVOnyT0JV4+9y9g1wykE3fl7ODER9ki4+c5V+pWB5e8ABm8tTdV/BqsqObq8kf//mvWz5264nvoFKDrvR7E+cNVfV+BfrILdlmRIolqv9R/qA5IKa4hLjxy0IqWPqpz72d3Dkc3G5ryMj6IJstI1zTKLls+R4kolHf4TPDPHmuTgE61K57G/ra1eJzpa0jgm4YiIuDH5tu1fQfG3hN8JXFHXEVmwTdjnRu5lbP2mKrJnT51kxUPLl7b7ZigSP1x2+/Q0Ng3XQNJaG+v5luFYNRz1cYlE88+1pRn8c9nu15MpwRM+YwMG502fJ9F3V2NK5mGDcNB2Y7C8dTONoCsTRE8e4MZOW1u13fm0+8ZSot2dfSeUL3jo9waixUccbmgw9Pit3eNMMTvIJAHUDfJbH0v+P+neYszogo2YW2Rxe6/UoixWZY+e/68RxfRg497L184vHNV6ngNpC9YBl+PRKys7BqSH2G2O/6bjDc0HgbRj3r/UCWvZi/ky0l4QSnB4Z0qEBj1nSb0iXaG5RxMDYHzvduPh3pGu132X5HF/o0/ellDm2hG29iMYkk8WWFdVO3f+PB25D19VAB9cd4m+gmULYEuIblhzENddPJifq2uiHv2VRdkakWcpG7EvkN04Y6Qb7dM26SuaiUruG3Gf+QySFi9ZIGS84aWnKL+12JslfVYdGm3EXqYdmGQxH3qxePl6EQUx/S0W4Ydf6T7pTh25qHKTlf82z4WjmnmrSoygXC0qtlXa3ybqVOP31uf+LF/EM+civnLqUHWfNjk/ZCFqVvaZJDRrb1zWswO2EvrPXoa6gtuTL0e3sPRpjbwM+MItnstRIfFLCWW+7+N2pxMvQn/S/XONT1bynqd+QCb+Sp3a107C1ZZR+4zXjJXQDfZWzo5x3I0AioU43MDQtyV2/vS8rWiOP0y4s8k+sNui+n0vfej+5sPIffIabFBEv1cRjUPxRYaIfXXzuf7e/oemAKvkAcTpMOxl0P5f241FZ91E/cvPJ/WJoCTfgoAAA=",
text: ####"""
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

  /** After another choice of columns all cells are made again, but the elements of rows stay. */
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

  row(element, { row, position, top, rowIndex, selected, cursor, mark, overlay, waiting }) {
    this.#cells(element);
    element.row = row;
    element.position = position;
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

  /** Draws exactly `lines` (`{key, head, …}`), reusing elements by key, and leaves them in order. */
  draw(lines) {
    const wanted = new Set(lines.map(({ key }) => key));
    const active = document.activeElement;
    for (const [key, element] of this.elements) {
      if (wanted.has(key)) continue;
      this.elements.delete(key);
      (element.className === 'section' ? this.#freeHeads : this.#free).push(element);
    }
    let at = this.layer.firstChild;
    for (const line of lines) {
      let element = this.elements.get(line.key);
      if (!element) this.elements.set(line.key, (element = this.#make(line.head)));
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
      // Painted after it is where it belongs: Chromium 156 keeps the old style of what moveBefore moves.
      element.y = line.y;
      if (line.head) this.head(element, line);
      else this.row(element, line);
    }
    while (at) {
      const next = at.nextSibling;
      at.getAnimations().forEach((animation) => animation.cancel());
      at.remove();
      at = next;
    }
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
(name: "scroller.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA61YUW/bNhB+z6+4ol0jpYrtJChQ1HWKrOjbhhVr3opipm3a0iJTHklFMVLvec/7ifsluztSFBU72TDsoYhFHu+Od999d+xwCJ/nuipLAwLKwlioliDUFnJZrHL7Fqa22kyhMGBzCVbXNs/4p+FTMBMalvijagwUdgBX5sbggmYZTauoz+Za8gkplRkcDYfwPW1JbWAuNizqzDnjIEu5lspmYCoQs+pWgttdF2VZVAo2xZ1EhytVbp1beb2ekY8bXW0qbVFGlGNocinLDG7kFi+nFmCrep6DsWIL8k7M7eDoaF4pvPKHq08wgTe/jEYj+jf2yz9//HyN62evw8qnqw8faYVkjuQd2YJ5KYzxQZQa7o8ADW1QCmUA42Nk+9vf0X89t5UVZfhCLd3WGu+8iATR70KtcGEpSiN5UctIXpgblj8+5k8l72hP1WXJ3xsx907g1/DkBKZsIEk5sXOBji9ALC2679KdC1zOhVrh+mzrc40ejBkkSoKwMN3y6YUWjXLf8Ncff/KFpwM4GaIpDpqu57bSCcUKE0qu6AzYfsrBAvhp9qvEbGAYi5VKbF6YDO7hwAHYpWM+QXsDsVh8vEWY/IColUrq5Nj5eZxBksLkEkjT4LlbpNuyVrJyK98SlGXQ57Lr8DGBpDB83mm593qiLBRm7BdLgUFL0jHsnnSMzyLwtEXn+CMh+0949JQiqRZBDQPiP+qZCzWX5b9UtSPsrKQl5IkSQ3MPWtpaqxAeQvO7CRUThiMIE4hi6R+FzQdrcZeMMv+7cDn3KjJSkMKpU+tKJu0U4t0f0xb7sX/cI/+abtTkRYl8JK2lfE4dQq4J+E1VlwsygkBfYYXVWgKSWWENIpA4qV57bJMzs9psD0XCA+XbN9hIjWS4pkAPVNUk4WK+xN8xyXj/Iqj6ynC4FFTMfIqzGdyNsYtVOiHB0wBMY91+sYTk2WybeifdYifEx+LFlnv2XO/UOUHCAd2RcyBmJiEjCIALOOlF330QJ76aoJ9ODfK37Daw5tD3ofeAMZO2WjAZkXtO+nEQ4X4WzqVpdNIzcdByGu7tIigXK+kdwUuM4OXLTvYSRildlTYvJ7GbqOasJ/ouWKetKGik38eCkFfKJO3nwjFJt+Q5OhRfK9Jio5RCXxdrWdU2ZMTYnlLfJNBeK+g5jWWiZBKS0z6Mew5Foq3z6Z6X6GfGeO58ppL7VFsTtWnsylhUBUJWlpVaIdc3hc3RN+J4KpsmxyhjZzE4LYwdBRU0Q+Bqg31JVZbnghLxt9j6amyd8jcrsTiRbalGu4xH5dABOA2xCPIBSC0gCUktGl3W26DgJHNleWIh8PCkI3kkor88fnhGMYxLdJtnlgcHeOxa41QyoxhhdAYPYx4wGJwMFeBWDpbBOc4y6X4C+yjd00kqvM4+zvsWHMAPG9uFSAdu8EZiekKywAJpQRcmGzhEdZRG1nCAvh5lxkfK/iFBtqhHoPVwey1uJA6ZtzgVKdn46c1NkoJXSF2hMKXYS6zEGMwkMibnEHgEW2qxljyXikJZuejAmvhehypaBHJ+uHk9m0ziZhZBNOpwKEJ/x/GWG5YGxm5LOQjT5vTFfZe6rsXuNnfTOF3/SK+PMuv/lYgHbHSAhrquEVNoyBg/PqaGZoSlrtYZMnutLE657kESPUJAaNxadK8UphehJbNORrWrAhFxTcKiko58kDZwTMxFiW8Vrw+WtSYpn+BGKJssC22whuh6GdvIaKxGEuCii/u71xHF/Y07hzFiLfAqdBJ3QiH1xwXrNGTwZtQTYx8nTvryEs66MKMnAwoRtbo4287cKZ9Mqa+RoK2o6QVj7i7sH/qF/1i4P18QAbP+w+rJI1QPv1+cdfJo5ikrfCYCSkXRIROX8PrsPIUvLuW2+opqvrSWXBrgO7g4Tzv78SqqxvNf47gxbGLXL86z2OIruDjz7vfi3T7DsOJIbgcv7lkV/Wgj3v621W7a3cafDIXP34dGttYE/403/JvP9fe9EtjrfcQUaafzYSFRM6b/C0Bq0/K3msYIZDp898Ka3z5EcA2tNgW+6B3qnZ4+sqlLTCIPD3jcvlLbZf9Y5aPv90eXyOWM3+MpvHWvYOAz7wcP7nLdsnFTmJzK2YWQKEGskJczkPg2otgUbbWDQd72t0I5bDs85fczgG9tNLI7+hvGSFiDQhEAAA==",
text: ####"""
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

"""####),
(name: "stream.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA31YbW/bRhL+rl8xBYqSTBladmMcIJ1jBI3vmoPrFLWB++AG57W4klhRXIG7smy4+u/3zOzyTUpqA7Q0nJmd12dmfXJCH8i6Wqs1mTlZXT/p+q3VlSP9hKclAwLNtZstyS2Vo5XWG0uFs7qck9noaoIvVOuZqSo9czalyrhipi3ZotTVTKekqpxsKXK7wi1J0bLIc12RU4/Z6OSErvioW7OtZ5oKywpoa3UumhfFE3RtNzQ3NS2MyUnNHUxSdP78DNV2p2t/BGwilee1tpZmqmItc1OWZgfDNU6ucrPLRiMYah3dfrq+uvn5ii7op/P/jcfjaaD/8unjx6sbkE/HffL155t/X93eMX3A/q9PNx+uQa30jm61i+/fjccpvRuf8uMnfrzD45Q/nZ7jccYvzs6+JNPR6OTNG/pdu21dwW6ab6uZK0zlo+zUSjPV6WdHRUUbVXNo7aZESFT1slvqOkR2psrS0oNeFy6u1BrUXDmVUpEnDxI0rZA7yWZGb05G+nljatedJ29+UzVyH7OShF5HRKXmpMLDC4qiaSCw+gGhyAdf+WAQ7r8wwQeoLCoWidmRhC7ei3KiYu5JdHHBCpJA9i9YTYbaWbhlQq1f9NdfFK2RXLXQkXcy+9MUVRz9UUWJ+DsNSgZ28s/AMP6pJe7+216e3tyZKRGSC4l7horRz5/ncTSJgmrPNC90yY575n/SmC59oiZezpao/xh1IAwD0SdVbvWBaBQNBfnjvWf4kU6/+BDh95Ia4hkEWoagnwMXDGN+ySriGkIh53pGXVp9yM3xAbPEdLO1y1j4k28LFDnYJfut5j0/fFyP0i2V9KMPq1fK5WIdqhoqxp7EtRozXVf5lGI88Y4lu0Qg06kXSxJ6z5KtEmbnaLSVxJUXi7gPqzCmovCemd+2sf2jjuiHH0TD+6DvkgILIo1PSdIvldAXh7qTEIW9b+07gI6uazgFxwRdVdXi1Q5NrhlZGZoeTf4C3Ot3p7Iv1azr0U1tHku9Rgi8gq5HRfcFvUr0Xf0S3A9ktVOCFyyT/WlNFXsjARoM6J73hGcATnh+CZyWEeeXu1+vp2IenHNbyx8rsurFIiBmu1hmIx+PkPJX7+yEHthxP0iCPp3T96/BCK9snz1wJtY6f5mg/lPKsoxNTsNhExqwd1Ed0Rv6jKFjg2UyuICXDwH44+SBg1vAOQwSZVc4Wy0U/GmRMAwqhDVjbQ/4K81yBJ6pvPMWxBGPuogAQe2oK6pF1HDVes4TKw6JSh5Y9zHWspJbMToOBqcEhGizOdvWNc9eDJRtWTawqpzT603bKR6aOdc9wo4TmptFnyYzF1nokZTQQJkrdHVDnZUGxh9SMdMsaB9RqVlldlw6ow4nJQRcYlKpca/ZZ6VW9V2x1mbrYjE0dM/AaGqcvczUI4IU93As2APA9/YmA7z2FqzDYOmFDDP4A6v62VSuxuTHQEsG6KtKLBMs1LP2wN4mju0s6QXWateweQ1sQ2N92qwUDVT4P3Jk41vXn61FUuZtp8qeFbe1nKKrbLGoVDnxZ/kvGCwoZI3Oqcxb60ytI9q3BnMAZS3JlsrGgz5KOnRsDAgF21pwhDTTVoAVS9S/A2g2YUeOfLaGOfJxBT3uKfhKn3Qvh9L7njPfBR/MKkHX19jnONNXjDYH7k0Hsd3wTsOTobfgHDZ5vw6+7uGxXwftGFaO42Zp+fslcFgGIS59BPrP7eebTIyXTWi42nTgHQveJgNNAuVztS0dzxuGyA22JVpvEQ7eh0tjVhiMK43V8rE2KyD6AA6pywYDl4+xP6dnQJOjlnYIkweJAN7lvsh9tnjeZZtio++QTUySmPN5h9XgI6AVnAEhkyRbaPe7CHfhky1hOj2u5Fe/iiC5BhnctxXtT8/4T3xQzcKJCj7O+SPYVx2zz0Z/KWrCMBylkoH/NrMdi4Pma0kqmQitXoTRhVRPWhiVEZX1Voy/77VvIWMvD8Mp1QfBXJeKUbgp40v6VbllhtPicMtJ6Xw8xmg8I6wxccOHZQj4AcI4+8c5Vi2RqnEDMUgVndBZgl0pdEQjg5XvdIj9PQwNBqbeomZ7akcMuugAqo8aL2iIk3b/9KI73J4OZAcgHwZjb+LkZrZd8w3pqbDFY4Fb1sstIqn9guivq71bSjdZj2ZCV5btrHV1s3t/e+zB/jRcPpsB0i3eQROy7sOIDx3QIDECPu/bAdTacDztBao6eNoP4+YL9huTtH+ns05XcqtTNVo0JQ9cSxRDycspwuDfZBhlcrm/FhGoGXD255ucHQZcgBZ/TpublKIuOzOokHsg57rP7e/54DUV3wAi/n/EThi4NQu3RKqAfpV2O1OvpBdZ0q+LZHDBUb5DS2XDP0F4o9Qg1QTsYRjl1x1uwhsb/umRZ18zZD4PlvgKOSyAr1rPuG2XZsdSYoSI+ls8Ks8ye863FsmmX83aNTNM3rb0w3bX1aGAqE+mQ/XWPC3upbbSduFJmyr/kgy7RySSv9vhfC57pH1o665bm1tDZ2Ha3q1wl5qwX56CMpJc3KDI4662gwIu/VDLaXP9+j9WoHUy1RIAAA==",
text: ####"""
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

"""####),
  ]
}
#endif
