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
