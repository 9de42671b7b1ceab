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
