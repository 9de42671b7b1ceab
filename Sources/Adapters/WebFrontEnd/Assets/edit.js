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
