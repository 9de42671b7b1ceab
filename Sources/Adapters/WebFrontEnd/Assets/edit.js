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
