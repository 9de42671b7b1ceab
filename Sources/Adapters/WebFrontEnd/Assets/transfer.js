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
