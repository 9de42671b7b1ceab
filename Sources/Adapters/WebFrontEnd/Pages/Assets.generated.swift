// Written by script/assets from the files in Assets. Do not edit.
// swift-format-ignore-file

#if Web
/// The files of the browser page, as they are served.
enum WebAssets {
  /// The beginning of the SHA-256 of all files; it is a part of their addresses.
  static let hash: StaticString = "26416c1ef835465c"

  static let files: [(name: StaticString, type: StaticString, gzip: StaticString, text: StaticString)] = [
(name: "announce.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA41W227jNhB991fMosFKSr2y06IoYMMNFmmBPmyxRZtFH9KgpqWxxUQiDZKKY3j1750hqUi5FGjyYHHIufDMmSPNZvBXJRxIC1bIcgFaIex1LR1CLR8QDO6kVrDVBmxhEBVZRInGTkGoElyF4LSwDg7SVfBFlZpsFBAf0Bw5mEW0+WQ2g6tKqB1a0FvQ5GYsCEPbbdNgCe3eh+MagLwbbWMI2HIVFgutSsppY3gBm9YeqUQ6Z504WtigMGJTYz6ZyGavjYMTVNDB1ugGknxm9MHmdzZZTiYUi9x+/3j1C6zgh/l8TjZ89D5FLayFj0rpVhVo4DSBHoIVVGlSyodkSpH9uQUkdq/vUZHJ6Bp57YRrLa0TYaT4wBAmZA6IJtBlSwr4DV3aUrxT51dONpRpBXO/qhnMfnEQ0km1C2sy+MpNWzhtUi7RZr5CIFCkzb2Fzvpf9u/Yx4pj6vDR9UepFdfUNSsaah3ZwR1kgT0D4kqr+ghyC9JBKbdb6lY+5AmA5Ox8pZVDxQX/585qFdJcwvrsxE/d3+18LuZrWPiN5RC4v/zPwiHd5pBmT7eYnZ/Dx7K0xDZPOuaNMMcFqLbZMJmIVtxi2BzhwAypxH6PiqgVHJqciC5r9M6eNnThCutyGu7K5hAqEIyRt4R3q5zN4XxGJYiyTLlzUxi1pUeVByQNxLrh/NMY7ZYL+7y5w8LlBIeRaH2QLGN403Aoi9fnDe99S6HTV7bLS873bYw8xm0oKD6FTc4QDgSOff0K79L+LC1iXfd4tKNsWV6j2rmKSjToWqPGmXqyWnTX9Khbl6YZrH6KMLw8Nl9G81BKzN8HDw5M0vWv1I4FEEnG5zooonCwIV9nfcQA9l4Yx5x/AfH4No3Yp+nzpkxBqhIfufAYDZidYTd3+pMuRI1/Uiy1SxMa8KyjurwP8ThJiLrrWKcftptIHSb7BZ2Y04GL2w7W3dmJE3dD2UNlTwrAf6/AODv5q+V3WqqUBSXrpkzuoJ1POJDxN+EquuRj+v18Pg2y9gHSYYZoNUxXlsWZoqnimfpMEt2gtWKH4HWVO7fkud9p9NNEc4D1FlpV0zHeEPbehheCbpAiq50fkGcKeu3fCcwJrLEJCvGGfPpXB1kqWZaoSA9Mi71Ijij0QvlEL8/P1O/JSj5Pz4MKVgRFvChXIApHSjWFWmywJo+EX11UCRqjOcJW1JYOGiq+PPI+ibdvWJ8z0M8r26o/5iUuJmHCBHPHShety5HvpnXOv1dCLfD+PUMUrB4lDr4IFbJKLTxwsrhfQBy5cHECD0kpYxh+6vg/G41tbALp874WBV6REpYGVUr57F4M2chrCnmep7G2S7gJT7d0hZvb7K2YvpefSFFpbna7GmleGMMey7dcQrt7lMeYkBQxyv5DgvixgJbi/IFx8YWacOPx8GKYJMs32p/3LzxSyjRCS42hdnhPmkhK4nuSJP2Fipq+Hno9GylY9r+kb9SFnkAkrunQ1kCyd6ueZhkVdPHdP/TlQVX8SD/Dey6E6Vv7CjAekKWf3n8BPNxV/roJAAA=",
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
    this.#timer = setTimeout(() => this.hide(), error || (action && label !== 'Undo') ? 12_000 : 7000);
  }

  hide() { this.element.hidden = true; }
}

"""####),
(name: "app.css", type: "text/css; charset=utf-8",
gzip: "H4sIAAAAAAACA7VbzY7juBG+91MwM2iMPWtpJFm2227MIkAumw0QBNkESNDoAy1RttKypEhU/+xigpxyD/IGeYnc8yh5klSRFEXqx+3eTdCY6ZZcJIvFqq/+6E8fye+OjGRF8UCKhHD4u6QHtiP1S83ZiSRFzusFOdK0ytKcwZ9FzgiNIpZzEhVZ0VS3JEsPR05oHpOYVg9k/yI+qZw6OrITc8nHT1efPpJvGJLVuExVPNVAc2IkqYqTWLWOqrTkC7JnEW1qRg4MPubVCzk1NScPefGEZCfCnmnEsxcx6dWuKgpOfrgi1oI7xRAycwufOU5JS1ap1w6+nr1PYviJFuS9v/FvfDqXhHvYRI9uDT8h0jE/CQJFV9G0Zn3KJAGyIAjCYKPI0vzBpvEjP/aRjK3hZ6nI6iLhNt16s96uGdBt6TaiLR2egk3HQvjxcNk4SJYtnTwemzIIV+voBihvkn2QJIqSp306tmWJkAtshIXbduXicSDAZRImKxRMEvhBqAhz9tTb8XqzDSmQrZPYo54ii440P/QFuN2sQw9J2XK/XEX6SHpk+2Ww9lE2SXKT3KyB7MvVR/ID2RfPTp1+n+aHHfxdxaxy4NUt+XJ1d0zjmOX3QBSndZnRlx3JUY9/lp7KouI050i2L+IXIDnR6pDmO+Ldkj2NHg5V0aBSPNJqpjRpfiv1rX0Jxwyv0FRglHuzWVXs9Ml3Q2VETpMuiEPLMmOOfLMg775jh4KR3//y3YL8ttgXvIB3v4Zf5Dua1+/MB/KLb39Fvv0NvKvhyalZlSbI7nuY0dxRkjHYLf7vxGnFIp4WsAtgtDnlt+QorG9HfM+LH4+3BA80yQo4LSkcnPHog6UHC1IuSJzBv3hBmsyWCG4SpQxGluZHYEVKruG8yBfwqmzAhjl75rRicJQ1y4ARmEIKRw9R4htMIY4Rjw4YLZ9JXWRpTHgF+y5hQjwmdbIVjdOm3pFN+WwfE57rLWBYHAtF8NwlHAb8WuOhwMJNVePKZQGazwC7no4ph2MpacRw8FNFy46dndB7ZGqgCOKTeUfqnmiaj1JKa+zrTKtIQqBP6nBWK683o+YgSTOOYtlXSApIXM9817sxONiBJtB9xmKgLmA/KX/B/YerWz1YCqeVQcwS2mSG9O9olVKnrGByFn9+x6uGvbsf3RPiRn9Hep9frnZJETW185jWKTCE/DQc3ceOBPpUe4MUhVMkSc24OH6caVqjhnqiDgZAcv66nkhiieNzW2FWSmOEwjylMT8Ks7nW/MjtdVy1z5I3+fSjNu2oXe92YNIROxZZLA7fkjN6CxzbHrEvIE4cXZo/UljmXovHsUYClIrjccuqgHM59WeWnxsmDmDmB9JwYNSfm5TxCW7g47osHhiaQFnUqQQfuodtN5x1YsT9aSjChyEORVlagnkgeZqDWGYr71qscOUeGY1r8jX5uCDq7xZ51CPYMTwgjrkRnDOGLm6WPoK3cHN6wl91c8KXEIGQfZziKQ0YGIUEPGuno2UZcFmntdg5L0pr2xXLKIdVb/vgDIdzyB2Y/QQqiTqACHSgJUpaaJ0vZG0o47p7q30a7Pg0qffADu60HnoGa/E9BWVNEQ3U8ht5zKc0d7TKizc4GB7ghza8mHIciFCCUELMiT6306xW15ZOyc1YsLdG2MsYB3EIsYu9O57r+Urz5FmqNZz6WInAaru9HdVFMfcjGgT8zpsTuJhoRzjdNxmt8IU8NdSLabY3aO+Tsw/M4w1r7nZ7lhQVE5YEKoCO8cMHQ1fSXIDCPiuiB205UkE642mfezi3Qralv3aqljKUlAP062wX+eozN6SH4M4kL2o+QS6lqRHaXfV0VYV/xmT7pn45u7bhXeSII8vii5YfRV4ltla4ZCn8gy1Lr1sMchUMQPSCClbgfXme7eFOE5pKH23psn9LxqHaGHN2IT0gOqalCriGatrboa+gXQUcauib3b0r44sJDJQG5oG5En/bB5lt61zUFIZrGnMj34OLi3E6MH1AXQBRmkUzdM7kK6XowFGr+D04k6ahLRw+m4WIcQuyDR6f5kPcBcFNWI6OG94WhWylluGx0xgh1CM3MDDA/957nhegKEpxwjrmFpsCQs/IMORxQoqxXJEmdU5FXgh3tSD6z9EUpcVuByQo0RyXKw4Y8U1IXLhgSQ1MOAHuQJ/CTS8+asHJsCZxDJCpMApRvHSowjindKxjaLcDB7F/SLnTvgElr0ZN/ewgCImaVzBFZBhq62JDGAbWvXlPxffnOBlYhR6aF3x2J7i4n/cGIdCDfziggsC42daL2WFhZjwLe2LrszmqBflEQlB/YQMVAzlz59kWKc3TE5Wbq58YKwGQ17VaGs43SfOUCyH+/IG9JJWIHiThD2BkFsdOpyLrtbu5FhgpQ6Aiey3m6AU8XWApB7sZ3bNsOr40qXbsVPKXfj5vkO1bCNSpledpx5ixxPCLMCaNROo5kjXKpHGUoSuV8V0Q96kYSuKR9uBi6UOVxmeB07dQzLu9NOH/0obLhpBwsVvxvwNHAu8gzpX0tXZY8nHeHhMJQjTmTjQKclE+X2nfUy2IVz7PUSGDNwSrl8dXejcjAb+5Qztokqg0zO0scOphtNiuiPaF8lpFCouH0eKAyrCH0KsHu2DAKRjfAa3LWEY4LZOO1mAwyLjerBuz9l3fTPQiehSkSbsdTbhKINtAk/znb3//ICiNySZJ/yFJsUj2mpL28wKs6BZZZjgdwP9joasQOjuWj5IaNKlNWWVF95Q+z8DK6uqwX5h6QsLVdQ8LrTIR7gLLJ6TmEIlLuYKC9IKUgZtDPJWOsakxGZEJfQcutbSyiUkUrpgBiKozOewR2KqNmfBEzRqBqlvpWWueRg8vKsrxDJ8bdG5W2RIToV9/JbmNQb1rLHLMu0jmgvRScP41mNzj2/B+YycwfdsUwajGj4mynLH4VBp15mDcGzMKtjMDhT79vEDmLvJ/z2A3wDcqcAAuQGDiT0TUP84wSpqTquDwNAtX4NI7yclCDXsG3IqxyJbQrMYqW39PxsxqIseYCVP8vodbo4fT5mhCC25fMwCRdlV3BTRHKFhw/rRd1JgSFz3jeHuU06l1iAc/LCNMVliU0Lt8dmMnM7qa9KqL0dHZT0riVQlJFCUmwpWfNL+Y+C6mnEJgWDzl9yPgTDmvZh3J5EZ7EY92plj/uhjEbLyBofPb/0VMMQoWU4AwCU+TfkIoAJafbD8x8Dwj5XAUz0W1f6OOODS4iTgWh7g85RmbdOKS5GyccKEuxelJLQYaiw+S2ct87AZlZ7YrVKFXeEVRwzBlMzmZSEMAngYHYcw1Fn9MgHmnl61vbJXC04Hfsl/un2ROWcownmgPwpX6oYIw9dS2G1UaL6IHXFQEEH0IRdtQHZGnlB+BAWOWqTz4tenN8gtq64g37DCiBs2Zv+IaR8qynkxRcPmKWysYSquLgk0Ja7EpMqsQdioeJwnNjcmVJ6ylXVgipZr/vrWWmEVFpbJekC6rZLW795kzwaMg08N0fyaU7Rm3yWv6CAagGZN4z18y7ItysNRI0D1RkDdYMBjdj6v6roNrq+S7GiniLcdbW53+KS52OT/CFtMsni3zeY+n1jWH1xNDwqkhG/9ayaQSAcDoWVlucSCmNqY4E5gvvWsdmpto2LqNCayVM+vesvKGEjfcrelYrAk62dXAJSM6dTD6qptAAmzVa/6MFCvDLr9oY5ee+xTtvr4rbMNUDM5iWh/ZVBVbl3ODi2FPYvLNEJPPxEsWLkwmNkIgpV1NkV0s1x+rQW9f6cy+Vi7FYLgSDnNQ7tA8tRQy6hkroGCCsSMyzZBxibZSO43RQdRYH0wvpHFBNc883UC2eEGDwuqgpJ9Plu2N4HmN07QldV9Xcc9NeyZmN0bJEcrw5705FkROMid/0Z+oN6PA9u9/kQ/ycCDPMcAiCI2eotmmURHqVBl9Wj26Y5Ci0FrnS53r6keCE9QRYcnnElcw+opbjVkdSOtQw207F8egO2e70el6azPwt7udiPU6FXaXRplEqiLNX56OrFKZU0u5coMp3Yuziyt9pzSHSWcr0ftAsc2Jn4x2omHa6Y5/jBGglaiXFXOkDU3uBls9FauPMNSoS8tXkGbXvTp0SyvuCU6GFOc8Ppank6LgY6c+dsLCOWi9GYCDnqx3YWnCgWAGD7m9vjsxoUaTRc8kZVk8Nu7Gpmhr5/1C6OXJ6WCFoF0hTiuAD1l3Hy0T/vWfH6abg3cYFhR59nL/eqlUq5askmBTWF9D0mdo+OCVwJg4pVlxePOVoKG37EFL/5Ja59D6Xslfw4prT7mlUBiHYArAEeZXMYK5FNItZSzM8qYDSGxKLlVTMhRNSUstg6mre2Kau6Ls3XI83yIwkWXj4dQtP+KakyFR79L64LCFboQBGwNZhppgpeW9q5mSq7boOIn5qsCvsq6iKfHeTyEckEGzMm4Eaj23jEIFaRO6WRUZ+1yUKMv7SUyRnaOJOzdjt81GG/Ti2tqghtvjQRpLm0l/Rns5e2uvvwX7HtQIYg/Id6KGKDMD0/th8aqpMJIcoxrEkJN5H4QX7P9QWXvYx/oqaquNk+3zy8BEmkMbnAUjt0hWvfaZ1tGJlIXWD6a6Kk+EvtG8jzjECTnUBVxOIK/iHaRIG+lffAiHY0XUPrh34FvR7pg/10uW083b6FikEXuLtbRhdzf4jr+U7HN0ZNEDwO/9cIf6lrLUJWdKv/QdUmu80rvaAguM1Gqds3albH3TwbMRWXVd3tLXRMlDEPkV0cvbaeq6JZQfZ6mNZoHqaJ45IU7lLdwuUsloWTPhCMRfg2uu/Ah5YTxa1TSWDhV2beWv0G6uvuYqLDwIvVe2cHwTHsCAkZjIUrlwdQ6hRzAXZmzdoqU3ryibywta293TJH1msdnS89o6nLi+p+WmTH6syfSHmSOvxbY2DTqpQjLL1vFm0+2oBPwLHdTwBqoOoLx+AGV94WQd3AT4RZLlanmzNOKp90kIP8FYZr9sQ6ilITkdaLfjt0nkJYkdj40WLs3xZ7r1Z7MHNYvLIFGuBrd3uu1uqB/5a/yeSxwsfVXnrFjS1N1lv5EQzO6NjgLgn5qap8nLsCAxVgfrGpS606N4uCxfufr5iUHoSmaGDvnedosNTfyelcyidSw+7Fe3yuv4Rlahoy6ndWfOxE1n9bEuzr12807FxVPty5bhVwp0q/49t66T0HlPHSmvrsfuj5xjpG84IfaUQ1nP79uBg4YQWobwZexUNphvqENRF9AHIe5mMoklRF8TH9ao4EN9o7O7/q3ug3+RC8rrXt1YKaeBropgytkz/sRkoqIH78cKUvrT/mUw4xLOqDTCm04aeI1VXrpT3/vCqtUurWd4ZxhTAvxexXxs+dGpl8bUOMH5gSXYG6tqp2JxE7EYgsv2xgw+y2k+2sWPQb5jXkccSYa6xcAp4BpCRnjlI8I7Oa0U2hbTyNdQvgFNzmQfcfAVlED2OGAGs89ne3SjIm1MJQaZl8hB1OMdEJNvh8aoNaYs8dui4lupEHohLRHdxwXWmqKj/LYoqxDNn0AlWC2+C+qWVSra8UbkLKxAA6EksGNchTbKv03ErnLgXR1Bev35XVU8idRSfDOqvZogjX84SffNQNs57StGHxxRS4FjeyywWKdXsu5QjEh+/KKGHFufaJYJwywo183iycDJCr/0JFxc5RAh19Q9HMUpZFZ7ARMjHerRoZclav8FR19tTJY8AAA=",
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
h1, h2, p, dl, dd, ul { margin: 0; font-size: inherit; }
button, input, textarea, select { font: inherit; color: inherit; }
button { border: 1px solid transparent; border-radius: 7px; background: none; padding: 0.3rem 0.65rem; cursor: pointer; white-space: nowrap; }
button:hover { background: var(--hover); }
button.main { background: var(--accent); color: var(--paper); font-weight: 550; }
button.main:hover { filter: brightness(1.08); }
button:disabled { opacity: 0.45; filter: none; cursor: default; }
button[aria-pressed="true"] { background: var(--tint); color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
input, textarea, select { border: 1px solid var(--hair); border-radius: 7px; background: var(--raised); padding: 0.35rem 0.6rem; width: 100%; }
input:focus, textarea:focus, select:focus { outline: 2px solid var(--accent); outline-offset: -1px; }
::placeholder { color: var(--soft); opacity: 1; }
[aria-invalid] { border-color: var(--bad); }
.problem { color: var(--bad); font-size: 0.8125rem; }
.quiet { color: var(--soft); }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

.heads > *, .heads button, .heads span, h1, .counts, .live, .name, .sums, .row bdi { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.top { position: relative; display: flex; align-items: center; gap: 0.5rem 1rem; padding: 0.6rem 1rem; border-bottom: 1px solid var(--hair); }
.names { display: flex; align-items: baseline; gap: 0.75rem; min-width: 10rem; flex: 1 1 auto; overflow: hidden; }
h1 { flex: none; max-width: 55%; font-size: 1rem; font-weight: 650; letter-spacing: -0.01em; }
.counts { flex-shrink: 99; color: var(--soft); font-variant-numeric: tabular-nums; }
.live { flex: none; max-width: 70%; color: var(--soft); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.live::before { content: ''; display: inline-block; width: 0.5rem; height: 0.5rem; border-radius: 50%; margin-right: 0.4rem; background: var(--soft); }
.live.live::before { background: var(--new); }
.live.lost::before { background: none; border: 1.5px solid var(--changed); }
.live.busy::before { background: var(--accent); }
.live.held::before { background: none; border: solid var(--accent); border-width: 0 3px; border-radius: 0; }
.live.compared::before, .live.copy::before { background: var(--changed); }
.live.failed { flex-shrink: 1; color: var(--bad); }
.live.failed::before { background: var(--bad); }
.chip { font-size: 0.8125rem; border-radius: 1rem; }
button.chip { background: var(--tint); color: var(--accent); }
.filter { position: relative; flex: 0 99 19rem; min-width: 9rem; }
.filter .problem { position: absolute; z-index: 9; top: calc(100% + 0.4rem); right: 0; min-width: 100%; max-width: min(40rem, 92vw); padding: 0.6rem 0.8rem; background: var(--raised); border: 1px solid var(--hair); border-radius: 9px; box-shadow: 0 8px 28px #0002; }
pre { margin: 0.4rem 0 0; font: 0.8125rem/1.35 ui-monospace, monospace; color: var(--ink); overflow-x: auto; }
progress { position: absolute; inset: auto 0 -2px; z-index: 8; width: 100%; height: 3px; border: 0; appearance: none; background: var(--tint); }
progress::-webkit-progress-bar { background: none; }
progress::-webkit-progress-value { background: var(--accent); transition: width 0.3s; }
progress::-moz-progress-bar { background: var(--accent); }
progress:not([value]) { background: linear-gradient(90deg, transparent, var(--accent), transparent) 0 0 / 40% 100% repeat-x var(--tint); animation: sweep 1.6s linear infinite; }
@keyframes sweep { to { background-position: 66.7% 0; } }
.tools { display: flex; align-items: center; gap: 0.25rem; }
.tools .label { color: var(--soft); }
.tools .label:empty { display: none; }
.tools b { font-weight: 500; margin-left: 0.4rem; }
.icon { padding: 0.3rem 0.6rem; color: var(--soft); }

main { position: relative; display: flex; flex: 1; min-height: 0; }
.grid { position: relative; flex: 1; min-width: 0; display: flex; flex-direction: column; }
.heads { display: grid; grid-template-columns: var(--columns); gap: 0 24px; padding: 0 calc(1rem + var(--bar, 0px)) 0 2rem; border-bottom: 1px solid var(--hair); color: var(--soft); font-size: 0.8125rem; }
.heads button, .heads span { display: block; width: 100%; padding: 0.35rem 0; border: 0; border-radius: 4px; text-align: inherit; }
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
.name { font-weight: 600; flex: 1; text-align: left; }
.head.first { border-top: 2px solid var(--hair); }
.head .groupname:empty { display: none; }
.head .groupname { flex: none; max-width: 40%; overflow: hidden; text-overflow: ellipsis; padding-right: 0.75rem; border-right: 1px solid var(--hair); color: var(--accent); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.sums, .count { color: var(--soft); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.count[data-grown]::after { content: attr(data-grown); color: var(--accent); margin-left: 0.5rem; }
.row { position: absolute; left: 0; right: 0; height: var(--row); display: grid; grid-template-columns: var(--columns); gap: 0 24px; align-items: center; padding: 0 1rem 0 2rem; border-bottom: 1px solid color-mix(in srgb, var(--hair) 55%, transparent); outline: none; cursor: default; }
.row:hover { background: var(--hover); }
.row bdi { text-align: left; color: var(--soft); }
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
.drop { position: absolute; z-index: 4; inset: 0.75rem; display: grid; place-items: center; border: 2px dashed var(--accent); border-radius: 12px; background: color-mix(in srgb, var(--tint) 80%, transparent); color: var(--accent); font-weight: 600; pointer-events: none; }
.drop p { padding: 0.6rem 1.1rem; border-radius: 9px; background: var(--raised); box-shadow: 0 8px 28px #0002; }

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
form > .quiet { margin-bottom: 0.9rem; font-size: 0.8125rem; }
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
.ask { padding: 1.25rem 1.5rem; width: min(30rem, 94vw); }
.ask.conflict { width: auto; max-width: min(44rem, 94vw); }
.ask p { margin: 0.4rem 0 1rem; overflow-wrap: anywhere; }
.conflict p { color: var(--soft); }
.choice { display: flex; gap: 0.6rem; align-items: center; }
.choice [type=checkbox] { width: auto; margin: 0; accent-color: var(--accent); }
select { width: auto; }
.notes { padding: 0; list-style: none; max-height: 30vh; overflow: auto; color: var(--soft); font-size: 0.8125rem; }
.ask h2 + .notes { margin-top: 0.6rem; }
.notes li { padding: 0.2rem 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 0.45rem 0.9rem 0.45rem 0; border-bottom: 1px solid var(--hair); font-weight: 400; overflow-wrap: anywhere; }
th { color: var(--soft); font-size: 0.8125rem; }
td label { display: flex; gap: 0.45rem; align-items: baseline; cursor: pointer; }
td input { width: auto; accent-color: var(--accent); }
.toast { position: fixed; z-index: 20; left: 50%; bottom: 1.5rem; transform: translateX(-50%); width: max-content; max-width: 92vw; display: flex; gap: 1rem; align-items: baseline; padding: 0.6rem 1rem; border-radius: 10px; background: light-dark(#26282c, #35383d); color: #f4f4f2; box-shadow: 0 8px 30px #0003; }
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
@media (max-width: 480px) {
  .chip:not([hidden]) ~ :is(.help, .hold) { display: none; }
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
.print .groupname { border-bottom: 2px solid var(--hair); }
.print small { float: right; color: var(--soft); font-weight: 400; }
.print thead th { white-space: nowrap; }
.print .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }

"""####),
(name: "app.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA6VdzXPkxnW/718BllcGIEEgV45SydAUS5ZlW4msVcRVqVLckQnOgByIGGAMYJZiRlPlUy45ppKTc8011/w9+kvyfu+9/sKAXNk5rDjoj9fdr993v24dH0evVmW0KW7LWXTdVc1tH9VVP2RU1JRZdFPVQ9ll0bpstn1UNEv61ffUuo+G9rYcVqhE8V1ZbqiMYBXLZUdtovaGPwE6qpqoH8pN/uxYxvvjtuweTAuMF1UEnduY0hWVtt3DKX/cVB21eVP11XVd8ngobTdlE3XtfdQ29UPUlZu6WJT+HPJnz6r1pu2GaBctirrOokXbNOWClndbNmVXDFXbRPvopmvXUZwfU59tPfT5d3186np+jvm5RpjuqMXHTdNumwVw8aotgtaFVo16/Ebxuli1bV967QXho9Zf8l705TDU5cd17TUvl9V4Mp/xjywqv8ff3ms8dEXT3xxAv66a5T+WD31Gm/jwRbGmoYYCeHY9qWKMlQUti0ZZZREWWC4z2oXy80om2gwlrdnHbHuvAJ7RFhCG/unrT7/65+gsuoxlxXEWxT1B5r+0Q7QxPX4D2/H8VHtdF4Sss6gp76Ovv/o8iY+pSd0ueB/zVVfepKalocKzKEmjs49Ml4uy6BarL4uuWPeJ7dlzqe3bVwNGURBJmhOhJzFK4zQ6P4+W7WJLDDHk1+3yIV8WA81qyLkX1cYnsQHUte1AgGx7gvNpXeLnrx4+WyZxsdnENOqzuhyiTdfe0qyySfYbQFVgNEtnsg/9KfdVugVmtnUtZWAOYuegTNjuLNrt5XtV1nXrfRf9Xbmk7xP53DYyPpeZNrzvXCJwZaV19QYo29GP5m4WxTo6bQ+NsZxxW1pOUdXbrjSftGQis3U/iy7noLn+ztTo6mbUowZ7WLLpymJp9/Tl9XdEKTlo7NNm6KqyT5is8nWxSZKGKJmbXTZM0+F2cu08zWWFSXKZRW+KelvOuQv/jI7OZJFpascn0ubx1yT62iW2aVjhv7RzJcEhHgJNAMazKErMvhBVKELSHBDe1p2Gu6F9Zul03xFdJZttv6JxGR1ptCPgMp+m/H5wDBFQN0GJouomSpgwsRaizJR70CQMQWdM7dz2pu2iRMHSfCCIGZ0pQ2HaYVTOPSCCWr/u1M5NhPYZE3TOH2ZGUmPQG/3859ERFuhProAk4HZ2HWCJvFq6bfGak3yJhWmohTeHweAHDat/IQaNro7Pn+9QsL+KiFKPYwOf2wK4lQvYHkbFe9FYVhj9dMk7Q1yPvxdDQSgFVFVGUjBPhKpjmiIGofnthemxucKkxHLhll+0bZPIVptWP/xwBiXwqlqX7XZIhAnQIAoBmYJSaGCfRX9zciKDqv7FltDHu+9GL4kue6eGac8L2U5RvCTT6W/B+rlftffQ48VDT6JhqGppARsgWhV9VBGly85C55M+6Jikbtt2CfxWDIRk9LYvl3n07rFbMJgjwZZkJEGKQWULQbi5ofXSvnrUTzpz25GmoO+h20LHQDYJopTJzvNFTVpVVg80G0pEB1N225WlogyizRAME4nSLP/+4YfoxQd/5xoUy3YDWMrcGUs8bydASYbvQUxrUompkdDBzCJPbqOVlI3lNsqM3AaKpMRIbrMKKVWBWPR9ddskkMlA6E+WwFhJtNe5qSEi+8UEHFYoZ/HUVIpKPZHYN0QSZIRFGxJpoGdSeDABnSUHc0BoTbQd1TwwZUX3K7LpiFRAUNcl/VZ9kzNs2QKGd8Y6J+c5n0G4AXExZInVUIp9lPF+wn5Ehfm+Ib1MtEjcy59CV+cQMTMP+U7huU0S8iB+SNZs8Rha4G0Bzg3lKq0apII4ePZHTvRJ37yHqMjBOXnfrsskIRwxWdFfnhOWg75pKsN35ZuyqBmcB13kqHA/yF2rfA7yBIQIGUNSxTLxIFmrpSAmfVOq4cLTCAyg1EOmChzHLTTHhglcmAOLpFYsBLVIBuN9ArsYlrCI6cE8w7ZrTrW5t+0sTU050d3Hxr6HUDFiaxBivC2IAqmkhWFKxU0Lrdnn2tuTqyS72YAWCnekdR6dEGGIKEWXfeZYMYEV6JbkCRdUnD6x0vHyhH1YqBZsEzErkNFQwvcqmvtVVesChuiuIZF8qtL1tiWvrG0y/O4hpPs29wY+YsSpZZUKGhm+L2mcZOFNNR/+IoT2F11b1yQGSMLDnEqD2mVX3CchllTuJypxJnb/zMeJqQ23O1Yo8WlYrVKNWih4V8+Ws7Cq1uVl17UdmJR/zFgrgIXX5fJhZiDk8m05V9aAjYqEPtyS9/p3SnLzfkLjsptKAo+UXb203smaJB42FZu5Ql/Q6qlTx0vaUn8Pi9BqMnMVtmIMgjzNRAO1yhLArYZlxVT3F9B4RyPi1O2zu+dDYdtKFABPztcI6UiNjPuXsO7/n1uURXmesxVyX0FTsWxxC9UFbImBbojMlgFVwgJ6NaWVWtoL3oEFyWJSRETmpVowqg9O9VOsooLDFyu4xjCZrHnUsKHjUUdCBs41SZlMAiP7kBGOxOIdiQS1TKAg2MfatKTHSMTN2KLErGcMLa/L5hYOxboYFiCnmYwF/yOoVwe7XM6sTYVFwQzw2s0z1gmkw2fsYPyevKo0Y5d+Fp2YBZhJsl1Eq+NpIrBRNIgp7aK7qqFxYrSOyVojazTm0eAehjICCFfbKUSLYsUJBWPQefrM22uZitHJIr0PuNVGUxIxQXTcQI6Rf14/JKMa2Y2drpDtT2nhM4VU5li7qJBlWQ9F7K/BOPPa1pMz7MZI6TIB5i9Iwl4SlSvU7YbkMZlEiMpgR1zNun2DSIwrIBZB0Tx16xemY2rze7E8Yf+ph0+QPjILdbE8gL7doBtJ/ZegdVWKnvqBLWrJO7JFRsW4CEdOIjLZEbHcF+zZJDSgk7xmIBX8dqCRNhCYB726ckEr7mhZE31Ydh/24fAMwgdQmbab6k/8yUVFn4twnnHZBBySJ+Tu09A7a3yzEBB4tshqsn4CxvVDSd27soBx7TprwZnWaHPPGBM1a2ykBME0yFgYxerDzyJRF8ygM3aGMjKaMsiRN8TNhRhEvEQxh37xAZOb2nkidp0iFIt5L67mx6SRuiXsGmIKE+MTM23ZsjlzU9Gg9yi4J4G6WJGr1ER1IcIPAUob+WX7aEGK87YduZIjRbB75mkpBBg9HYVPq+EIicV1WZOk+qYaVpCaXhiyWIi8FZdbmAKyjgDMIgvaClYSmHFD8jXG7uxPD6ZArKahC0WCNyctmpjXZ+JBbfttUQsmn5iZnUgwUGamjA00czMD7e1OvfLDAY0gm6dH7EjI4WmoZ9M27PfDvMHm1CAx2rubosMft1cMTqIE4YbplIkpnKPPjsthlGsi3qdFpX7uQIs6U/oFoLTMp4J8qQ0v/cPFyy/IFMIZSHXzoOQDah9VMPg0MLLGMQerItT7U3PaVcGdizx/8/zc2oxwYwZG3Bs4/UO7cY503bZ3PZjQGIgZsw0VFNiBjOyOGmYlu9PsZw4t7JFcYx79huPRXgwNpJiEFj1G/Ih4m8xA32tOieERnJlRdxOZmUmL27JFr0QWlEbvR4cQ9yQrdiErqM2I6F9oMwZxZ8xZ8fLNqmUUUDkt2ZjMNrCgXazZ1kfXxeIOKLDY7BHMA43mOpGj0Uz8ifDMQhQoAt0EPf4JrG0iPrTNnNm992K6VvXjWGoLKVw1fdkN0N2qwlXHs9ErJSyCM7JFa+K1vZNsDEH91HsydDzjUYiNZFlfLSH5E8hWpv2EoZ3nlyiZg/7IbXgvShh6WAxAI7UM/wXGo5m1RMreMyMlsVTEqZ3+zPw4aEqGUYmDFV35LHLNVGOKCTIzKDmAIA3i1KAZHCTi7tmzon9oFpFD/DCUa7IN79vuTjA4EFWITWYOP9zJoDKGBGbU5raRO7E0YZ1EgKaRD9pPMr0RASR/p6iNvee5OFojLg4wfMGSxfZ41OsxHUeOKVNxEnOXGMxgAKVqOHyKGgs+mL6ROXuronEEKCpZsIogAg4rwGikahBfYG6CvB+Mou4RpzOBOxRsYCmNg7xdsSCzRyjQ0C7JNfKs1gUOSBtCjpUdVEqtSQ75/qy19v0mGvH2MHxl1Rf0zXfb3iyGJvQS0Z81nLnnO0xlH/34pz8/3zHAoSKHQPYcsbf9j3/6r/wq9ThcwseKqq8bMloq+Is3LHYQ6namS7teV0RrRLUF2L2/J3GCkwRRicAPpLMhKuDCiDPqHuJtSQKcWE7P3TPXiYxjFnDE+OTdtrFD65E29mUBy0+anj2/7ws+gYcTgXVg/iTSyGIjLJ9yIEI93CK63g5D2+TjUxUFlethR3KcEJPC027L/ofXefT62684ggE4HH9LX+fPj3EO4mlJiyrYvGZpJHk9NrS8R/TAXDracHPeLHHFzJlMgp4zgyAc03zNP8ia+qqkH85+ctM4V1uqYBN5QXLC2kt281+a0LU7HCExtkB3jgTcr9q6zFz+AwixIXJZEmY5WYHPSojyybQpl6gjlRTsetV/AxiJ21QmzKonj/VCx0p9JMRIDOAIBrkXdjpiMvOQhfFYDR8X1EGSLdZ57NP54Ui88JEsFYGeVEs3RY1S21gL9tEu5FAxETrEGgk7aTgetbPoknxNYzUcUZHGJmCdiEBRBdLHwQBoSfj9tFisEp4ibShDhUfCR4awYqzy8ehRmfVMZbvRGEITfHgbf/ny4hVyE4pNdawQiOj2IDxMei/gDk7qnp6TAEI5UfCHJxpl5mXLlPzlSZS1lF12J70YoWoW9ZaqzHFpKser4tn/hkjOePbOXGUJo4NM7TR4g8iIhJAc9/YLsnWIuiEvIYVkH82m+Ya7MYGRb9MGdjAfTAOO8CcIN36UXB5rPE0RVyxzWK7zFCHI2W+5SieIUF0ja48T+cGe1eKXN0hpsZbtLIwj/lUUo9i0JCM4pYXMooM1nkfKBXPrWxryeoQywr10+1CSmloMvAVSa2BIxbkXqoJ9TOykuUnaQLRjpnBybiN5FixrxahUwYsp8uA20nQ4CA7slRLZcFa4enj/REdOCErF2p5wCKcyIRS2Om4mGD7T8+O3Dfjddr2J9ZDrtn3VGnA3dTF86VuFT8DQeD8T7fG3q2HY9Oez4yonuTUYeNsONts99WnvA5xQBZHOH67rorkDETUtassua8iOIeOjK7vYqSZW8kU0PGxIlLKiNocMMw5Rk3bIxF0krba+5vw9zXchZcAWjJ+Uh3gBAbp+CNXTbUtWgneOJ2R227XbDeyR35LP1cY+/bFm2tuTddjUHg9iVlR3/G3yevlecj57ndPf9Dx95/lxXn5fLhJNm1BRgObWKrzcybiZ0fpXz3fc4vLFfB+942cZXpE1vbXBErejvy+GFdl8xNt87NqTFfoijd6NuJykc2LgZdEL2KPH/IccjrlbAxCKFfzsHGtIDyauGCK8IUJHjYkUDmaO8uc7jr4lX/DuYD40cJrusRBTh0mm+8eWI11kEV74Tzb57HBUEZXIiIGkJBfi+Y4P/jhY9Ulbb9cNJ7ZxNIfjTqOhwSJKDH5ECSWXJ3NhgZ8x8fP6z6NL/J2TYPO/TXAG8k5+TSkjb6zdXyKCf/uplcDM0RADzB6ePDXi1KFSSsa87rMaCR4aGSpnBju3DfNphpUJzoj5z1kxrJ8sp2niH9uIMMKrgRvBqOvZRmNcjJwCWLydtb3Uz79vJG4McLmqGTI5KpD1jj27PSMEv3hPXpPHSGrTfes5iR4OMhxe0FegN+v0inPNh7J9ohLbBEFoDufWYKCvjC04aE4n67nL4c5ylIXtMknd2/21GpYBeSaZAHyL4nxrPp0Eymc6GUn33I9IJy9sasdBMpttIWlJJp9Mk3W8rDRBjkpGWAScP6HnfPFXnOmmxgB9X8ivWBJHqQDpyjH4UCEQDyOp12ZNJi74Da5ODlndlJEVuZCTHHhO77PbFCNMdNCFK9K839S0g3EWp8T2ZgKcaNIrUvkMCeoQe4Xk5dhZ4Zm6aRnO+eWvZCvEc5eAqcSnGSWkKkP5xy7JixSRo+3msOZ9qYJP9utxVxQmrv7rzWGtdh/asK5cUl1MpTFXX7fkLa8nWkiFNMJWX5RB8F40o5SZiXTlm6rd9k+11EmBs0y9DWLQvomkMAXsEMxMAKVekp2NzstyKKq6D+CrjnJs68PIOF8UeWVeDwGIKnYuDus4rs9700x3lvxWBs4BVtNCswg0x4gh4BTksQMZzm3zjkDEe8/YKYPHNMKjOFGumhzfiRY4KuZGRL2mmpGDkChXgJ6tTLYe8ZHv3Fohyj25A8tHF8ubcvMP+njpeIHP7rwhF9dXKDab8Uj9Zg3wwW8228ywrR8nuaOQb8yFZs2aQZSre6D0Aw42QV7Z4WVLspIlvPRjzyT5aRJc5QALcDgTEFT4EMHAQ+LXXz+ACpjRALK9DHLFtKw7eXwc/UpSQPhyCQtyHKUZ9U6k1pKpz2FPjX+5ZMf8mc1T0qNu99ueFu/2Zjf93KKptZg7KjxBB8nPVddtk4WQAnlIApKc8rA9K7YPjHTJSDQHaF5Oos2iDIIOKh6emH9TvKlui6Ht8kVdba7bolvmrCJekURkw1bcyl20IC3Tq8nCv6VCbD8qww8Xe7x8PbxuXnfz41va4gja6LuWLPf49eD9JvvGzM0PGH/SbipyckgB81UWmYVJljGGEOrI6NaQMGO4571S3KoBwW6AUbpmI5VX4gso3euH2EHtmZdgX/4+vLSg2RU2lilhgqYFm8WFUcwxp5h2JU7reWiQAbf0zPOxeBRjyGQTPDaG0/5Tg1y9T9ii5iNPYDSUa+UNOPdo1Ahph0WDKXM0HmJLS0c3PJLRCtxs2fCh6Sbh6bpkRAHzFiLSDD5ZVfWSM5s/aRFSRjB5cnFOtRhcpgeMR2Z3+f2IOv4yP8VLQNi5tCvNzfjg5MRYtKHzYjDIPriZqrM/QxRe6qdG8zJO+ZiPkKoXuxJukkKHxAki1mlsiEW8UvRNp3xS3cxEB5tEl/EmjPTRtOdH8DcRNFZJ+pMwy4PF4h2EWDxweyDnZNhz8XiMhsX45GA7r0URzI3I/s2ZPAWyDQ1NQRptWRxCMtJQKFt3CVhXyfjYNpmtMaXcBV58HG7R2OvaWwk5mnR42vBqVUnWB4egcBvUnGDpWQJvrXFCR2wgnuqlBDndhT93388JRHaAxNY6dGxFKYES0QBnKC6CKh1TQZ9pEiDLhDQ5GqLB1/7SQpnzfchemsJFPo8u9YJkokXpXGOzvpAwvm8jyPS1K58F0cKtB/Txcvnjn/47JgiX1vfhEyouMV4QH1VxCZQ+e3rOgIg/L72I3S3yPdhR+x3yjE259GaJBICBaHATgEnNM3AZRkGuls6hrBE9iXFlNJ7PVYe4HBu9IubvWNF8Aw3P1qe4g/mq6EV+pwaAyCMhc96kUAzZfYq/RCap2Ry7JXxlVYMdl1lkTvbm5iyPY/yqHdPLF3Pi0DTcORz4WR4Itq2rmqejApnNOwrO5Y2pXPVftj3fXU4lERfx58TL7OJ22Ai3yt9UNVY5mp/xiF2Gs4OHNDy582ulmH5nUcLH7GI3XR1DBEoVBx2mViXts8PV7a/Sg5HdSr4Eqp5chR/gvjpm1NIk+C9siYk4t7dYIyg/URlAzZAXy3Emzve6BduaHFu2DMEycCRNnywIfX948g6CbRoBj41FxNFziU72UrZ3Qg0McGCvMDfoxWk/3yykw7dxhLQd84SGa+/4jnah+jpkET+ia1iDL20DgrJIekBNxZQ6JrOv2JSBy3CYF2wajTRFmMdl7SXjzNtj9IlOEFNeFwlmTXc4Gh1/Gs20QjqQWcjev0RrWBvnbO64eiyK5KR0tEUTas+cjfBlZJytq8rjCYZBUpGGoyCpd4bormSuGJh7M8EEvNhM1UuKbkGSdB2ctMr9gPEZ6xEXHwY6JZ7orgpwx9GxDM3mTDzCX7p25zhf8U8h5FxCPSfT7MBtwl1bz7sa159y1I3DCnwTwTfCzcRye22Bb4dhXjyZ9mYvhxYKXxorHOPFXfpGhlNoMrH2xls0q70zEwOVT7GbnLP57fVDJIksJuYZ/fif/xvF3jrgAE07FQScoebFgOCdg/p+cvlt9rqfv5eyE/v8RfTjv/57APNJZ2UaTzKU2qwfRS8IZ1yEgxmTpiy06SIPLIKT0UEHwSaJa9It5a0N2nreB07+0ot29O8wnUUhMsFKRJSs8wdw7LJswoADA/xIsrpsQMxVHZLyJai4eZh7hx9MVKfhWIpmRht5h1CXgbyCfScX+pLYHQ+RD/tFS7SFEfbCBbRQ5EtJSBKObYYukiPl9Ys/qUmlermpMZ7IwI2YRV0t7g6cypGQxFUZjkexjTk5sVcewu0UH8pBJuWuLfgKhyginOyCaAnnCuuiavR+OoEmw9S7rgv97CGWSAeqemIxbKLAtvWmb9Ovf9W2hJEm9c83iltcLySXRT35nZ+X0TacWOKfzv4aZGAyBaUXH8ae+PLVdP1l9PcnIiK0ZB/1GBEsT4UeXNPjOPrbE5Joa1wVpXanz9zLE3oPxR6jXJok1+AAA+FPPsjgXFVyZMiG3xJvJ0M74ITThiz4Gxm31pY/z0VZSNZtxpm3jvv8M/l7YtSVpIHT17rFVVykEPPVM6pc8tX78t7L1te7IXpLnx2fUXamsn+gUuCAygse9ua4uzMuL3aownlj79VfIutB6Ejd1Tn7emgjDp78/UTzS4vNprSXBR6Ymm0uXh7PnRQw97xxe0cu+Ta3fHyZhHfAudi7PmwMmemJuXBk28BPhhSI67bHvl75Q5F1LldRcGuYOILoI7G3+lHxBcpp7xyJ8gm9fzUHasQmp8pDCrwjnDMq91zKsqFVq/03c3OJ25sbJN3g508CIenI1maawBEn+JtSdyXv8R1UrCBdtrnbE0Jgr8tIdhwlk8ehoEG5jO1zQaaHufP54gMQvynUZGfWv+FAeg/Lc9NMFgnfxiLNdG6Z/KZuWzLHSU5E70r1kt3zY9OWeP6dK720xXV8iA0bx2tNQhIumu8ZsoVk7SHXdv98583Cz9ywA/LjI/H+6vQJ4uTGcseM92hVLu5iptDrbY+46BUXQSxpzgso7upj6BK+I87VSN8xF1h7e5jDdlN+5ZOaASpNDqA22pdN323T8AVTA2ZEbnLP7zEaQC0GEsnyfGfv+CGMJ0acLYLpphn+uDmqh1acUUDGi0lT54yUeAUJ1I+iIfmIcFwcafPwijXIY9NEC0Yy/ZU9HPfFqE41DtWiPBiLZaWN9D0+lFwL5DW637a/O7+YO3OQRQvrbz3gv+JnmJ7vMIhQlnhvtrFvLeLESM5SHmngnlfwG3DS55kmfzJfuhZMr9amO+IrkOZxHfp9DsL3m5qMJMd2liMtGr3mcrr48TB0FRkw5HSL0+4ZyHD2kXLhtSm6qnhfLyQQRvW2xcSZmQfhMfPahNx+G0TZxHxu20H24nO+S9De3tY0OkloDoA8ob78KnndQJNy9Y0Ng/GrkE+uEu+bzEWVJ45GJff1Krx5pPfwd/oSRxap1LWXSjz9v2D79WzauL1Y8Q0Qcx2Rg4yTJuHOvJSU+28ieS8iyWtr8jwVkHsMxF4dn6P8jAQQ/UFOjMuY6cq65SvHsDE1OsDoH1v4NHG1ap2Za3CMvGWqX73wFjV6B4Hm8gWipH1f6W4773+BG1EDyVW5/x9bg3tkox+CRBAleCdxGCeCcSyMhLZ/o4bg8EWrWExX3rU9cbqvH/fO7A8fhIAy472cWXL3aeJ6W9mzbnvRS8Od9mXD5NBf57iItuNnDxPbOzW+l1aDJxL7wt3OPogwk/QUmbTe//IyK25acsHvk+A8SNrihRHqbR+x0WVLmoI1skenke5U1kaCwUjujNKe5+l7BC1iUO7AOXg0iCxM/whZEyjzK7MDmnaRuCv/xofXfAwnJyfyNOzVw9E1jElIoZC60utMQU9QXlHXIB+xQw7HJBvIXmL58c//ceXd6N+rgGzM44t4kDLZ+R6mebfQvFSINzYh0Q02vEfvyPEmwh8/AMSV8kwdDurSv+w+nuf7TYwUPE7AQeWlE08jyY1sHvNkRPBIkr3Bj9ymx/vrtZhpEMFLST5uNQQh2JXHQZNdeP0xEaPhBhe0JOxrHygaxTE4WIU0vvHd5GzqVS9YUgdBCAZNykmCEToqR6uDEK9hlPJmGCVz2UStvZf9LGoELrR3zGMPNWm3KtKMnb6eGKnlol7xgR6STirXBd4jEQk91FGR3xMdByqBZ2FDH+YGgzefNLRwZCrmQQgGJVaGALLnOTHiUt/Pohc0LPN6cOPAj3YKxIOJSWUcdNCHNifXgSp10lRLW19vH0QRlcvPHgkFLVYVdJg/ad0kqvy1ht2ntf0oMv+0fjYKU16ZCaaAZEqXoEJtltWboAFnU4daXH5fLytP/wbGEM45sgDxmYfV7DBYZpMKJneHsBT9cVuVHr7tiUBsERa6BzyFZ+YRG+bFUh5We2KtQ9vWstZwAzP7YoxsYhK8nHsx8TtKLpC0ATT5xlwsmLFQ9B3eC/37kmPgSf9414OJ6EE17LvwJFqjFWRHJSuFZzGrINmmDsFOhTHNUHqUDkcNUcukSK8mwVLlCOo09VcLPl/hQ27teu62kw/6ouQ85VSSgOv1CPCxsCiDdHHRt03Bjf7jv/2PN745+oyS2cQcvIPRx+Zh8id0LnYyTsA5U9aYz/tMU3m6aqnPrCrZpqryLRl7bwV05a3R0AKctup8rGp5CEmjl9NyVYIiQ8dGhpoX0PL6lo8EIpLKezTOf+gOuUJ98HSgivCq5wct5NVhc6wuNgunWbU3JhQfvAY5TtEUHe6hx5q+OdvseqCiT2wnHhaTA5sy80xXq7eoEJkm7oHRn3DZw8+IMZc7AMRlJlD31L+mESYTa6TeVogM5wcW7fsAlb3mH8mThPYJO333hReFZrh7Nsj9chUCuWRRf4pHg0AJsPCSmEAjn582IcG+4F1BzXHSj4OnJ8OXPGHf2CcvD8Fv2g2bjrFB/S7Mez188ZvvKLpXWZOOD10zfQZl1LjwkzL4EVgC6Z4qdmn0yKEdHWh75+tvv627f+yx5suYNI+GiE20eJ4eYkLzQ5mMzU3lz+CGvSnqxFCleXTxKHha1dB+5s5c/JCa6Lh09KKfXzV170f5hPfj4NK0cYpxuxc2BI4LiGSfcO3HOvml2EAI3YqaMy94Mgr5FWZkDJ7h0vVpdGq+7N0//n43+oDW/OEfTvjenz7qYZ8OsQLKZnbi/zagD2z5eYfaLDbPbnnvFF4Tdd2pTHnkFRHzuLC8A6I+Pu9KUIIt+/DkF+O3G8MXQExyNntzXbvGi1k4z2jrN6XmTHoPonKxvMVmsn/2z+SfRg/GFyEfY6WfyEjkw3T8zI0hsbdx02RqhZXA/wfw4QEw52IAAA==",
text: ####"""
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

"""####),
(name: "edit.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA61bW2/jyJV+719RjWmE5EShPYMkwErQGB1PT3axyfQg3UCwcAyoJJYsxhSpsErtFhwB+Q+Lfdvn/LD5JTmXupK02wvsiy0W63LqXL9zqnhxIT7ulDjIVom10nWlhIHnptZmLmTTiE+yOSotuq2Qou8eZkK2FXXZdv0e/0B7qx5E1yp4JzY72d6pih/hpVafVC8bIQ00bVQp3rZCVbURetc9aNcMI+F3Kzro3MhT+eriQvx5By8foN2cDjBhrWEZeC2ajkgTvdoetWxo0a7dNvXGCKJm3Xf3qsXGVm1M3bWiUfIT7MFTDZMCBbWeiYfa7Ki9V1J3bfnqVb0/dL0Rj2I3E3vZnv5Qtwo6tt2xVdUM94Ut4iy2fbcXWXkBTNHlX3W2CEOrWjbdXdRnWzdG9YNed6oF1hCB0WxKHxtjJ3ylPlPfTSO1Fj+hjB5fCVFXYinaY9Ms4OEr2lH0bI59C8+XMFyIi6+/Fit5OKzmYnXou7te7lczsULx4n+t2irfK7PrYGsHaXb4F/oooBY2ve6qU4H9TCd5gNyYvIX31FoBM3LZ6gfV0/MGRKOqnH53B9hdlddVsSrF1xdACshDm/64MV2fA0UFbUUA82tdwjOQDH8XoU01aq9aA+27PJOomdkMuEa8mIsMNRYaMtnX8leNXKsmg9bvlZF1o+HFrq4q1c4FLAnSKsYTl7Kq3n2CH38AZqAo8uxenaruoYXRucI3hVh+Z8kErm9tawndxOvlUmTv9EYeVCb+/nfBb2p93YF4dd3eFaBSKIqFHc4dtOkOP/XdQd6R4PPCvWbKaD7X6Ige07lWIHR1bJtOVimxNM1XVd2bU9mo9g60+xe/sGsfevr/vdpKULG8oOnPqCV3Cq3hPYgsB7FYwsXrhFvMzwUMcP1/AMWL+/PapI7IHVJInt/ty/ISOTlN6OswR/kge9CgwvN/9Ao0A4WbcBBUqCRlLdG/5NmPHTS3d+g9NPiASpyUKQXITYAE6lbc1egYjgfxkHibklRN9X3XDzRIJGI9D/aD1F2VYJ+vef9T1Ee26l+gtfAUNRgiLuh0QKhGK+5E5pUHqdnn2I7GC9hJx23sJ365FN9MmAYLO2GwZ6+zck8H+pgP7M0xQizgH5FhkKXAeNyc0EaetPUEUp/aDTXnuN1ttzlqWGsrYatjHcG5UmMiTyKsn8sHuyniPiB9iBhLzwXUy7oacsa39CcvLx4P20G/9CAhXHgGkNPMfv/uI7mfQ40RgPQFJgtqQhsgM1ouI44P3QK/IWWl6EoUe+FvpNnsRG5DXZH4ohdMbhmlPqMXtZOAC5IG+Q0jf335a3Elso8wAW0VY2wHARYieI9RsVdlJiByvHl0g8kkziI09KAw1UlcwTTZeZXuaouRJM/QGefZIfHefzvWykAL0XYuiqE5kU4UqVL+7aj60wd4ohCSrY/GdG1WXJXUOS8GehoikNfUbdc0wOgavUrQMPZ8A/eDj8GO/ZNXpSIyXFzCmiSjH2jRL1siKGa0ji53Ujt3UBRjF+GWsxw2tWkAQpVludnVTdWr1mkKKwBZLMdRy7RYFPWGGgaB9BrHoIBwbvcscvCchRUbNP78v/+TISSa03T15n4u8hCGvNc/T8ffXh0auVHXluYcyNspWakeyTuT0uy+Db/XVU1089oWh/HeC1ShGe+zSBnxnHMjh+OVY2SECQ8fhYVPgDcBaJ6dU/GYxTqcBh0Ku50rFumcO+LsbUQNPaNbBuz8R3nAhcuK0UviwhCqseyqxjID9hf1LreNNDhDfoPIjIVzS2K4seaIg03EPOwHLJtFr6tYJ3AXoInwr4RQz4CPlR/NFUx9CzB1h64hy8R55ppHQvL4OcdnlBIO+fkf/53ZtW+LZK+snejUSQ+J1YCSaC+p8vL8tteEAiJO5cEz9GxksAM1tMaDb60BIatJ1bZdZ7waWrmXG9n+ua+NQs4wJXn2DjIZtB3MaGBPz/b9HvTPEGSt+JfnvxsFVg/cutfxqB/IZXG6A/4YciWcocFuWRFBOEiYEI9pB+cYWnl0YCFaAlO2tWoqja775rYoOUXJ80eUhek74Gvd1qbGDAtgLaRQvcL4htwNz4B8bfeSEkWOsDwuRQgfXfIFmSQYLyMF+G0TRMqshNwajjzWhOD9CvzhCnr2nKx1R8NNM3yJPR92XcMJawIvUCTWD0+bMYbxCTueBqfFEOTGESeCDTgaFr1ymBaj7Dchbk/himfgxByDwc3lbQQrUtyCLwdvvqJAgaO1996RjqPhaNuCP6OpLdYc0mpkjwpFy4GR08zQF01ONo2Dx4vBKFSjY2toJW2XJW7Hm/7p/Qe/a9QNa3G84uSWY+Q8uWEa6je+uqaADHiF8/ecqXEGh426OK88fYEXXwBgU8lGgpEG+QN4IQJKczEATucI+pCtQLaXMzVLtMtnU6ZntTLmjWPHjxBs3jx64hM+gCqNOWHnP7aV2oIjr0K0tIvBNmPCUFnBoUS5GnsZ+AcCD87FOpLXznn0EPjft82pADjn2tx2gg8hwxfgeLhkgykHJRnYYqEX16dadCZJbWohVqwbK4p+2hem2ItAttLRpFr10G49SaRaJI1ZMAZURKtmgWdPuRqK4U9BBtJrO6+HDNbur66+lLbxHNaVL71mW67vERY8CsYFtf5PdcJwDaJQn5Pahg2/6k5S0ofbuaFeAxIGKQUPIOyfvscUwk7kPOF34reXGC4ubv7S/qW/vQD3ow3jgnQsVleWYkU7ePNIVITEwgJaq0QIi2gpoABnAj2QhErq9nAkwONdBTpTmHlmeSGPptt0+wMGYujfbbfQWx9U02x2CmFERuAwQ7uVVQeaObf8g9icW2nBbqJUf+bXIlgLUQmg7NxJFkM6s9eWRpDm3CkhF1kLpJ0Vi9F4BRC6r9eqWp8ySsNgB+dfgYzXAGVXYUG0hLmwnPijNLtyX7f5N9/OxLfil9ywUXWTx/K4EL+5LAq3oHN7sSyiqM6iTIVgyWBsmmZ39hW0IdtHdE/X5ty8Sd2vqj8lM5NWEOaEl5ys4Ost+lkSbwpwA5axi/u1AC+99Xq0lyfxQHitwdouxCYsEGuBCP1Bwqy64wIRRC6UK6bJlC27RhYt4pMyqRIJZ3vUwSOqecreCGDNOSkZEz7zfDmn1UFmWguA9XlJwGSo6bJRvXmqPMpzYaHsyWxxL2tswCoZPOnjel8bnxB6L0Z+kdyYiNT9LWQZaJ0fYIFssKgtXBH4ZiAAewLu1JVEC+UYSkDfMpiXnieV2icKnQtXZYF1KZ44dSc3AVM8OsrPiVf0LhdLgvmzgcx7pKXz5aB8XNDykMKtaqvM86ki87DMvKQyc4vZCHkefrMxfYO+yNed95AKQkNRvJwHA7xGu8Oc+KW75GVGUM3acC+1wng02Mnv5OZeH8A7RjVz/9ImSIuEFcF92jnhF9F4VQ78KRZX6E2Z+q5xuwcbY/kmxVcvs7PwqBSne7aaBY90cnXqjnzuBCgZ0ci9Ugf2KuzsS+GZAXqIh19qfzAnK4gNugM+pWrpGI5OmTKftJflIMR770CCsk/FjBwDDxnmtagJs2FazWbtW+yGriXknc1LSz1FmmWzYSOIwnCg55xHXEVwyuMo3pIl2hKI4x2CGmfvbiDWiNNVPRT26PGt5S1w9GFXA6wnAFnVW0is0Zkz/yXaQo+FAN0xuiRZ0CGCl4YDjXis0OH5Gb62lXrJ5412AAnfwclE0bzPd7CRlTTk1svQJaSmqSZHSKMQT76KZyLY0fKpCOGNMQhZRNS4mhlpOh5AQcJzd9cojMwA97NZWguYsj+sCNitRXUBJyj1GQgFsGKZQkhqqD7hvGdQsXODH0fh0lWlHG9tM+W819CXAQbXrQJ8db18hfB1gD1uU7z/t8YAMDsaYAQhtbqlWAX8+F0HgVa2jGyDAnJRwrrfJE+wBhK2u0iSCC5KvaRqQaxaH/Vp6rSExOWXoackCdGYGsKGaZLg6ugxRPGw2OvR0R1NkWak6XmmRReUPr1f/1VtTImn3hDd+lrpnCdMMpY0+twkjaxdvoAIeO791uVBkxbednicDV4Fq2kWd4GJW1uATL8VO3TX7gaDrvG+QkQ5ng4+Q3kooHFgYqL5tzsPRRuJWVyk+40H3sRNpKN+r17QyQEdZ9v4B1g81E/sjZUW7J7F06CrnTruS3L3rn8nN7ucjTQ6Z54y3kTYEDUaHRW5w8oi5x5xzRrdqmWvsqyFrRTFIE3ddM1x30bJLjcwaPkPzBdzV/KwvOTfhBSwlB0f0dnJvluKy4LJRfbZZutD4sOpiHQwCyDYWogOVFIp0t5k4dkw9D3y7DNxbE3dcNoV5T40CLI25QdkfFqVJctTt6qXD1PFRyaLL2SQz0ebvnqy4obGYbHAI5nlufDQay5iRzCY4+3H63+fnARRSRiGzgr+oNlEM+Pcz83mS5/O9Tjy3EyLL52oO+noiAc3zBWY71b4qbUbAbODguTsaqmOaLvjVQ46gRhdMojvvsT6ZL3gsIh6gwtTCXVQvYwO9V+oCL4TInzZUBeGYjxU9vesdav+zWNdYU0vq1uNaV8xrPX6sGHd0SRN1DM6A6eimGVhqr9JAZLY+rHeq+5ociawjp1JXUVE4375WATbAbf+5vLy8ovH4IncnFATECF888sWTk7vIwVDDEP3ELiRKEEoR+DU30TTPhU6QyhqASkG44ydtocxqd/u1R7cxqTrHlaJn6MgKhlPnvn/26Bs7G7PPb0bYA/f0khBWOINGVs7h8iRY+i5BzcRuNNVecPwEH3zbSIAgMuItHEU3bfSBnF4VhAGqNvB3Z9hOEpqi4RZ7B6GUHmgtmGnIRwObibgHFOl8TioplDzxXcoonYrNWwWcVrpL0RqiCSN4HsarkY6EdUjgT1Zz8cE6QdGT5T0rAEWCbx0px0gmgsF5oPLVmoDLyqxPmE+q5qtK7r7u1ZYTIONC76o5tKfgaLZA5KQ9rEdkseP9BiVb919Tpx8eq+BnQv0ST2XDYd0z2vpJ6dyQHB5AdG6DgTRJtVXVtVbO1s+qNqM3HhQeLraFKEpi/gmKysMaocnX1NBzoUid1oUjcHSJueoteFTOC3cxbYZw1p3fsI3fgzf9QEhnsQe5eWnmrLv0dlOkaZ3QGg4DvDngixBvhiL1znv/aVdjP1c+qmy6NKHrT2w+K58F7GH5ArAfaPIJn7suF5ZUWkkVGZ4MOlXdNFhXATh6bmm80y1k8sgb6uKUnoc8/M//jmsh3j1OCdLismrC1QKc4dOtuSZzMbKHddTpq4eWkPYdfVGxUDbwuh7ddK2cGlTDb7LEfKLDCNgNriHcQAKUMm5C3oBl02Pzox6WdUdF279oYsrI9G7jI9c5mJFl8vfPOITghK7W3IurphkN0LwJSweX90QvGJJxzTkpGlaKiDSVlJeIV2mCpeI/JEBPNJEE1eLOEqFqmKKhCcPbfxtJF9QKNCPxJWWIMdzcotRrhtbbaefgVSDl6Gixz7c/rnBO3XZf0EoCAcP2PLBdFiIaQlF0/uH7ghWS2cb2S1rgBckreH3TQTGV4IMpsthzUFiliiV1aVHROggMqKCfPhc7Omy/K1f0O4iNkhLhN50rDVE/eAcZyBGJ7DpAqyTBuYLTwojOq4Dbbfahkyve0xoeBN4pSd6Swo24z3BxLBB2vktcm7qCCWNEuOsF1WXsl6r9+O8wZflR0fpsEmaHcuLxKZReutqeO5Yl4czxSXvb9g1uPCJzulBLwfNYHyWc/EWxGQ9cFANXIy6xxXQBCknha6oRhXvcukuXj9XDX2q5hn86v+lAjpwQIM7JCNskJzDxA7h+RB5HX4PY2R2bUtWAMjo3hQeTEKEJLCI96C+FB7ZC0W2n8TIl4RGPNLDUEZH5kkcI1M4D4Pw/0c8RMA3uBNcElVFmZT/Ad9S+d9/XiTuOoUsUi1f+TC9knuxA2/RI8RV/H3Tptvva6w6YCWRvjzC22rcF+GurbNAN5iMjgwI526PLX90NC4q+GoC2Yj1FPYaqM3o+eMfBP7KFx8WfL3v9/5zIf4aq+Urcoe+A8+BnzecHAJf0Dm1xDsurfGfc/mvnspXoer73l6Qd2vFF5FdW6kPTW2AuVlx880tZWJEddq+iGb9k2VjNG9UAHWrws/wCVROUxZYiIsak/rLqPQ2ut3n5Lsc1ODuqJJSBKzvSSwGPUMpgDv7KontUfhP1KiMJ56mFq0/qdad/edcAxUBsG615FGQ5GcWFbkbRXHg4FIiL36m2JFsIE7+udPrCMnkPG95DxGEPdZB3vFZbCyJRPtIJDRV8Tyz0ND+BbdYrT5OOAAA",
text: ####"""
// The pane beside the list: all values of a row, and the form for a new one, a changed one, or several at once. An edit shows at once, as an overlay.
// What was typed is never lost: a refusal, a conflict or a broken connection leaves the form as it is, with the reason.

import { h, manyLines, nouned, oneLine } from './rows.js';
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
    return (this.#form?.fields ?? []).filter(({ control, initial, isCleared }) => isCleared || control.value !== initial);
  }

  /** The form of one row; of several, one after the other of `ids`; or, without `ids`, of the whole list. */
  async edit(ids) {
    const { program, send } = this.app;
    if (this.#dirty.length) return this.#focus();
    try {
      if (ids?.length === 1) {
        const row = await send('GET', 'api/row', { id: ids[0] });
        this.id = ids[0];
        this.#open({ ids, title: row.title, texts: row.texts });
      } else {
        const target = ids ? { ids } : { all: true };
        const { count: rows, texts } = await send('POST', 'api/form', {}, target);
        this.id = null;
        this.#open({ ids, target, title: `Change ${nouned(rows, program.nouns)}`, texts });
      }
    } catch (refusal) {
      this.app.toast.show(refusal.error, { error: true, remedy: refusal.remedy });
    }
  }

  add(texts = []) {
    if (this.#dirty.length) return this.#focus();
    this.#open({ title: `New ${this.app.program.nouns[0]}`, texts });
    return undefined;
  }

  #focus() { (this.#dirty[0] ?? this.#form.fields.find(({ control }) => !control.readOnly))?.control.focus(); }

  /** `ids` are the rows that are changed, and none for a new one; `target` names several of them to the server. */
  #open({ ids = [], target = null, title, texts }) {
    const { program, list } = this.app;
    const id = target ? null : ids[0] ?? null;
    this.#turn += 1;
    const fields = program.fields.map(({ name, isKey }, index) => {
      const began = texts[index] ?? null;
      const text = began ?? '';
      const long = text.length > 60 || /[\n\r]/.test(text);
      const key = `field${index}`;
      const control = h(long ? 'textarea' : 'input', {
        id: key, name, autocomplete: 'off', spellcheck: 'false', readonly: isKey && (target || id != null),
        placeholder: target && began === null ? '(several values)' : null, 'aria-describedby': `${key}-problem`,
        rows: long ? Math.min(12, 2 + Math.ceil(text.length / 50)) : null,
      });
      control.value = text;
      const problem = h('p', { class: 'problem', id: `${key}-problem`, hidden: true });
      const element = h('div', { class: 'field' }, h('label', { for: key, text: name }), control, problem);
      // A control may write line ends its own way, so what it holds now is what it began with.
      return { name, began, initial: control.value, isCleared: false, control, problem, element };
    });
    const note = h('p', { class: 'problem', role: 'alert', hidden: true });
    const save = h('button', { class: 'main', type: 'submit', text: target ? title : id == null ? 'Add' : 'Save' });
    const form = h('form', { novalidate: true, on: {
      submit: (event) => { event.preventDefault(); this.#save(); },
      input: ({ target }) => {
        this.#typed(fields.find(({ control }) => control === target), false);
      },
      keydown: (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.#save(); }
        const field = fields.find(({ control }) => control === event.target);
        const erases = event.key === 'Backspace' || event.key === 'Delete';
        if (target && erases && field?.began === null && !field.control.value && !field.control.readOnly) this.#typed(field, true);
      },
    } }, target && h('p', { class: 'quiet', text: 'What you leave alone keeps its values. Backspace in an empty field clears it in all rows.' }),
    ...fields.map(({ element }) => element), note,
    h('footer', {}, save, h('button', { type: 'button', text: 'Cancel', on: { click: () => this.escape() } })));
    this.#form = { id, ids: ids ?? [], target, title, fields, note, save, form, list };
    this.#frame(title, form);
    this.#focus();
  }

  /** A field in which rows differ is empty at first, so that clearing it in all of them is something else than leaving it alone. */
  #typed(field, isCleared) {
    field.isCleared = isCleared;
    if (field.control.placeholder) field.control.placeholder = isCleared ? '(nothing)' : '(several values)';
    field.element.classList.toggle('dirty', isCleared || field.control.value !== field.initial);
    this.#explain(field, null);
    this.#form.warned = false;
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
    const isNew = !form.target && form.id == null;
    if (!dirty.length && !isNew) return this.escape();
    const set = Object.fromEntries(dirty.map(({ name, control }) => [name, control.value]));
    // Of fields in which rows differ nobody saw a value, so nothing can have changed since.
    const was = Object.fromEntries(dirty.filter(({ began }) => began !== null || !form.target).map(({ name, began }) => [name, began ?? '']));
    form.busy = true;
    form.form.setAttribute('aria-busy', 'true');
    form.note.hidden = true;
    form.fields.forEach((field) => this.#explain(field, null));
    const cells = new Map();
    for (const [name, text] of Object.entries(set)) {
      const column = program.columns.findIndex(({ title }) => title === name);
      if (column >= 0) cells.set(column, text);
    }
    for (const id of form.ids) {
      list.overlays.set(id, { cells, until: null });
      list.mine.set(id, 'follow');
    }
    list.draw();
    try {
      const answer = isNew ? await send('POST', 'api/rows', {}, { set })
        : form.target ? await send('PATCH', 'api/rows', {}, { ...form.target, set, was })
          : await send('PATCH', 'api/row', { id: form.id }, { set, was });
      this.#form = null;
      const ids = isNew ? [answer.id] : form.ids;
      settle(list, ids, answer.position);
      this.app.done(answer);
      if (isNew) {
        const [id] = ids;
        this.close();
        list.mine.set(id, 'follow');
        list.reveal(id, () => list.marks.set(`r${id}`, 'insert'));
      } else if (form.target) this.close();
      else await this.open(form.id);
      list.focus();
      setTimeout(() => ids.forEach((id) => list.mine.delete(id)), 5000);
    } catch (refusal) {
      settle(list, form.ids, null);
      form.ids.forEach((id) => list.mine.delete(id));
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
    const again = deleted && !form.target;
    if (deleted || !fields) {
      const addAgain = () => {
        close();
        const texts = form.fields.map(({ control }) => control.value);
        this.#form = null;
        this.add(texts);
        // All of it counts as typed, since the row is not there any more.
        for (const field of this.#form.fields) field.initial = '';
      };
      box = dialog('ask conflict', 'Deleted', h('h2', { text: again ? 'Deleted meanwhile' : 'Not saved' }), h('p', { text: error }),
        h('footer', {}, again && h('button', { class: 'main', text: 'Add it again…', on: { click: addAgain } }),
          h('button', { text: 'Back to the form', on: { click: close } })));
      return;
    }
    const choices = new Map(Object.keys(fields).map((name) => [name, 'mine']));
    const pick = (name, side, text) => {
      const radio = h('input', { type: 'radio', name: `side ${name}`, on: { change: () => choices.set(name, side) } });
      radio.checked = side === 'mine';
      return h('td', {}, h('label', {}, radio, h('bdi', { text: text == null && form.target ? '(several values)' : oneLine(text ?? '') || '(nothing)' })));
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
        if (side === 'theirs') {
          field.control.value = field.initial;
          field.isCleared = false;
          if (form.target && field.began === null) field.control.placeholder = '(several values)';
        }
        field.element.classList.toggle('dirty', side === 'mine');
      }
      close();
      this.#save();
    };
    box = dialog('ask conflict', 'Conflict', h('h2', { text: 'Changed by others while you edited' }), h('p', { text: error }), table,
      h('footer', {}, h('button', { class: 'main', text: 'Save these', on: { click: save } }),
        h('button', { text: 'Back to the form', on: { click: close } })));
    box.querySelector('.main').focus();
  }
}

/** An overlay goes when the stream has reached the commit, whichever of stream and answer comes first. */
function settle(list, ids, position) {
  const shown = list.results.state.position;
  // Generations of another process say nothing; it has sent the list as it is.
  const isOther = position != null && position.split('.')[1] !== shown.split('.')[1];
  const isReached = position == null || isOther || generation(shown) >= generation(position);
  for (const id of ids) {
    const overlay = list.overlays.get(id);
    if (isReached) list.overlays.delete(id);
    else if (overlay) overlay.until = generation(position);
  }
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
gzip: "H4sIAAAAAAACA41WzW4bNxC+6ykmRZDVpqp0t+Aahm2kqJPGiJtLXBuitZS0NUUuSK5lxfG1vfTQn0vfoO+VJ+n8cKWVZDe9LIez880fh5wZDODHmYYbvQzgJhCRNmWIe+CshqiujYaJ88yfKVsY7QGXNU+bqk8alqA8AmYuaNIzuvZuEfQISgsKovbz0irT7wwGIjx2tY1owyxhMSuNXhlGK4E3EzeuQw+CA+vA6Ig6IC4rXaDK6FDppNQGNwH0LTmFKudzdK3f6QxevoRX3tVVT+JCjaNTvbx2yhcnt9rGPrJH0B1djTiQo+gN4Pr5t7/zHqhxLJ3toV8qrmKEoJahDy8HHX1XOR/RmkVnJUH7cNEBuMjeuFud9ZD4Gb/ZoccUHLuFzS5xVxCBq9V3EQO1GrmboJsV6H3FkLoiDsnCtUY/dyFnaqpXFqpmg7QC2kEh/3ZByUIl5BpQVzviU/r9nZtrRkTH4pPSY/Toao+rIUS1pFQ94uIrEj+xBaOvXYxuzlGp/4n/noGUtXPNB7NKYkj7bcSphOb1benq0EIlwFPJ3GNcqqJAgKkDrjTxE8KMStxRrd0qU+shrIS3dX3Fukpb6DtSNJ45uhdq2+dzLeInFqubIa7ScoDGiJHVrUQntmFOKktHVZqwierJxeMbhQpoxWvl3LaKj6xi4kyRpZUCJC/Y6BP+cpW+1pMoKTMY3Ar+Jdi7cjoTXG0bu1+yNxAvS0NpWlNbUoGlAt5O1umLXZFzERErIWvTW5LfiIuhViZrCGCdUrFPwCYMwzt7E1JGjFtQCekJVrcd623AjK8Xo2YpG7MmjXx6+HiVEZ+5Hh0MvoO0w8JcJ+kI3+WpKIMUnkHvshW1XT4twJVqIQ6NaYGolugNb3eFRzSIAlWw57TsisjLoYsyyl2gH41PHBWZivTa0v0S8/oxRQWwlWOUiDrVPpNrahdU09+rj6niCpc1667oexblCrv6wACvBcDrLmCZnoxqmaV1O9dv6VVj2bud52X79VjLHkg9YN8hOephuzInYayqlFohm6sorXtW2imhLoedjjQrq+b4nOzDPaxa0x5kn3/5C5Gp7/D+j2ZPN5w5vzccvrzM+pPMQYb0eaXGZFwcQgYSuG16EzLOpsc2cdjE2VSaDlYf7q4OU9qJfpdOa4+PAOmfmC8PJG3txhZlSPLzr/98yOBhuNmcMW8/YMgYcRfJHPa/lRRc4O4SDg5IYCjTwhGWIA4JvrZdaf/5aDXitEcj7vfSs0bp+Fg3SlNHpKGhHM9oKIm+lslJkYIGX3k39WreHiQmtU1tCdsFTimhO/Vlge93eI03Tls8xh6gY72m2+Rwj6UgIYqzdKhWL+CNqrr5EH+S3a5IXMgM1Iw1l+wJRZG3pZKLJJk3SvtBRwqugbJmeoCk+e9DlhGHvO3jxefBSlzWvktFm0aerqY/nH5yHKCcQPdZK7xuDp8+AUv1y3Dk5pULyF4zlYmndIBex9rbISsRv/EbvTPojEiOcZJD0TV0js3xlI55jaFY9zlwhh5g/WSAVZTl8HVC3WwiKlV6hEjcBzB6fs/kAzy/R8mHEaMFsJmbFGtj6sULaBdNE1AyShMLrsd6omoT5SAl4ZJ/1NqczBRPhpzKqYrbTFLbMpyAaLcRwum6OxK3G+/zPJ0LAE7nh0C5x6E2jdzyrgYcwvlFGQJ1JzodbEN0wFTr+A8rW4eQ+HFRjnU/6WRHJEKvK62wEpokrdIM6xCzhcI+IeyH7Ug2S+C/0kagpPPZfqM1h/UF7wmcxR/w+9D5FyMvJr4KDQAA",
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
  ['Change', ['^a'], 'selectAll', 'select all rows of the list'],
  ['Change', ['a'], 'add', 'add'],
  ['Change', ['e'], 'edit', 'change the row, or all that are selected'],
  ['Change', ['d d', 'Delete'], 'delete', 'delete'],
  ['Change', ['u', '^z'], 'undo', 'undo'],
  ['Change', ['U', '^r', '^Z'], 'redo', 'redo'],
  ['Change', ['y'], 'copy', 'copy the row'],
  ['Other', ['x'], 'commands', 'commands'],
  ['Other', ['?'], 'help', 'keys'],
  ['Other', ['Escape'], 'escape', 'close one thing'],
];

const names = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space', Escape: 'Esc', PageDown: 'PgDn', PageUp: 'PgUp', '^a': '^A', '^r': '^R', '^z': '^Z', '\r': 'Enter', '\n': 'Enter', '^Z': '^⇧Z' };
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
gzip: "H4sIAAAAAAACA608227kxpXv8xU1sJFmeyhKmrGNoDWahtfrTYzESJAZIA+CEFHdJYkrNimQ7JF75V7kQ3Z/Ll+y51ZVp4rsGdnYF6lZ9zp17udUHR+bD3fW1FU/mLYxA/zuV521zcI83lWrO9O1j70pO2vWXfnY5FBq4QPbrbZd33amH8pm3WNFOZiqNzdtvbZrA4Wmt7VdDXad0xc1KM3qrmxuYbjW9mZoYaRyKF4c8zJkSBgFJ6jWthmqYWfaG+gHC+FxqqGH9TY2Xi+uY9fTJPaj7UwLVR18d9VgTYbtum0NU8JY63bVH1/jxmyxWc+LFy+qzUPbDebJ/MG2Gzt0O7M3N127MbPi+FaKiv/sZ2eh5ftV19Y1TBRa9lKUtPy+rbebBiD0N5gxN3c5LNz+GTcQuuJikm4/ld19jzuuNrClXLb5oX3oVb9NO1Rtwz1frNoGTvFvP3z3/R/NuTn99h9vfv81FNufacRVXfa9+TMe9NMLg+ACwJybZlvXZ/AtoA8FeI49fttH894O2RwL3Ymm5VX/XV2/D5U3Zd1brGjhLGo8GO7wU/nAHTa4/6SsH7ar+2gF3YpGO8GvLxixfhwv6osH26yr5lZ1/aLs77kE+sL38Vdfmau2uVrAX2idVev5VW6uNrC8dTa/MuXNAEepsJpqoAVhfUaNoXjIVnSY9F23/ZAN9ueBa2Xz0LYwXx0jRPE4uu1qaLvsoWtvu3KDRz8n8BuYrOoLKYd1yq+zUAfofQ7tVUn/UK4sntFdNltXH2c5oAkd68LMuG5m9nPVASB/qD1VQQmgrIXPh872QG0lolMyCGHP5BhYAwVDeV01a/vzwhydHhow1zvI1er0THe2pNOdmIqqwnKBXuBjVnZVeQS/afrZwpzGK7ebB+Aek+NRFZTcVes1Mjs4KBt3vu2q9XRfrAlLGYAspYTXU5fXtobFyIkWwMJq6yo323qoGFfK69rOaICtRQjR1BoSeYB/rjakF0ncmckBuUs2DdcNshJPbfA7y+bm/B1XIoZn82jntpXGjh1mF5cIAJhtYd68BqjB8mwHv09imDkO6ChUPrN0Hw4N1DK+kL7reC20l6Jcr3/4CNiE3Ms2MOBsVVerewB5ZrFcDUMVMAqXP2eo9XV9cDTYsZQtEdbmd79ztFkQH0lbYaMCmMtz5r1pV9u+anDaJ6Ch7tYOAE2c+0lQgRl6zaySWwAU+wppyiyXrqgHZKocowBefGMy6vOS+SEtmlsCzv2IpAJVwBnnssmHLfCxaChzLl2XcOpuxsVoCXuzgHrps0iW4zGD/+8dG/7QmmtgsyWeNbC3FSsTRG0g9yuW6Q/lrRU2CoIK+G7ENZkJO4wW+ZpphqpIR1ZBJGL76r/sX65724FY0kTwRUdViHxFy/VZOkLS0G8Kz43OEkuRSuyw7Rp99nCOQ1nBEkHz2G4ACYoSQPTR/lDbDeHbL7+Y6So4iPOwlTOYkOdjZUBP91M53BUrW9VZRInASarbu8Ece9JGFP0jFc7VeLCn0Wib8ufs269z+aia7JtToP3sjfnKUzsqXq/Mt2/m5nfmv9+czmlIGBPm+G7IHKKkUCHdY1ngIV94ZDpSdQXqN5dheUhg6SAsqJcBG196nOWTum/aR6FQbouECRhLOgINLU2w2I+NTN8PRP8WemGEmDcgb7IMFkUIBP+XBXU7NzjUchl4c2H5HBHyQ3bVfflUrfdXwkyWS7UWkhI8pl+L6IkZzbCydd1faCRnycLof4mjzYCXfHtC6DTDhri0mZwIaNh86j1+BTQWumJWgzKuguX+vVoPd2AB4L9cyrj3wghC7Y1GzBeO8bzk6rls4UwNvm0q1CMeyq63/1G35ZABTL5vN8B+7Pr9sIPteyJwPxyFFDdAQu9hxXPA5NNvFUE2ZYewPOfFmrfm269PAEFxMtVK5k5KkekUJNWRKxdDe3sLi5jxkLNcT5BqBoAOsGDgdcNfO5AE3bDLZkdH1yWqVFdfPnnIFO3NDTQigAKK0yL3Dz9fzTVkHId3FIrfQD4xIQ/tQ9QJ+InFPVHnpRk1dgSFA8IniQRE/5MJee24xLmcrmZ4G1v2285mERe8qYZsSvAjQDI/LQ+WR0uMl/NKtgHL0sOxTuI5bFhDhK187sSdunaLJKkxYmm+eW1QXZk7foWn/7xz5OOHc4Qfo9Ni5cedF9tRIGJfKi4hIhAE3NKcwCLUGt+c/Prl4Iy8nsMDqWUeUuI0713BGGBHA9Pwqp1T63Ix4YXvsR2ohDgf/oQ8LtwxpUyep4mAyF6AtYOiGwGHDrSjmBFg89e/n4Acj+aZgEIAxZPcZE57I87s+iC3559R9ceqr0BBjxnZuLfRk3km6ix+YtCBVUq5bizT+IEAYS7EYCiKAFgwkbN/5DIwSR35CRCrB9RlRlWk49FQ86IH/dZmJ7n5en7p5JkbW1YQwPV+6MB0zjwAcBwpG4NnrmACyk67dSay233utvg8VJfOjvm6RQ5g+dSAT6m1CIvqFaMIRYlYQ9u9VzJLG9u6DQvT3KxtvxKngu90BwK4RVR+2qc2a9FZWN7Kfn9X1esOFDM4uzGwhAz4NNV5xer+k4NbWVe3zWjNDiQX/P/yLOqMeyCqCpthFRKHjJu2HXMx6bI0mdo06BLhawYoMyv9l9ehRjOzx4VgXVTNqt7CGBmjoGssmo2yqsWM5u0wB5rlztYGlkdg2Jsvn3jBpObsr5w9jZOBEc113oY2fjlLnOp6OwxtQ7Ohv2bhIBw7LqgQpnyP/o7rHcxIJTgXWjekG63uF9poBTOQvEK8Rzir/dyvwACYYG4wdUczQzNvG8WKgL0ZDpx3UdvmlvjgGLGWrhKAczJyqLCaiJoCjr5EmOKvvdm0nXUG19qChVKDctbYKzzuWbDZjslp2JPvlTlp72y593fkHW7I2UpO5DNzdW/twxXacleg7ALsSAHaXy3Yh0sOX3HWgtIenLk32plb8Re5pe9KMAsHZw3CjBkor9t66BGqJGVy51TeowwDKs0NLiKSUdIHwCC/IjAhZZ9zX63ViI+U/qvySdeo9rWA5LJlF5U7R+hEVer3lGI83MSbygyaaiOPq3BhIDcqiHW1sXc0VdpuWjTco14O69CLl4z3LIUwZs4Ov72tdi4nVgAuODNItUP19Vy1DhbZiRNfqEfulIUJdIFnvhSF21thrIciV3FG73O11qBwI9CVmRncKjKl+Ixxym7rZSL5VYL7BJGTDlIGtfBTNWTFkfx5sdPlhNwsOGPcf0pRLh8e6h3MeW3hSDFmEFNHKhVhtxRXcIEM5jyxVAQo5Nrmc811KyAHrpEARTa2fzU4D9FWjCOjkIHELMQEb7sfytUdWeE5QGdzbTtnjePJ+FHobNkrJ/Ag5wJYHtJJxoYBTcYruMCmboBL5Ex+NK3ugJwvNza7evjyydWjrPBGPgUegtsImUY2eTARiVDgIdDHPQgowv8ZbnuGW5MabgjfiLMSdPPeIuJQSgOmxvNnEnAN5NOAtEJ8aB8SviPMClcElaAMSMsThdVTja9bkMGb0D4ht6S3W3BYBhyY+InvqpvBA5KBEY4LEI2wWqGtQ55PEjtO5E4MFzAC/9rWQznzIAQun0WnJ4uzA7pkiB8cXuM8galn0eF0J849CyzTubp++UWj9Dk5decjfRLRGaSp0iXdhGc65jApKCJohJnDJGaS2S0Uf9975S9ACWxE5JS6wjbLIvMle8aFMEscIX4sSTQi0aIG0T42bMFyzFpiv3flR1RsAJ3tuvADeag7B6J33SGQAxueH9iY94Zqz6L2yp/kahSQS6fzMQhAcaTw4Qz3hCwL1CXQolgbq3pSfGYBGC/C308J7SANPoPEDqwSXJ7k18BBgnAoFD3lKPZ2QQlmjQfXgsVLNR36djq/j713IEwzwyfQ4qvbCkmYeZuXV+S7RBHes/b4iCkI24a8t2ZT7gwyYpd4IL6XvvBg8JzypbA6F0guevIojl2VBxQ8qSRac4vFE5cZgBp5S8694tRyBAajRFzuHczeORK18jIOLH/Z1YS96N1R3Jc/+Txcp9hSeyxxa7SLJf27kHbkQz46hfVMRJR4XKKW1NEe4AmqujQUX3sQRlQHUwN/4u9yvU4WuFeoy23wfBCsahg+skgN98LOx5j+bWfATjCbLTADtCM+VnCQeEg9GIaCQ5KuUrftPaariE2yUEkAMzZNcqeqAYpVnfgdB+neo7XyeAc2LGe84BhiqvwGSSVHSxIQpZPDZYejTsqKyY1zn5uLovBeY1C9cDiWlzLope7DSz2nvt53xL5YwCz8MQ6oiI4RvLbvnETG2QANUh2b3LnA+U6Kb+aJZ4zZ95SqSctHxYebqEm5xE9L407Vv432jZ40riFXGm0cnV/0Y6TzORuUVhEYpIulFsoWGQlAdxqr2LTxDCIpKMjn8JcbHtgT9sLo77NIXh1g5CSwZNp3FNDVATIBTx/I+yg+xzO9g6FqtjYWOD7SgPooozHH7GKIHLk6Ctohh9B8Q8XTgJBfBr0c+QEyCSjNtEq7xBpQBbDO82xMF3I9gIOk6023HQxDZoTYa3r3+3EYhhDk4uRSqc9Ug8vXQdQRVY5X4XWFGGKv/I6JRbDbJo8itKw4TC6aZegzNc00vCcEwdZXTIa0U63/6P2QGkSIr/3qQnijhon9Op+yIT7TbcrYEPs/1q6i4VN1bEStDhCOOPeeXh0uofUTaDkQcUq9MpWi37hEE4Eb7y3S6GhwiidTXkaWIQ0RKyb5/C4Zcz6F8AI6n4bhkU7NCuufUkAQfF7a54eaBP11/yK1K1QuiGPdiSJVc4pSIGMhSD5WbjALJxj4xWcQxG/zc2R1SBnXXh3PjlJMaSjIM+ImsUa10/bsLmswiH80jshqjHCAQaZyiPshZ9wBDhyNUzeQM+5Q4E1EceefARxuaT+NSbUFk8lzE6WpuJ+5maH6yPpu+VjuZhFmqGhb0dmwoRiyoM7/ZTs4jy8m72FeGdpx/ijFHCINP2edzbIzAGwMU/b3vdh+6KjHnpW38JRZBscSY+kiJLac5L8ZgwCFEuhtgXiBiO06BYYcc3winf1oyzqg0a8+AnLkO//4LEmvIkCVndWKar/tPlag/S68mx0NJscfKPk1905DchWUzc6psc9YESrTsaiZCD+LlsDsxacTnoZswiApUo1K6cLAeb3TN0mHqNYovrOSE/hg2++kJ2aQKTUIaAcq307UAQKcRuoyQjJWfjh6l3odM4mgl8NCa0Pey4iBHkEZr3VTF8n4G3ktkWhcLqHrSKGmrISToj684+y6wA0fuc+SPpF1YAVwj8hFXqZl0JDIoLzuufIo6uDrrpO6CPa3LSlOWkU8oB0Gzkt9xvodFhcRtxBTT1LBH2wHvzdls7JF0z4Gh1HkVrn61z//R5JwOK8Kh53v//XP/zVfPiGy7q8ivnWAUcLhB1M9lgFYBzqiy/c0E/Io13ljqfiRvBblRkw0NfadYA66pKJvH9Ylfd926PZIFReSndKH7eZX3NN9SH/+fGden5zEno/UAU75ZuT9lp5z7e7pVTobcCRuwlnS2M9TshoVJDsM5tb4qdFiv9FoCO3MnuyPDcJaFn7rTvOYWNyFV4Kud7RpgvJoEkYUZFh/sjvvvsgxJxya05wgkHTGq3Zb0pkjlrFbASRcdVOR0Uve0AgDmGp85shIswrMkYwTl7sScUpKHlTGjrdl5omUDP5eWO935FAxJaUZ6TsRsHKMxLp7N+LoiR33k8Zy4sJBOnegm4/ktU8fTsNkqk2g0Wi+HBBk4SM03w3xaubkvJJooxse1+zPAZ3szoNHfq5zk3qKlY8vighOp6Sq1m5bo8YBEk8JK5PbKYn3FPNhv+DOiIPTFt6UaZdYa+HMpeCA7eTdfA7rDxo+kWsQydGX7zGnAANlyRz7q8ALU6KK9lWto3y7SS9n8DxMpfJevf/ySVryanpmF5HyxBcWelAwAbHQvsZfsFhO3wG9pao1QYj/74zvsVmzqdbrmuigYjfrDWgPqCV7j6C12Q1pFBzJ/VQ8Nn/2UWq2EJkiyjkWedrIptmhPnD4zNHQPhA7F78zlNAwr9hFUda198QdmcQmCYFFDu2PzSJyDkDdO1oeMgz4eEuzxO44hB8Samj8Kp0t7j5eDXIdWsZuXGeOzWunUzDvoZZhtiX9XdDQrmEUW5zOIYgboU4yCovctiIYdEJIlMQSUkJQYEykkND/s0SnURIgxN8OxY2ET6+2Oq8OaeMncp+DdCMX6Rld0eCboey5HdpW0Bz5VhY5UiME9z6o6cSDgwiu/DuK0ySZt6Si92BxTOfnh4sAkyaZr46uJqn9zJ9Pa4jspUvQ7gF50AkzSS0LwsPTsEuvdQsQ36HeSGNhfx7vKxM5BEJnMm1OEC7pMAiAU7xecBBdT+ZnEVgEMSItGbBU5ahP2tPlkJswLNvM84BNeEbZuuo8o1dg9sWwQT/2aR5dODkyr/1FE7uGsWyz1qGTRO2eh4VrzcE6X7ryLE4o7Ji2g+MHAEcd/eo/nV6AgB1BlDYgMim73n2CWA6TCDmQRnx6QjCwI2usHk7IB0m6uN45REqlRJDyDbHChpjw9U6pVDgEhiSwO328NXFAi0HUvpftS/6F03F8eaINqJNMr5k9J6NrMizyiXyq2/ZDq28xfTZn74CX8oC/adpCnMdbSrMlns+x/4r6ulJX0NVDngbvM5Pr/HhfvsJw5pm5Qu8PZW/KDb1H9AZRJQ7VuVt53ofF/qIYd8XncT55cUoc3QduTykU4kE4rhWpxnQqyWWxkM8VHAJxRokmif0zDtInw+gEmrNRQmkRQSIwKboPh9SJ92W5AiPX/oAoA+KOrnv9P1O9Thf9pCPtEP1X3l8/ttfCUu7k8oT3fWI2Ac4MDAFHgCra3nhRIWsg81b3y6pPvKGi4MiVk6gxJxyMcvy94ozOx6kQM2cdn5upyOhYI51M9Q2F87TVhSSgLM2sXK8paZ6Tj2aXCfh+i00jsRGff5WkXnxqck9Wn0j/i2JIngH9FnbqvIbC9Ajm81/Hu44NJzbDcN4yowJmZ8jCxI8t5ICpF7f+QRGJFKiEMMwRondKwBxH7b10zgtJKpes6QMmp7CoT8Wo4iyHKCg28t8wwOWyYXI2iY4yFaE4fYZfMQyuZdbBRzqEt/CwUl8w+nDkJq7BzJ143XgPwr9/EVvU6twomx8PgTLdBrqeiolmN3JKJF/orK7Rlq5r8rbqI4L1xzfP/JrGWfXpbhOLabTkaQ0gpNTr3Jx4bvKoejskScw/wP5+xcLTrp9f+TQTxeP4u7zB0242eBAlHg1H221424WPRRxv5RDTmpwHeqGqdT+6lR0DZUnJSVGFv3/mLrvJbyCwS8qEC/eV/9pWzWDZa4o3wPUrCWFWfnRgVbe97QcQ+DMcbebsg+Q9iIjCkQcAfKmmiMeBUejSpZZ38J1EVlmGQ3kR5FgiN3VtbD1ad8N/9NSEIknrXgiYDjQqTiUtJ5mVspV5imI1dPWf7A71CC7Y2KGEAn93IWVP3sEbD8edKViKwzkv9KG7+Wl0/QJVN/SSXGIe21RCbe435hPy0zhYiTEmr+aRTx9tb3XXBGc5CwVv0Z2jvl+RWewtx+TtginuN9WuUGkBh+h0f5jVp9uM0hQmz/CByePD7sE6e3S7upt5Z7tcKHWf7j4ZvlvS42MxbmfuLZM0Hh3hmuisJKgjIkrQePzogTzL4hzWMkcmbZbq/r1/JmMmBAPW9dIDhnIv6YKl8dDyt3zomQ5RJACqHUGIvbnR2z6Otfw78ErQ7jmTyj888wwDLxEPLuKOgC45Jo+eQuGYmHaaE0biFyAO2Ay9q1RPnNALIri9kTcfB/NKRHz1hgVR+zDh0J/Ia4zeFqAsUXehIjUjcn3bYuw4PZwZqZ+bORSCSbxuEy0879prXHR7Y5lMZ5Bq/5xE/mwXOmfA+Zw+ue82rc9RTu112dvP3oS6K9fBdqInYaJL7/7dmtEVThdnfuX8gHKz6iPZ0V6hfq28CL/PTfb6zQm68b3rOn7fxXxl/L6O/ezH6D6b9h/GmbgXl8GTyZnP5+bHBlhCNexCDZAvVhxF674uKXbpRphAyBgXj2inceIy/MDC+a/MxqVBi4dtf6eitT4SGiQ1nycS0DxOtn0Zm2MoxaNM3TntjmeIKg7eXQnuYk4QizE+nt15iEOq1zuCikv40pndagrjT8jjBxXk5tBkxp1c1CDU7w9DFNYWABokdQzfHYN4PnmLhSGCuVxO/fECItDoPWsUSFOoXfMy2LffSsI6ZovQKIAI96S+qCQzZMxChV5gsAtAvTKVo5eCPGAuWOdME/KHtduB8opCptooUa1t6p253QJrD9eMJC8GC31e5CSnnAxoKOaYdJ37wLTvOE5FzHje5Wjet/q22GIydsEohnKXyZJfk1ykhEnF8cwc13xOEFn5nabI8UW4P/9knPngcW6kH8a5YSm8Ah7infBdzklnDsA5XSQDRWAhYoDKeAzWG+jugAAUToZytn7kNwM4jUAlAzL5CgAZW7cNXwIB4MyjqKKiqVC39ykY/b3cbpM0kLLZwfqaW8Q3eYjVXWQRjwiH4lBnw9txO7OxZQNmNUgWT09E77E/1UmtnvyciBcLhSN4Hov40qxy5orE2o/im49lM3juU+Lf4KvIcTIQXDw8X+ZxcTbnUWU6003G6jM/OAJ0WwtXje6fLA0+/XOaPtpCigMHw5RdVyYPw0TaK91087b9dP1n33ebj/xc0TsodvhuGLrqejvYzD9pSWmSsyj39JXJJnaqwyp88QZ0CLU/ElZyVuEOHL+P6qw9/1oqrOVDtbH4jIt+HQ/q5QIeDQe0hOljsU9CXkqNVGN3aw/kfXI7D10QyFFhUU0rnFW04bLfNSuj5yQz8TLV+PwrEFOXGfANX602jGU6ZdrH+t7Yg5eHBeP4JbILNzFAvVlnsz/88IGe/nyojl1bygNj9KVjBFQ8OVE517gg9x6FzwdyBaCSjjOLhOx8JCpe9WQeGyU+UipbCLop59UIHklGVtygDz7pnAIi7kUC956JEKhZlcPqLhLCXYWp4rdAHxh38t7ZNVtghfQDrbKs610c6Ile8T10lt77dvCIp5GarYjcfOMxWSebaWfaPspRIik0IbYO2iOToQhJLCZl7aZu247U4GMWrKidKwnrgxfdoG2Bkec951FFaMfOJoxZh6481isztv289piOTqnRMsMr88atMPZpaYUuzeeKfAvumEkkY0snbT1gXVL44dgIiPaFmQACfC4EWkeR1cYx/yOuc08FBXk+lSr+yoTtv556GC0iHZZWPBKnuYdlOQbjdItJN9l5ogMmOYJ8kdhBiFJOF9N3sK93POE+xAScAjVibUFFmkbhT9zZVI+uJd6wMVawvxfTAtnb63MC42TAEIT83uV7Hnzpkx5FmFKgeS6eJ877CdmK0esy/gMZiRqTx5prV5xbl0wT6fDeHFVFsozD6E86ZziVnWDwzmNvQFF9UWXSeYP3vAK9OnXgtcM+r+12afA2aL1ug7kPCCwEnhPRCedc9N5RdW8BZqfQhZsccTQaKkZa/8iNvJQUNfWvJ93611x8B43o+xf/B5WFJBLRYAAA",
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
gzip: "H4sIAAAAAAACA+1d727buhX/3qcgvAHdACd2kqZAUwxDutvtFrdFgzRYPxQBLi3RERtJ1BWpuN5FgD3NHmxPsnMOKVl2JFtSHDdL1Q+NJVHk4SHP7/zhIfX7MzZQiYh5IgcnbHC0f7A/HgzhpoynCu78PjDShAKfnbJQ3gj4T5vBkA1uRKqlivHJAV77QnupTIy7dxHYopqZgBv2qxbpjfiV6UDN9D57C2/PWSp+y4Q2LOaRwHJSMyqWMq6ZhFcDpc2Q8dhnHk9TSYUEM+paxOxPp5kJVCr/xbHJE/ZG8FSkf2YK3maeUtdSsGmqIjbC/u2zczVj0tdUW6K0xLfgKhVMJRzoYEZ8MwVpIk2hogDoUDHUo9LohM2wI0DjLFXxlSWLbhnFfLU/uEW2aeFlqTRzYMEX4B1Sij8vb4fASkuVvb7E0gk3gUYuP2NsMCJ2XwlDf3UWRTyd56xM+JWwnCQOEh+Qva+JT5bzwE8OHZzK0Ih0yLRKgXlAEPV0SMWBakOEp8ANNaVquO+nQmscw4SnMBTwtrb0/zEVU6TgDyNPRQlwIjZ6tCg0Ai6KAXSFDaAGeK4F9WZwOB7T35U58fPFh/fYjKdiA1XZ6QVcHwUmCm2vvUBE3D6YJzTttEllfDW4hX/w6gtXcyVlBRGjJFWTUEQD+8pB+1detH/luPUrh+0IQw7QRMEJXTdZ3n7zAh7TZMklZVoSCWR/eY5eVow6iiNWZWfvELEAL0FGoAka698ymQofbpo0E9Wyb5umGYuUQCeuoBX4K2HsfSJjzVjfnVJH46OqKZXLxmtqxYk94YjpPvi7G0lixzq5n8oUAPJgPByPxyi0GqGRM8OhIhrYhCci7S67Q7a5pAWUZmURdBqWdMDUrDRpnR5pdjQ/4ZVjJ2+tp3QgeGiCujn9ORAgqClJa67rYz3DWVuBTI3GWl1XjnQSchk3HerdSTzM51R6uo4/f5dXGbzOZGwBHHpC1gcq6zOwZpB7WYWubswt18D9Wdbr4REYzSNnPO9/1SquB3LQSOVx6D58H6G507N3DAz11SHkSRJKj6zhUUFNxUCqyVeA3n4gVwbSWSh1Y/g3FWYRmtFQZQQWtHUkrOfiDOm8hoc3pC+WW2szCyopsc91wYN+bizPDXGDxeqmximbydi3DhXP3SyYHII8SWeOwzOJ93MXd09DlcxV/IOYb1gydy7QNV/vW0x5qGucC2sVgzmM4pihQ8EUmRJhWDi8NS4Guh9X1mKOZCyjDCV+fLtEG9XZmbg4iyZACww42uttyDjAK/7NXR0fHC6TxbvThO6+URQ7GKJtAZreozmZD8M6hb9EwwQYvSXWMKrM+ohw3WrANnBqauwbnajMo0ML79ULJUorhV4wsGKfqDic2whQAKgrYpiFWsae8z/tDGrK11mgwm58/SRQGSGVVAfhD8EPBoYs+BTm5AyqKszJGTdewPb28Br6gMoibO+X12iotwRsJywQYaiGDK0kiUEzi45w5dPllMsQzNEhS4WHEix8UrCAHPhrIjgUnszBu9dCMF95ejQTkz0AaaM8Fe5HfqUdS6i6B0QLp897c3bDKwftu39w1J6ww515oai1rVam90Gk76jtDxZ8xJL2tpPGRlUJo6A9LGEC67LaOfWg+tqCTW4NUoT8jfLnRP7d0Ns9PADsRQqSmRrphJm0QQNtiTjlV4rTMFcRzWqxmrabYiwz44ur6dLJ8ypGvajCKJwA/qAXf2jl6JEixkGH7r9qDzLjneISqGm/FpV+hodlVKKVMLIowPiIh7i8FQqD964UqwolPBEoAsNhGWEmCqwbHg/uij4VbSX5P0FXe8HvBX/Hgl+4pnVxQlxqt4GlUMRXJqDQUtmhfXhR37KP7oh/BM54p7jAkt1xMB6PW7hAn0oNbhUac/+0zgBbmmb5c56mfE6PjTI8bDgMy0BbNFxupKjxsvelOgLkvUDlaxYla1bbwOHn7IaHmcjD1FYwQegjcGcwkr17YEEvvWtiAfVla3EKFxx7rtk05IaVZ/h2PSuo/axKbpvK3lIFvai5Vl7twnzpErbYLQakLsxRtTgRhlZktA1wuEDrbuVd+l2lvT4u7GTdys17MpdQR7eX/a3Len1oJM+lrHzoC8NlWKu1MTux6tkdpLDMtk2Vqi3q6MGjBw/CDso/9YI7K912wXIqwa1egMaQZTE4J3AD83c0C/iNcMsLFK+I7NrHD4EtOw2EaGFqCnLfJ3OAh2fLr1SsNA1mXN+7mjtQg7TVBV4qIdfOLX+rSQs+BXNyTHtVmTVTMWdVynwRClw7lmbbWRQLHb2AgBWaTp1V7vE4VoZNcHFBpVvmzSopfbirD3ft0irVtXHuU9/fpTX6fwrc90dc4PMD4u2hQ4edNloD8u9MCUv51inoUb1H9R8W1du4CxrzHnlI6ROPymv4DjpA+lU+O/orRkS6LhIATsc799xlPuSXL4+Pj15SkkUYVq6O3vV0MABEmSwu/Gu58Vy7VKxyMiBSaxcQepfjgV0OnPu9etqqejp6pBrt8eqagyfodGA265rkmhmLeDy3gGjs6himn+KSe77fyu1Yx1xyC5kRSXGvox6PjrptowAoGQFmxWsWZ9CO3Q1N5gpWPAukZ3M7iQBfTqd2NW6rPG6a57gu0l81Il9KoUrsHanG6tTI7xb/f6y4vJv4fw/l3XddfUtwO9Ka3fF2r4MmeQ4BGO0OCARzQAo8uCM/pORH3GBF2zq6p2/ZXSFFzkgoNq6ViJhADABH3xDc2D92Y8nlclaXTuiwkkAI84lPG+58AYWiZm+jxMz/SUkgdYs7Z5nBLDrG0QYAIIYOTAR0aFm/sxINbKYy0AdpFuN0wr5nIddbzTLJWXhntwpya9MmFQfeI8Mne1rguIMTsWfX9Zu8vKrAfsQzEDrgfZdjE3aLkTIqMLIuyl7YNrSUa4GSjNuUxdCKNX7xFzMz+T1WcB8ZUsGPqRD+KmLR385pqPBymcIhmaGR0JpfCb15FZp/K1ahD49fLhMWgXC7cveiDQAR3BwwimlKkTLVeDjW4qCsTG86uWd1xXyF9oPxSnKvn87Ps3i76A9zXsN8NoHMT+nSfK7tRk0L8+X1gaYbNPW1TN5wf7ukvhfAcRDMzNAGyNTPdRMwG+MzAPDSHzJAe3tmCug0kK9MA3kNJ/t9UxaUZ0TDrZTDQpLR15MxQlAbP+0zDRCoX4qubdsDc7JW584Ct0VrN/jWhjKF33C3W1XidpUHt+rA5bQXdBbtlivt/bon6KQdPkG/zsbAa22Wn+hxcXhCH3NbxNxWg2wVuZ+63erITx2wtsXSSL8w3S9MPyCsdHXrDruDlzv+qRa9zjGEkB8StbWToR45nDkjuRK0tgR1iy1nnbbPEIU9MvbI2CPjQyFjFvuqFhYv+LVwh35qjMjj2h7XJj8dbcK96yeCjj3G9BjTY8wDYQwIaT3GfMgxxoEKv+LSHeKGYSXD8URyRBqCnh5uerjp4aaHm3VwE8r4Wm9KQHAx+4kIFYblVb/JemmJg1i4bYdzMTCbdkPbkv2e537Pc1mwbyTIWq0hgYesF1/YyU91jq+fcDS6dlmsLrBTc+pA+zAL4g8yKQ+VIctP6LxYNvorPvjLf//9n63jBw1L3fmVpu36HNXWQ0xvBz0tO+gZo0+aLcrlXyrLP9PyCSVO5LdZ8bmzhVgFxiSFaWGTwOkzbQO3o6z4IlpJkSfyFzFfmDKL71blhs7Z+cd/nJ9+2Dv7eH4xACqZBfYlaLYEFWJeZHHgja6JMqQNjPsIHCLUCRvjz1KE/zk8mMUbjSlfTHkWUqLEeJDvrnMKoEyuu9WVYHdseZ7uSEkcQCGdyU1pP5szYIgyl+Bapszd6koZfddmkQ8FVZ2wGea/DPPv98W+XHNw4AqBOs+BK8YZb3Qh7tRAzZPMCPdpjyLZkk3mdlVHvwb6wBrONH1hz37YxZ5n3pDY8vF8BcGl4/TunWG2+Oafy/FrRhjlEJeJyj/1eM+TF3lJckpLY3RifsuDIQthX7It7OZUh1x1mUV1H258sK1vBa3uYSWlGy0V+hBlnamSAqg6E7Hiqd2SWxk0oiGjnYjVZ+wiHdIzWSpqEWx5wGcKTWShT0oibTkNwsLTa3KPZ8B23HJlDzTGBLcs9gGvjVJ+hUlpu77o5qWbpxR12kbSV73d2zBTC1NJp1Nse6ncgp4GGV2l/K1hPj2KDxFt7OHiK6x3hed2WF1Z0wPJYpXFnXLiPPutpLqTzLBN+zmlhnlzhLNdCFlzEmqDTtjvPNX0okK4Fg9tCm2nZl02b6d37YaZbs2CG/yOqH4zX82EXHN8P48/p6uuVBlEAq7f3wnVlAugFtDn+UExVSU8lcwv5LIbWi2KACiYv97IXS1vDFokZxSH5uUzuNzHS0J0MIqf3T77H+Dz4E43eQAA",
text: ####"""
{
 "openapi": "3.1.0",
 "info": {"title": "A live list", "version": "1", "description": "The lists that `serve` shows. Every request names this server as its host, and carries the token (Authorization: Bearer) or a cookie from /open. Row ids and positions are opaque texts. Every error has one form: what is wrong, and what to do."},
 "security": [{"token": []}, {"cookie": []}],
 "paths": {
  "/": {"get": {"summary": "The page that shows the list; its script reads filter, sort, sections, list, at and row of the address", "parameters": [{"$ref": "#/components/parameters/site"}], "responses": {"200": {"description": "HTML", "content": {"text/html": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}}}},
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
  "/api/row": {"get": {"summary": "All values of a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string", "minLength": 1}}], "responses": {"200": {"description": "The row", "content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "string"}, "title": {"type": "string"}, "details": {"type": "array"}, "texts": {"type": "array"}}, "required": ["id", "title", "details", "texts"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}},
   "patch": {"summary": "Change fields of a row, unless others have changed them since", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string", "minLength": 1}}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"set": {"type": "object", "additionalProperties": {"type": "string"}}, "was": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Changed", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "Others have changed or deleted it", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/rows": {"post": {"summary": "Add a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"set": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "201": {"description": "Added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "It cannot be added", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}},
   "patch": {"summary": "Change fields of several rows, unless others have changed them since", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 65536}, "all": {"type": "boolean", "description": "All rows of the client's list, in place of ids"}, "set": {"type": "object", "additionalProperties": {"type": "string"}}, "was": {"type": "object", "additionalProperties": {"type": "string"}}}, "required": ["set"]}}}}, "responses": {"200": {"description": "Changed", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "409": {"description": "Others have changed or deleted them", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "422": {"description": "A value cannot be stored", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/problem"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/form": {"post": {"summary": "How many rows there are, and the texts that all of them have", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 65536}, "all": {"type": "boolean", "description": "All rows of the client's list, in place of ids"}}}}}}, "responses": {"200": {"description": "The form; null for a field in which the rows differ", "content": {"application/json": {"schema": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}, "texts": {"type": "array", "items": {"type": ["string", "null"]}}}, "required": ["count", "texts"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/export": {"get": {"summary": "The list as a file, whole and of one version", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/filter"}, {"$ref": "#/components/parameters/sort"}, {"$ref": "#/components/parameters/sections"}, {"$ref": "#/components/parameters/list"}, {"name": "format", "in": "query", "required": false, "description": "The format of the file", "schema": {"type": "string", "enum": ["csv", "tsv", "jsonl"]}}, {"name": "spreadsheetSafe", "in": "query", "required": false, "allowEmptyValue": true, "description": "Puts an apostrophe before texts that a spreadsheet would run as formulas", "schema": {"type": "string"}}], "responses": {"200": {"description": "The file", "content": {"text/csv": {"schema": {"type": "string"}}, "text/tab-separated-values": {"schema": {"type": "string"}}, "application/jsonl": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/import": {"post": {"summary": "Add the rows of a file, all or none, and none twice", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "format", "in": "query", "required": false, "description": "The format of the file", "schema": {"type": "string", "enum": ["csv", "tsv", "jsonl", "feed"]}}, {"name": "name", "in": "query", "required": false, "description": "The name of the file, for messages", "schema": {"type": "string", "maxLength": 256}}, {"name": "mapping", "in": "query", "required": false, "description": "The name of a saved import, whose options are used", "schema": {"type": "string", "minLength": 1, "maxLength": 100}}, {"name": "dryRun", "in": "query", "required": false, "allowEmptyValue": true, "description": "Adds nothing, and says what would be added", "schema": {"type": "string"}}, {"name": "skipBad", "in": "query", "required": false, "allowEmptyValue": true, "description": "Leaves out records that are not valid, rather than refusing the file", "schema": {"type": "string"}}], "requestBody": {"required": true, "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}, "responses": {"200": {"description": "What was done", "content": {"application/json": {"schema": {"type": "object", "properties": {"message": {"type": "string"}, "notes": {"type": "array", "items": {"type": "string"}}, "added": {"type": "integer", "minimum": 0}, "position": {"type": ["string", "null"]}}, "required": ["message", "notes", "added", "position"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
  "/api/delete": {"post": {"summary": "Delete rows", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "string"}, "maxItems": 65536}}, "required": ["ids"]}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/command": {"post": {"summary": "Run a command of the program", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"name": {"type": "string"}, "ids": {"type": "array", "items": {"type": "string"}, "maxItems": 65536}, "section": {"type": "integer", "minimum": 0}}, "required": ["name"]}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/undo": {"post": {"summary": "Take the session's last change back", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object"}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/redo": {"post": {"summary": "Make the change again that was taken back last", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}], "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object"}}}}, "responses": {"200": {"description": "Done", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/done"}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "403": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "413": {"$ref": "#/components/responses/problem"}, "415": {"$ref": "#/components/responses/problem"}, "429": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}}}},
  "/api/links": {"get": {"summary": "The lists that belong to a row", "parameters": [{"$ref": "#/components/parameters/site"}, {"$ref": "#/components/parameters/client"}, {"name": "id", "in": "query", "required": true, "description": "The row", "schema": {"type": "string", "minLength": 1}}], "responses": {"200": {"description": "Links", "content": {"application/json": {"schema": {"type": "object", "properties": {"links": {"type": "array"}}, "required": ["links"]}}}}, "400": {"$ref": "#/components/responses/problem"}, "401": {"$ref": "#/components/responses/problem"}, "404": {"$ref": "#/components/responses/problem"}, "405": {"$ref": "#/components/responses/problem"}, "421": {"$ref": "#/components/responses/problem"}, "409": {"$ref": "#/components/responses/problem"}, "410": {"$ref": "#/components/responses/problem"}, "422": {"$ref": "#/components/responses/problem"}, "500": {"$ref": "#/components/responses/problem"}, "503": {"$ref": "#/components/responses/problem"}}}},
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
   "program": {"type": "object", "properties": {"version": {"type": "integer"}, "program": {"type": "string"}, "title": {"type": "string"}, "nouns": {"type": "array", "items": {"type": "string"}}, "columns": {"type": "array"}, "titleColumn": {"type": "integer", "minimum": 0}, "sorts": {"type": "array", "items": {"type": "string"}}, "sections": {"type": "array", "items": {"type": "string"}}, "commands": {"type": "array"}, "fields": {"type": "array"}, "imports": {"type": "array", "items": {"type": "string"}}, "mappings": {"type": "array", "items": {"type": "string"}}, "exports": {"type": "array", "items": {"type": "string"}}, "mostImportBytes": {"type": "integer", "minimum": 0}, "canWrite": {"type": "boolean"}, "hasLinks": {"type": "boolean"}, "opensRows": {"type": "boolean"}, "copyTime": {"type": ["string", "null"]}, "notice": {"type": "string"}}, "required": ["version", "program", "title", "columns", "canWrite"]}
  }
 }
}

"""####),
(name: "replay.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA7UYy27bRvCurxhfYjKmaftWSFWMAG1PDVAk6ckQKlpaS0QoUiBXsV1F9577if2Szmu5S1Jy3EMPcZa7836Prq7g/XZb5KYBuzZQ5CWeqgfI8NhYsBVfNzazhq6r0sBjXi6rxzFsd7VJICuXkBUFVDWUlV3n5SodXSFRJoXImYVlhTTxER5yC6v8K33tEIVQF+usXMkz4U6Y3QIJmpqOJWTNlwYekHoG22xl0tHo6u3bEbxFDiJV3sB8v62a3OZVmUBdPTYJbDK7IHoJNGZBD2aZwKLalRYf1yZbmhoPD3W1SZjsYT6GubzPWX0UTzERbq4YcxTiQ7aF+2cSgCQtd5t7fCCUAJwozvmdpGE2/PVQoDWcqDCne+RWQsTmeFyb2iAHxEELlGSwe6SArOOU+H00dleXpC0rnqjtDnO2PVIgqKuRedpWNdp6V7I8kKF7n39FZ0SKRo6JYT8CpE0U+SK1MJ1O4ZxEP4dbwfoNP7pY4w7w0hQ2a6F/oq8+OMk1GR3Ya/DZWeQxt2u2yNes2HHooWHqHQpbVOVKI7GxE7SGKOlij22jIWPXVcMPm6x8TtB8+WINGZqwrGC3XaIYTUoGWaBTLLP8uCtLDAqYQkR6JsSSLmKYvnNnNMutRNom20YRMkwAA948CRDyf/MG9pCmKT8tTFE0Y7pP+ZgSn0hp8VXLJbXmyTZ3TGwGt7dwfh7DIUaGY2Y4GamozW5DIko4Mls5prVZ7hYmimxls0Ljmd/5Ai7kJoHrGGl1A2DoSgoA4felrB5L5HjGvhVeE3zNHyCSN1Q5OpN0+/ZN8i5t4/gMQ4Ex3U0cu8gS7zs+QhkZCdFbJaTXGlqevSBp6iFWaR4p+6Iutnsfw90sJjSqFZHgiq1dws8oVpiHw0EfIJJjkTbGRh2M2Iuxh36J8cUDDiAWcEbjhP8RrslYfL6QiCpMucLA5zBqThipxCBBcuQdgFNlTW3lPkkRAWirnUK03wTCBrvt3tl6ZxLm9UJ1HIfZo6nD5F3+EIXDxFeUvfAaszauUI3x+gvad6xVBtWpvpKk7FDsJFaFzhAFy15TlXohH2jmA5eSbmQfKTt79YMPWSbDrqBo7QbwCUfs2QAYVlWx/IVNgYfP1SzBbMNbjEa5xQPetjGQSnv0dAx2OcdSg0H5+5BwgaOsAiEZA9NvgDKQmvA/ZHadbvIyYlETxZJoI5okyyuItbK7noYKsK0/6XfH3JPW2vp6wqBc+ZXQRzyHRNiMYk/RIXuKejeoFZvahR4pFXvmR1Lq5ZxyrayS5Bp7si/mWQAVJJtY1M8aQUaNWyumvRQLXjpJN/bGGGYfsU5fSkGttdI2ndKad9KwMSGzXWNcwaUzKrPOH2zLGS7Bh32dr/IylFZvElihNGXwwN+iPL6b2pJtWGL32SY93/I50W7tLvWLakAIq19CPbvHsysXdE5wVipoKuUrPr+qKGlJoelkrmpRas/QcmgAHq3++evvG2iy50YnNJPhnKEqI8mqWk5knsU4xNHDvSyyjSH0R1NankO6ZetoKrG3CkPFpxcrXF8YdKIgKi01xk6arWhOkm75CRtaHPbfzeAl6JZ7qLau6uPcf2jbZVsFtF9KSHG92raDoLEGxxlinmbLJbdAZgBgChzTQmiJBYQmgRjaVgx70GRmKk3+J5duBqIPxzgQmbs1yUkYsRQCaeHYfnVo0go3KErt9GO2VBzuZhNPnewrZKZwPYGjFN31xRRulDXLvc4aEQFZEu10u2vWehPylZltKjA6GVx4bScndSWQvq5M7JiOPkpOK5i4AhmoygS7Kiop0Yfl9KriOHZ5gzMYKXNH1C4uZh1tOXeDIS7uiJeiUD9jWkXUuMJ5241mxAmfYupeTGo4rGH1wSsCipW4Hx0ZJRTn3iBHSgY/boKfT51UvAEwWxSFDjzU3eK/sVKg4WAm/A4+0INB9rbtsPsuD42lpshxom+jX1O4loG8Y6wjcy3T8GOt0h5k6X9ICQJnIB4XBFw3lljECg0vkJc9uNCYbttRWmGSn/V6Jrm2ba4h++tZ7M3mIVDL9mPG47+bBXB/apendjk5OnK3ztJQ6XtruHzoTTxIz+/sGt/bMg5hnxqM4t2Ge3QMHk5UrpKHq96x5hAq4ReOfOl1kNbbDaywKE39jxqXwdw6GUTgO6wx5GcXj8NB9GSZps17GiBoZHkeuprTJp4v2e/58gi1tkP5iuwTD8k/m2WHT/qQF9bUUfRHWJcGpd53Wd4IxcTv6zp7xuaGVmn7oQAh0aKth7/npf3hNKwbnY439bCwfselNATysOs9m9V1/mrPvs6nnbWCFmBWtS0iA4cEzkR2taxO0EXDh5uBp0md3kDhTMUOlkiIX8Aj2yGWNJQeykHHrLY1jl6eDcJtrtM2fR3uWQLtbPNyZ7yAwkt2P4zDU5te32YC7dpuN6J1mO43k14XPNVoyGL002abDbEzZKzIXM7EbBxaL4RfJ/BErv8t8F4bZ4ej+oqmoVDU+6fu1z/VfNVqHsQYASII/UcliC2lPuibSn8wpB+FyfaRlbUEL2XesC4akJjA3tHfGXU+bnj8pdOO97juSUFJiIZFXEabOy7zzA2VOOH8ntuVfCojf2iAtn3Jdtrb+Notr93rpI39CxCvmF+BGAAA",
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

"""####),
(name: "results.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA41YS3PbyBG+61e0D1kADg3Rm82LDK3ypjaJUxvLZSuVg8tVHAJNEhY4YDAD0YyW/z39mAFAi65aHURgpqff/XUPrq/hbotQ1BVaD80aDNTVA9I/5ydwqPy26Twt7s0GZ1A01mLh066tJ9DsfdVYl9EDWgee2DjfotmBsSXcI+7jovHIrBuLxNGWzSG/ur6GW9psYd82m9bsHOzMEardvmk9VH4uJ1kovTis19A5dGAbv63sBrB2CL4Bt0dzL1qqJGwfsM2vrgKfR1Htgyg1YUmrGne3azjBum12kOTXqnD+2SXz4ZDZ7+vjzxVpOxC2uK/NUQmv8MuvpOwJ/47NDn17HNFtwlLgSa51Hu7ev/npAyzgT7Ry/fw5vLbkTHcgP/mt8XAw4gM4xBfj7rGEddPOYcl+7twSKgdTqNZESHoVZoc5PL+OqhS1cQ7e47pzpgb84tGWDn5q26aFxysAUaPtCt+0aXBYJhsArttjv5gjH8nmsnO7+kxZkRPnamNTCpHrvS0Up6uTmnNLGrX43w4dRXi5NxR49NiS0mKeaRFsV9dAynS2xDV5tpTVGteUnZ0fm2Lc0Raw7mzBeUiW1nW6Mg4nQEy3TUk6GL/l/1EMOfbxNIFVUx6zwVowZdmi412LB/j3+59TPcjMRH/yL6RK+9ESrwk8mLrDT5zUwXaqnrZClw7CsoyDkAolPFuIYVmUlTs0bbF9x9T84tMRX5Gp4ipbeda6N6kwxZYKMbHNC0cxwgROTM2S2CwStBhcFyMXeLm/VTUSNyGsaMnYAsmEH+tmpYFkcfkWTRmcBclfG0sp4l/cHfeYzCKPG0g49avCsOuvm8Kjf6G1lMDsfPOza2zQMggQ+YuBl7zP4J8fbt/mxIQKvFofxZyQPUDx96EQeIULSS0LxbEAczDkqTX6YpsGH09EmrIgv9FOOOS3bXOQWIc6SB9Bi2cG0wlIZpMRdz2iQNko+AR5eTKhNN5heSSyN+xZ4OhTqm5MZak60QoeBbjk7CSSlSnuc/JEbxQH7Vng2NxnF/RSq3rgSpU4Ew4t+q6N8JCr/rCg8H8//YGcKnU0i9schJSOhTpk02y3W5FpFH9VdberON8Y6xtXidKuI58Ryixf/jE3q2J5BiSSUxu02EqcKQZpPJjB4hW8Ff45FYTDN9b3mxN4Oc0U3q6AIKFvHtxygFBgSd2FRN1qe5kRsFUelxNYEm60xyWky3VVU4XxkiNV5Ffd7PiZ+SwzemCkXUozWhZNZ5mQCnlpfFg0q+YBl3PWgt8FVClODCRYzpRR+rhCKn8qTWljVIBbYzf0W1OBnTKWt8W6bviBmw0lLz/SUxke16aqu1YMaLEgiS2W/EIeJ9/wMyuwlD5IWctbq6OQa0xTTyid6XHKCix7XF7mV6OADEA4btKU2eQ9Ck4ypaQVDwYUlD604IQX59Djn/8wYf8rVNEju0cp8jwnxifFE65F7elKOQ9rYYY4X6R6NixxGhfISILHkpY+fopr5EFeWBtq6/1aU7MHafkdKVo5zMk7Tf2AnMYXoDuVpBvj3VNYJ1yqrvGBtHTkDPJP6F9KTyjMfMZAzCzPABy++65fIJ8m/P6rIR1YRJpwQEg8/4TlUX/hM1yTHxNNciJMOMnlNyQ5P3NuJp8yGORIbKU9fQpsGV8kULEPBAU48klI6JxfAn3YlnSg/X9RE8x35kv6u+8jMQ9keY1247dZf0hgTOKs6iRmrYqHMxEUIj2Nfq95kNPhrxCkJgfwtCJTwJYQhzyyabwPODpAh9s2hzBVdgTTnVSZiyDm2Hktj5cqSV26q8pS+t4TG+DVK3h5ZrvxydjWj3r2001eledOkuK4SMspoY/hxEnHVXYTWddPAo9P5Bp/WYb8Xo6R/J7LuRTqbwf5jIH8j31Fs1p61ajgHAEbt1uZvdJvDVpxxuorUjKcy1qmJMEDmIeX3y7g5eAOFcM4R1QKKVHxoe2P9ZQWKcOfAN65Sgp/k8BIgGw0DsZZMAqIY0Laav/NRuI4fGE5NluGgB9eTuGXX4Ilr3R+j508kM97Hpz5Mec11/vB4t7SAZ6cI4xyFZRcE+HOM5EexatF3bB3zgcMvTBZahVSSHyZomms0HvRWORYGeY2XNty+A/VJOq9gbcqcpgR8Az3ug3dDPVEhCkTClmVzs+8pT75S/QJ6eor2+H8jEgDvYihzqIulHvetD7NBnKNNKsTOkKahpYgiRYaS77v3HbYoGKkfL+rdki3h7g8gd9Pp9MBwU59+suYKmHSiyrPA/0dK4x3q+Pga1e0TV334RlvDbHJh3bl7rnF9MURYi1K2jJN3t1+uGN05z6lCtBbf2XJJTvT0OlO2gf5Ij3cqrh/G/AVNwRWSFKgvx/vyX6Wd6gc1YZrNAdl9jJOl2WWpYUejSkMR5ef1f8/GmnXqkc6NOrw9LWaOfGz4fWpmXwoGPmog8Apy8Yt3pt7Bu+UB64nPZ4M6mpu2/1NPA1zmpAPffCZUg4VHfymnxgcoG26DTmF+gvyxL8z9ig8uAqlQteUfDs09rClW8ucmfIk8VUZr4eaGQ3/q1a7lMVYIToWMfKNu2gYlhYCiJQrdC9h5J5pl7mRXg03N7IYoHt2oU3fnPU4oleQn4SPOHS9x3AL4b++Oan031BtiArTb9eiQu+4aZyNeTE4OjnHxhsmoDA4ajjy0Q7VCQ81NzlZHWduDoCAdohzuDuN+5Ei02L0pWe4/2msZeALQ1JpvBlygK0WJGN7daTKYl/htEuFfH6RWqb+ZNwh+vmXT+XnretsxgsoxPgZQcvxfRlTwiQYjbljoOTSyPrySy+AwRjL2J06C5I/R1acJn0U+LardwvmQN7XRaKXxUkYBuTKQZT9xyAlDhtEHTf4QMCk4EJ1zSZeF9LBWYFgFP2g2Ka/RzylHnt0RM7Q9RYP7hJ7Sd9IcHZSpuXgDPKpPinkkrHrquXPn676n0LOuBbDXqg+JiGzo7ce0NR0vqIBhCYA95ontyd8eFdmutmY6BJDBseUYXmwLdyVeHH+lbl9bpxZKuPCLKB1cImspRoy/ijwf0DFkzkGFgAA",
text: ####"""
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

"""####),
(name: "rows.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA61azXIbyZG+8ylKMQp3twZsglxZniGHYshaOXYiPGOHJcccKIZRQBeAHjW6Ef1DEEsjwsc970P4Ffa+jzJP4i8zq7qrAFCag3kguquyqjKzMr/MrOqzM/VhaZQpzMqUbaOquWrxXuRNe6nqatOM1NLozNSN0mWmZlXRrUq1ybN22aTq3b2pt+0yLxcYpVt0r0yj5nW14lmatqqNWlRoa5d11S2WqjUP7duqbLFYenJ2pt65hTUoazPbzgqTXamqNDLjJ2PWjcpBAGa8N8vwSDWVmlezTtjTZb7SbV6VDdbWW/DZLkGenpycvXih3tZGt4Yo3fBLNSGGJiM1mRW6afCwxDwFiZuXalKVaCFJatO0zKJu2zqfdpjmSrV1BxlNKzOu1u2W+B6puS4aw/yUXVGoEo2penF2Yh7WVd2qeVfOiEe1jFu9GKlHjFLX6nE3Yu2MVJqmwzJqZ/vQOlvmRVabMlGPJwrKLsGUlQREGdRAj+mM5bSapTWSK5DncxXT/OrZNfOVuKGptyeYht6Ifl7VKpY1bku9glz3uujMHZnIn6Y/m1mbYkCdmyYeuE2ENVmN6d1y6je/Ua7hWlQ0cAAlvnFzxN5i6hq0rOYbFUXqUlpZnN0ei+aezcFu3zEuqzIZVtRZ9o5G/BGGbkpTx+F4XqKnXa9NmcXeBqTzvGgxKOaGRF2/VvzkC+sanLA8ZW3aru7N7+pkd3Ii/C/zLDNkBme3H7sx/k7p53xO/38355dv6eXV+exjdzEeT+n/xTen/GPo/6sxv7wC1dzM6f98/u0p/0zvzhZXwULfl3/MSxjX3nrjb/n/9N+/+Elv9et8Bh0YqE7XegYt+tY8qzJsuur7Unp6i8Y3bTzuzZipvlPjh4tx4lT6HptcLlLCnrd2TAyCl+Ox+pqn9fUvy2Brxg+/m5NtgfmXF+dkYZPv/vr180ciSNtKJo3PXyV4+SvMoH6rGxMn6Vpn71tdt/HLkYrGUbJ7PfE2c9aRI8XizauqadlC+D0tTLkAKL3mdiw9ef7I7U2Rz8CxpU9rsy40Gmh7sm94e7LpfH73/AwLYr1f/vHPCbiloRCM4e0NvyndMHoW2F/CsM0yny2BQYLSeWMNgCC22BJ6rjr0w1tyHqrLLY0GgmQMgZpDgQ9fIiKIyIJCMfH2H+OxuEPX+vL38sjqI2cFjneKQQ383iF2I/zD7ZrDtVdg0plvuPrF+G/jLzBw9rH+WJ4BdqOPZbTPl3WLgD1ZE1CDyIIlSrNR35dtkf7Yraam/gO3x5HBZFchm7OqY0CNS6ZkrmSaVH5cxxWr4CcKdxw1TY2wCnVseQc2VZ2BI9obdBFKz4zsFzZ6Ux6qpyey2uGFQxs737NnuIhHcE5iB1OWEMVkgywjdcuRjnbijuefkM9AXifTTj1/lEf2s3NYOtnVJQ/ZTey2v6fguSHBs3w+R9TleM6BX8MG1zqHBiErk+SURRiKwQWZ5xa8NRheVoj128KomS5mXcHhn5XSI04fnuI+a/BijA8/JXKM6x73F/tRiSHEUpKrXfdRSlD/73/3wpZkATfSc2nxKR4CGAEZr0ejeZsEnPo+XuF6P1jXZlXdmyN8GVruMwG1FKjYieZ/4gzOpXuS1jWXlNiR13GqRtGVFb+E7U0NolNjyHVLQ+ZZ6hoZGR70Ars07JtDmp+7FVI1Pa26ED0ozVJvZT3W/Fc0q3Wsn4z+BJuIWaCvpl2GLUAXQBwGY1VfdzOklfG6rha1XsFV62pqXNqBtZvUSoOBlsi1XA00bd4WxqPgd2HLo1ozZ08kVtFMl/e6AYiAS86fHtB4kUWJPwNxJ+tMjdeOhNLJuTvhwMTvVgzryGzW14qnX62xlQg6aIqHmZOQWQALQw68kQfz+/v8vw2549DyB73KC/bCfnCpYXu6oPzPU2G60us4flSirZ0giVtrZXQDjPxAYjNBknJdADC5uPAZe3KHXX+40X37fd7kU9bA7Z2/dUi14ebUHkW9AjmKgJWGMnLiFnad11KpSFQhQ5/nNRRLdc2VEnhqUJ8Amkaw8Jnu4EJ96QG8oUBezef0qNWmrmDXMopNWimrgpgmdHvnJaVUssDD/F7x7WfUA7QY1JPCyWgapKgY2+ZlZ63F1yFlrUwUdln1nQJmgw63ieDonZ4taSN1kS9KhWoiLzPzwPvp+LIVgj8jUizKZGUQZbJRW+sckXkR+WglfyJyK7ho0wNiNp2ZomhuecE7dUOJ/Ei9GidX4bpebvRC/RZL+2bpRp/CQp5aWXb6Wv2g22W6ysv4uKESCg52OrLCXQfCAbUpb7xUFwd8ysjXx7hLjrJ8rQ5UeqPc+uev1KW8uFV2dr2db9cOLtkss4owFpYsBWlh5rBR2Glfddf5Ytle8aP4LVlvsaF0guNnqj5QRQVpGpTrgtYE8Ui1y4XJrGljfhE2xKS6wirXVoBTq2z9EJ9fIK3oVQ+9jSzNCzVOXyZWKplj8OtDrPmbb5ryJEMLKK8BklkQZy+7uhrcivvclHYPZEr74k/MjM5MXsQ+B3bL0idMwkHk5SBnP/Ug68U3SdLbjM2VSe3EmxW8rx73JGUXG6LT/iwUdZGBMb1MiSiSdUjY4rZqQwG5AQbGWnGmCHtHuQIHOuVtdNOfnVngXOT3SMD1FlA4p4Mb7Y57YEDOzAbYJOPbLCvsI7aCLFKM62QfDUhwy+6h3E+rfw9u0gbZQxxr4DQPFMGmBAnyqO96fXkILHqlLIc4SdiFSZHQ4mvSRKCf68Gc+x3+9tUoIErCVywv0/WLeyt8h/qSUP6ZFV/gLVFTpBGfHL2ziWbNubd75en/NI/tUBQLp+dJQpn7gA+DlvuA6Iaz4Q9qlkc5TRmyH0AxRCRxqSSY1wnXv0gUPAF364dJkqQ/V9BFpKLAj7lgu/aW76d3LXTmYzmy2N7ThO1Ho759Oh763aP02rr+GbEkKYHLc11VJZG/MVISwCK0WtRVt5Y6y+bB3MIAKBLy+wcJaS4NGtljUb1Y1GbBB4qcGGHVWxf2xH9p76OYjv8ShDwpjzgXGPXxcZgkuXPu8fsKTqXLXun//3+sdxbnP2u94aNQOe90R7Mokyqp+vWWqjOUjSQOKkdghneke5iJ/4WmehwOuxqbp/0AA5IsfF6bIQXjt//iwwFp2svKef0gGecWEPNvkK29mbdUPpRs4og+VS6FrUvfNeomzh0YalaQ1NUaqGpYJP/UmnVCh742fmE9wFVsJxu5vbM29US98HSdwL+/0krh/U3OZ7px8I7cZ0yl9nmvhq9YPleW+menrpDr5+r9RhrCLOiAOqANaeyJx1t7lEnHmoFDhtBhUWoZR9Msj+iwuoZ1XqpoUecZcU+WTZbEyPEknO+ePz4FQaJagp4o2k3gS4lXFVWboWanpTeo96omJx/GllZrdsbvaWbgMihnqJHAUFcjXNDxRP1pxAANa0CQ1hiIZGcX7P7eHuwpiw8E8D9sdjxQYWcfQwKHM1K97/VxHQbmpVDDA4FsAKytYNxthJUjW/u4uiGR7nTdNcvYiQQ92kdWZFfSCYlDaxqJgTdplq+C0REafCLRW0gibT6V03NI51p9Sqv5kLArG30f0tE+BUTUkH6CxViiIyc4EVsdrE+G9QHqMyMy3erTBtYYiWlAa7wQNUFrfM7y9Ghd5/oUamQ7jgbD+9KQXjGDhdJ20a0G7xWfE0VfmqUw94Z8TTCVXr40Yto122gwem/JLwja6qmTUTYfY6kYOj1PDgFwKC5z8ULdBlWlPQqFi3kHa+4a5Va3dy4PovzeFo/kdDfqeOnIMLGfa8HGboSWy2gBr6SvRYXCEqAIi/26wivIka08c+rC8zHA6ieNPqCNOZ3pkrLfqRyapz1ze5WwPakfliR20mZZbSTXlZPaoRjn7vBmzhsxXNPJ37CPRESbyKAqN4rDncPFSyiWGQuswKWTR+Zhn7GVoXUbq+ob5KizosuMU7i7o/Mm3g1QTqmKj+WSuoxcRmbRfGmoePVR3WH5vCoywnZKTkeUmEELu7A2pSk9K+OMj8PcU9hMA7xX+/Tr0TqkEd6FTJ4HykGvtKaHXhN6f/7YO1pkBbbxkGYiPTndRs6fh66bVPJYGssiu1CaPLH0rwYynx5JIxJOtgF7kv1MdiR5atgXYcRe3DL3fX42JMQjW2neuY0a9rMHkCBoGrlsqTIzUv29x6M9Z6frPM+ZBo876LKupXYyOR3LWhb39d1XB7H0SEfC6k+G0VayfiMdIthBh7XC/gS+TsLBN6lXhTA+hictmmHX0cqhAMjIh4bp3ZUOE0Mv1As2pV6hl0TKQq9hRxm3a8G45Ii1uWkFQthhI+e4NyqWh9d8HDb52s3FrZiNVvzlf/7XNZ+69sTHF0mhV/qTifOGihI/gX7mmmxpKLkelS/I3lDbkB44A7r3s1rKt/ozuIORXPgcHW5T4MhCCHsVT7img/2y5VupiA5ej68ZhvlLdQ7SIfXeG9Cn3nY+l5k7JtgM6dKHRDlK8dnOpls1fWcDtw96eUMiTtOToJyT0tQ86FlbbNWE7m+biYonj5/MVqx/pH75xz+xh1CO6RqKsn0BN90qJqOiFsXvPX8xZFZUyHIRa4u6DGvEPHOI/Btdtnw/SaUrXS8wjbu9wMz27gJPew6C7bo3/h2PtLxzH2gMpLYOdisk+32uKt4j8L9RYRGtzHdSl8O0nBLCKwIRifMZ5vr4tYAbm2Z4gtMRqSPorzGLPDMI2rqE0cR9d19i8s7+yGc5dObmTBh+OYh1yc8JX0CEldKuP53l6/Gh5j+Iv54m+HIf8gdbySeRP9mbF9Y2frsG+7rha9+cOsRE1uAY7bAar4sOIS+9j7v6Wxy6MM3sbTHdmsu9GpsaHxKkXgo6fE4V6ndhjSr1NewV6n7qtoHMRsVawoybERllzPBDW0pZMhB/ABXbiH1mNeo2pfva90ix4Sd9liaXvI97Nx/rqiKYZ/Y4BzrcuSFTHASkYT0zN7TupbTxHXUTJ8wCfuROG4AnSMiA2y/m3Y/wYGuIoZEc2mvj6bP3iYN01FMwGydx+hn9sHYY/PtCXSNLaH+kz33oILY3efiSzkuIzt6eJL7dot3U7e/5DHzIWHWbHCzjDSIbkyHBXEPz0zMN2wn7/6G6J2DcVF2RqRaalsNL+cJxQ6cYfNFu3KXColIacA9bzns7tq5G5lxyKhNa4pWyH7KEBYdy3zQc1214oOe+idP+Du+8cuRpGx58/c/0eQc8U/NBoPhw789TU1TlAhHn7bKuVnm3Uue/fWU/AGX5oR9xZPd9yKBrfmzSPRzcOh/Z+v47GLKIF9Yp1Bvultze++dSHs1uH+ic8YLH2zRNyRX5S87eP+/2v+wIb8YlX6EjETvooNfmJB4Jt4Sx+Q1XqoyHG/6QCEnjVk010jPw6nDyU0kpGUCVQDLP5EaRPlGh8uzg01sbkuFfCB0x0VINF8blz6EpjfDOgJxv9tfiPTFBFCYOTzyPRj9vykO0aasQZ+iK4F8kZI8g/iwAAA==",
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
/** What the server says in words, as a sentence of its own. */
export const sentence = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

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

/** What the first section of a group says of the group. */
const groupText = ({ title, rows, aggregates }) =>
  [oneLine(title) || '(none)', count(rows), oneLine(aggregates)].filter(Boolean).join(' · ');

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
    attribute(head, 'class', `head${cursor ? ' cursor' : ''}${header ? '' : ' waiting'}${header?.group ? ' first' : ''}`);
    attribute(head, 'aria-rowindex', rowIndex);
    attribute(head, 'aria-expanded', String(!folded));
    attribute(head, 'tabindex', cursor ? 0 : -1);
    const [group, title, aggregates, number] = head.firstChild.children;
    const set = (node, text) => { if (node.textContent !== text) node.textContent = text; };
    set(group, header?.group ? groupText(header.group) : '');
    set(title, header ? oneLine(header.title) || '(none)' : '');
    set(aggregates, oneLine(header?.aggregates ?? ''));
    const all = header?.total ?? size;
    set(number, all === size ? count(size) : `${count(size)} of ${count(all)}`);
    attribute(number, 'data-grown', grown ? (grown > 0 ? `+${count(grown)}` : `−${count(-grown)}`) : null);
  }

  #make(isHead) {
    if (!isHead) return this.#free.pop() ?? h('div', { role: 'row' });
    return this.#freeHeads.pop() ?? h('div', { class: 'section', role: 'presentation' }, h('div', { role: 'row', 'aria-level': 1 },
      h('div', { role: 'gridcell' }, h('bdi', { class: 'groupname' }), h('bdi', { class: 'name' }), h('bdi', { class: 'sums' }), h('span', { class: 'count' }))));
  }

  /** Draws exactly `lines` (`{key, head, …}`), reusing elements by key, and leaves them in order. */
  draw(lines) {
    const wanted = new Set(lines.map(({ key }) => key));
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
    for (const line of lines) {
      // What is free is used where it is, and passed by where it is not: an element that is moved costs its style and layout.
      let element = this.elements.get(line.key);
      if (element) {
        while (at !== element && (free.has(at) || freeHeads.has(at))) at = at.nextSibling;
      } else {
        const pool = line.head ? freeHeads : free;
        element = pool.has(at) ? at : pool.values().next().value ?? this.#make(line.head);
        pool.delete(element);
        this.elements.set(line.key, element);
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
      // Painted after it is where it belongs: Chromium 156 keeps the old style of what moveBefore moves.
      element.y = line.y;
      if (line.head) this.head(element, line);
      else this.row(element, line);
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
(name: "transfer.js", type: "text/javascript; charset=utf-8",
gzip: "H4sIAAAAAAACA7VZ3W4buRW+91PQ2GBnJlXHcVosCqteI/EmQItks4iD5kIQIEpDaRiPhtrhjG1VK2Bfoy/QB9sn6XcOyfmRlWz2ormIOOQheX6/cw59diZe60JZoUshy0yYpr4Qda5EpmVhVsIsMS30emOqeiTuc73IxVJXthZWbi0mZM3kSxwi7k1TZEJm2YjPovlCl7dWzLd+q5vCbm2FeqBDVZaenJ2JD1iwqrpTlaiUzGx76JhHG7lSolS0XBhzS+zWRug6PTlxvIld4HgvlpVZiyg9w/ZaVeknG407qoVpSkiSj0SJkQKrplRvdKlGuL+sVblQvSMqc2/dAScLU4LvUq6hrEs6yN5diOj65l/RSNQ8/sDjT9aUBb7+efPuR0EHW0wulcow9/7mRphKvKjNmihNU5WSaPNCZStVYW4tqwUm3r54fy2en0diP/YXqzLT5YqvPhHu8kmEn2jqr59E+MEJUS3nNOn5mEQ8oIUyoyGN+Hca2JpED2smqCzxGknHXlRlSxDhtpZRHOaGtNwxHX2iwxzrk2hdLWiOPsOvP59+cGArE3vCpYgL0lIiLr8XeRw1RAr1FtJaaKI0NTQo9iORpikTpmu5iXlP2FJo2gISjOcZf4haPcCTvW099T7Bv3HPkhndvjTVWtZ8Flt34iam4upKuGFrfav/7fbMt7Xn2A3F38X5s2fPxJX3Kjc7gjZoQLLzRDRNoM4L0e5R32HL7MmOvTJ+K+s8rTD0+8UZn5oke3H7coZ9oOxW1HdJWpvX+gHXnYPk7csZhDs5e/qUo8mxToHkQ5S1vUA0zxGpla7h6wgjhCpCsawrjVMp2sValU0qnp6duAAV3v/4w3YKg3QU3KwEP+Ms09NnTL5ayLmC78xeueNw3ZMdKz9Q7mcjsYLYG5ibwAjqqpryQsTBvpItmldqecF3ho0jkZn7sjCSYgs+kqSLQi9u4wQ+RoZuJSBfEv/wEACWSEczudnMwNamMqtKrsHDDACQxWtV5wawsIEx6H+sKcAIxJ2bbJsQXW2krWkANktEZaxtgqPuc2wFQrWASfqsc0AdwxeILetVOJVWzaI2VQw2YAOAXsKsCd6RYhaqxv/j3hyIaBI/vdkcUIhZqCnTd4PQySqzwUSus0xBnbhQCRckm16IzH4AGczOCE6g6lh/ssPlqVdOSl5tJ+fT/UywZgc8EbOkuZYdT+AcJ5eWjEqOA4yWtfxQydIuoac927c/dZXW2w0iXJeLosmUjdkfbOQPRJ544fkkp4ZiScQNQnKurM5U5+brhiLcwPHlreoyiLyX25SPQpJ6dQe3fwNqVaoK2qvkytwxnsWKlpg7ZxIh9FLEp14Uv5wgU9VAw7En4VlojH9/UEvZFHWchFWnDGKHYohVpe1Pxlo9hzzffstmTUFVS11ad0Vay2qlwAiWTzOzaNY0+XOjqu2NKhS7T+TS3sTABNMoGTLT121Kunq1XGIbMcCMXIloYTbbSDDQlioK21tTps57sOOUtziCvb/nuBYLJe8oiGHvShUSKf4Dy+ENvnPKHCwlx24khx1/8S727/+/tU4PmfuCmpjpHht8hhfvG/qIj5iGfNomfd3uT/Af6axzEsDhzgvRYkQboMD1j8B09qRHiy6kbVqoclXn4nvxbOwuIBx8YVFOAVA9BASEyo2xfGUvlOVioTZ1cN9jNyxh07eHScCXLv28GsaJSxmOgqln6ZOd+9zPkiT9ZHQZR6NoACm63DQe83jo0AzIATdeugTiWKXi7oIQMZflSoWM0rMFb/fqR9kXfM1N+2TSmsNt8cROL2Rhnuh0e548MhLni9Tm5j6O3pW+WAaASVHrtUqZfVVVpgogPZB2QuRTiMsX9VfWxh61Bs27bPeSioXxgNWrlKoYMEpUX+QV1QZ7BCXrPaFtQbFaEfiWyA9cDMV8yj6dHciAFK6Q4rewiM+7uqY2gKHYsfnbr/9BxXFfQpj1Gv1CGrWCe6ZYT8GhCeBYgM4godTp9Sq+Z5g5/5pxHzKDj23gUDPCWBwGx3YJ5F7he0HfVBRhC9ieLSVOyGYk732+Bds2pEQAinCrPkhalkh4dyPMUTZFQdUw34lvqkyobEfqdbs9zTC2dkEtTBzM0be2iwrvB2wUGOuNgRDXkkI1tZtC13GURkkq6/jP5wMvWjXKEpZ5NhGDj2JXI4fHxpfV+BWXl5fh1l9+CR3IBCvTqy5F+9hNjhw5eTbts2A5Z7m4dWP2fE3Vm2MrOh6wi1xRIFKAchtwyDljiOn6AbOpNTc6O3Eni0ZxHzDy9Y4rPU3oBxyDjp2UqcEgK2sQac6apMA2yMIUwdn0kJitfEROv+trBD0qSBQFOSLJTfKWnZqFovgZ+dQDLQUG/5h6QsfEU+g++lpygrVaai9ofcHPwBda/yeWB05wqzefgW6Wfm4eMMe6ItLfV1RyeLoPu7bMDeUwAl0v1JGCmDaxurlTiXwwdwx4fb+hsoYeSABPC1NlvrVi9aPShFY0m2DIkNRZn5nKFCSqrWXd2A7wCsXlKlcbVMDGk2kydCldumPmTV174wXBaJHYdFq0zXyt645tB7/DqxhdL1EGnAxY3VKRTtu4tWNmJmjsUYJUBgXImuBDFlYNai2SMKVN14aeTzgh4WvcX2ZOqXADYq1QH0Ib7sSod/pB8UUpqAzqcC8EgYA1lVZqU8iF+qjrPGbi4Tq28qyvqvraRCPZWNfI81AWA4nQZnwky64BAugaLGsGycXFjaXMQPWST1tOVWORUzLR3JVI559oGB/SVg3bcFfKaXIkwqdLlAiZyXBmitgh9ZObtqIF3ig7VQaOrsvu/W0NPtHcF2pZk5+O+XmOH80UrCbgdGVmww60QrxhZSgvI82pYpn2CtfAjHNVzgV/ff48aUOsK3nZJ9q6mm4ijzzwieiaVSJX5KyBmOkybeXcpcXjd1LyObZy/pcjtu0adjKvf4XwWe9igPMjRs2LLp1ybokHIIfiYxeg7GKIf8Bapid9pGxviMD0NPOyfZM4QCjnGeji7bZceAZ3A8df65K7ZQ7SP12K8+Rz6ur3GsdU7kN/3PNBZwZCyOA1v/36365trKtty01b9ZcWNQaxfC913VWK/FoS/fTu5gM/Gm70mcvHjE2UpVtLxPRSU23f06NOxG95bR3X+RuLfQq7ktyH3ZpjPjzQxo6l1AdoMvI8phz4vXMPFebJ0ErS5yUjYJ+H08GGxO1fovG2XWu4FwtZL/IedOwey3HZk4OxpqVuj3nsuuSkDuRpxGrk3BfMx8B+cazf/b121nN26CKk7eAkbSfgU2u3lVBsUXA32E3224ZvqiaUwX2bd6K6oiQUNflz/1obOoPoCw+3veD8m6tFRo8z+8+NVl3Gc30Jb6Rh0lZFn6sIPF+H2b8tSX0ife2+OfAdjvhz2zqo668JCP7gdV1l6O+7NkWzLq270EEP3Yx8OnIZbtRicSvf0mCh8vole48OagZfJLQz4S6JsCq6Yos631Br9ezP9dawwMEqfNZ1YDFq0tuoNSz93QM68+R0zOM3HD6YHnH801ALet3DDzeu3Dh10eS/HQGnnJ7bcm/o8PWoax42Xv4Vl/8ABN1yB3ykCwuPvb183IfLcJoHJW8jPscB5xfwsv/KPIDGXjfegl+Hervwth79yH8loWcPKlEu3N1XwSGvBg8f6gF1ky7jIaMJqg3qSlu1fx7nGCnjiMuYiMqJQEHPXJW5D9+DV7Jer9yXdgiLe0hfyqLotBqU7upOT9U+yHxOlN1XO2iLRwE8DrXM0cc1qDs7NFiHwXYQZj6svHd/dVTtT/Yn/wNXhirNkx0AAA==",
text: ####"""
// Files in and out: the dialog of an import, which first says what the file would add, and the links by which the list is exported.
// The server reads the file; the page never looks into it.

import { dialog } from './filter.js';
import { count, h, nouned, oneLine, sentence } from './rows.js';

const names = { csv: 'CSV', tsv: 'TSV', jsonl: 'JSON Lines', feed: 'RSS or Atom', journal: 'hledger', marc: 'MARC 21' };
const endings = {
  csv: ['csv'], tsv: ['tsv', 'tab'], jsonl: ['jsonl', 'ndjson', 'json'], feed: ['xml', 'rss', 'atom', 'rdf'],
  journal: ['journal', 'hledger', 'j'], marc: ['mrc', 'marc', 'marcxml', 'xml'],
};
const list = (lines) => h('ul', { class: 'notes' }, ...lines.map((line) => h('li', {}, h('bdi', { text: oneLine(line) }))));
const named = (format) => names[format] ?? format;

const sized = (bytes) => (bytes < 1000 ? nouned(bytes, ['byte', 'bytes'])
  : bytes < 1e6 ? `${count(Math.round(bytes / 1000))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** The formats that the list can be written in, as entries of a menu. */
export const exports = (formats, link) => formats.map((format) => ({
  label: `Export as ${named(format)}`, group: 'File', run: () => h('a', { href: link(format), download: '' }).click(),
}));

export class Import {
  /** `app`: `program`, `send(method, path, parameters, body)`, `toast`, `running(is)`: whether an import of this page runs. */
  constructor(app, area) {
    this.app = app;
    this.area = area;
    this.hint = h('div', { class: 'drop', hidden: true }, h('p', { text: `Drop a file to import ${app.program.nouns[1]}` }));
    this.area.append(this.hint);
    const hasFile = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
    // A file that is dropped beside the list must not take the page away.
    addEventListener('dragover', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      const takes = this.isPossible && area.contains(event.target) && !document.querySelector('dialog[open]');
      event.dataTransfer.dropEffect = takes ? 'copy' : 'none';
      this.hint.hidden = !takes;
    });
    addEventListener('dragleave', ({ relatedTarget }) => { if (!relatedTarget) this.hint.hidden = true; });
    addEventListener('drop', (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      const takes = !this.hint.hidden;
      this.hint.hidden = true;
      if (takes) this.#take(event.dataTransfer.files);
    });
  }

  get isPossible() { return this.app.program.canWrite && this.app.program.imports.length > 0; }

  /** Asks for a file. */
  choose() {
    const accept = this.app.program.imports.flatMap((format) => (endings[format] ?? [format]).map((ending) => `.${ending}`)).join(',');
    const input = h('input', { type: 'file', accept, on: { change: () => this.#take(input.files) } });
    input.click();
  }

  #take(files) {
    if (files.length > 1) return this.app.toast.show('One file at a time.', { error: true });
    const [file] = files;
    const most = this.app.program.mostImportBytes;
    if (file?.size > most) return this.app.toast.show(`${file.name} is larger than ${sized(most)}.`, { error: true, remedy: 'Import it by the program’s own command.' });
    return file && this.open(file);
  }

  /** The dialog of a file; `format` and `mapping` are those that were chosen before, `failed` is why its import has failed. */
  open(file, { format = null, mapping = '' } = {}, failed = null) {
    const { program } = this.app;
    const ending = file.name.toLowerCase().split('.').at(-1);
    const guess = format ?? program.imports.find((one) => one === ending || endings[one]?.includes(ending)) ?? program.imports[0];
    const select = h('select', { id: 'format', on: { change: () => check() } }, ...program.imports.map((one) => h('option', { value: one, text: named(one) })));
    select.value = guess;
    const mappings = program.mappings ?? [];
    const mapped = h('select', { id: 'mapping', on: { change: () => check() } }, h('option', { value: '', text: 'as they are named' }),
      ...mappings.map((one) => h('option', { value: one, text: oneLine(one, 100) })));
    mapped.value = mappings.includes(mapping) ? mapping : '';
    const skip = h('input', { type: 'checkbox', id: 'skip', on: { change: () => check() } });
    const skipping = h('p', { class: 'choice', hidden: true }, skip, h('label', { for: 'skip', text: 'Leave out records that are not valid' }));
    const said = h('p', { role: 'status' });
    let notes = list([]);
    const main = h('button', { class: 'main', type: 'submit', text: 'Import' });
    let turn = 0;

    const say = (text, lines = [], isProblem = false) => {
      said.textContent = text;
      said.classList.toggle('problem', isProblem);
      const shown = list(lines);
      notes.replaceWith(shown);
      notes = shown;
    };
    const refused = (refusal) => {
      // What messages say of options is for command lines; here it is a check box.
      say(refusal.error, refusal.remedy ? [refusal.remedy] : [], true);
      // What is wrong in the file may be left out; whatever else stands in the way may go by itself.
      if (refusal.status === 422) skipping.hidden = false;
      else main.textContent = 'Check again';
      main.disabled = refusal.status === 422 || refusal.status === 413;
    };
    const parameters = () => ({ format: select.value, name: file.name, ...(mapped.value && { mapping: mapped.value }), ...(skip.checked && { skipBad: '' }) });
    const check = async () => {
      const mine = (turn += 1);
      main.disabled = true;
      main.textContent = 'Import';
      say('Checking the file…');
      try {
        const answer = await this.app.send('POST', 'api/import', { ...parameters(), dryRun: '' }, file);
        if (mine !== turn) return;
        say(sentence(answer.message), answer.notes);
        main.disabled = answer.added === 0;
        if (!main.disabled) main.focus();
      } catch (refusal) {
        if (mine === turn) refused(refusal);
      }
    };
    const form = h('form', { on: {
      submit: (event) => {
        event.preventDefault();
        if (main.textContent !== 'Import') return check();
        box.close();
        return this.#run(file, parameters());
      },
    } }, h('h2', {}, 'Import ', h('bdi', { text: oneLine(file.name, 80) })), h('p', { class: 'quiet', text: sized(file.size) }),
    h('p', { class: 'choice' }, h('label', { for: 'format', text: 'Format' }), select),
    mappings.length > 0 && h('p', { class: 'choice' }, h('label', { for: 'mapping', text: 'Columns' }), mapped), said, notes, skipping,
    h('footer', {}, main, h('button', { type: 'button', text: 'Cancel', on: { click: () => box.close() } })));
    const box = dialog('ask', 'Import', form);
    box.addEventListener('close', () => { turn += 1; });
    if (failed) refused(failed);
    else check();
  }

  async #run(file, parameters) {
    const { running, send, toast } = this.app;
    running(true);
    try {
      const { message, notes } = await send('POST', 'api/import', parameters, file);
      toast.show(sentence(message), { label: 'Notes', action: notes?.length ? () => this.#explain(message, notes) : null });
    } catch (refusal) {
      if (!('error' in refusal)) throw refusal;
      this.open(file, parameters, refusal);
    } finally {
      running(false);
    }
  }

  #explain(message, notes) {
    const box = dialog('ask', 'Import', h('h2', { text: sentence(message) }), list(notes),
      h('footer', {}, h('button', { text: 'Close', on: { click: () => box.close() } })));
  }
}

"""####),
  ]
}
#endif
