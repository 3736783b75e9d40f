// Finds nodes by words. A node has to have all of them: in its name, operator, shape, dtype, module, or Python file and
// line. `op:conv shape:[2,3] file:model.py` looks in one field each.

const SEARCH_FIELDS = ['name', 'op', 'shape', 'dtype', 'module', 'file', 'device'];

// Calls back when the page has nothing else to do, with the time that it may take. Not all browsers tell.
const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(() => {
  const end = performance.now() + 10;
  act({ timeRemaining: () => end - performance.now() });
}, 50));

const INDEX_STEP = 100;  // nodes between two looks at the clock

// What is searched, once for each node: made in idle time, and completed when it is first needed.
class SearchIndex {
  constructor(model) {
    this.model = model;
    this.rows = [];
  }

  buildWhenIdle() {
    whenIdle((deadline) => {
      this.build(() => deadline.timeRemaining() > 1);
      if (this.rows.length < this.model.nodes.length) this.buildWhenIdle();
    });
  }

  build(hasTime = () => true) {
    const { nodes } = this.model;
    while (this.rows.length < nodes.length && hasTime())
      for (const node of nodes.slice(this.rows.length, this.rows.length + INDEX_STEP)) this.rows.push(this.rowOf(node));
    return this.rows;
  }

  rowOf(node) {
    const [tensor] = tensorsIn(node.value);
    const frame = this.model.headline(node);
    const fields = {
      name: node.name + (node.path ? ' ' + node.path : ''),
      op: node.op + ' ' + node.annotation.target,
      shape: tensor ? `[${tensor.shape.join(',')}] ${tensor.shape.join('x')}`.replaceAll(' ', '') : '',
      dtype: tensor ? `${tensor.dtype} ${SHORT_DTYPES[tensor.dtype] ?? ''}` : '',
      module: this.model.modulePath(node.module) + ' ' + (this.model.details.modules[node.module]?.[2] ?? ''),
      file: frame ? `${frame.file}:${frame.line}` : '',
      device: tensor ? tensor.device : '',
    };
    for (const name of SEARCH_FIELDS) fields[name] = fields[name].toLowerCase();
    fields.all = SEARCH_FIELDS.map((name) => fields[name]).join('\n');
    return fields;
  }

  find(query) {
    const terms = termsOf(query);
    if (!terms.length) return this.model.nodes;
    const rows = this.build();
    return this.model.nodes.filter((node) => terms.every(({ field, text }) => rows[node.id][field].includes(text)));
  }
}

// "op:conv [2, 3]" -> [{field: 'op', text: 'conv'}, {field: 'all', text: '[2,3]'}]
function termsOf(query) {
  const words = query.toLowerCase().match(/(?:[^\s["]|\[[^\]]*\]?|"[^"]*"?)+/g) ?? [];
  return words.map((text) => {
    const colon = text.indexOf(':');
    const field = text.slice(0, colon);
    const isField = colon > 0 && SEARCH_FIELDS.includes(field);
    const sought = (isField ? text.slice(colon + 1) : text).replaceAll('"', '');
    return { field: isField ? field : 'all', text: sought.startsWith('[') ? sought.replaceAll(' ', '') : sought };
  });
}

// The box above the views: what it finds filters the table, and the first nodes stand in a list below it.
class SearchBox {
  constructor(index, onFound, onChoose) {
    this.index = index;
    this.onFound = onFound;
    this.onChoose = onChoose;
    this.input = byId('search');
    this.list = byId('found');
    this.input.addEventListener('input', () => this.search());
    this.input.addEventListener('keydown', (event) => this.onKey(event));
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 150));
    this.input.addEventListener('focus', () => this.input.value && this.search());
  }

  search() {
    this.found = this.index.find(this.input.value);
    this.onFound(this.found);
    this.at = 0;
    this.showList();
    announce(`${counted(this.found.length, 'node')} found`);
  }

  showList() {
    const items = this.input.value ? this.found.slice(0, 12) : [];
    this.list.replaceChildren(...items.map((node, i) => this.item(node, i)), ...this.summary(items));
    this.list.hidden = !this.input.value;
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
  }

  item(node, i) {
    const choose = () => {
      this.close();
      this.onChoose(node);
    };
    return h('li', { role: 'option', id: 'found-' + i, 'aria-selected': String(i === this.at), onpointerdown: choose },
      word(node.name, 60), h('small', {}, shortened(node.op, 40), ' ', this.index.model.resultText(node).slice(0, 60)));
  }

  summary(items) {
    if (!this.input.value || this.found.length === items.length) return this.found?.length ? [] : [h('li', { class: 'none' }, 'no node has all of these words')];
    return [h('li', { class: 'none' }, `and ${this.found.length - items.length} more, in the table`)];
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
  }

  onKey(event) {
    const last = Math.min(this.found?.length ?? 0, 12) - 1;
    if (event.key === 'ArrowDown') this.at = Math.min(last, this.at + 1);
    else if (event.key === 'ArrowUp') this.at = Math.max(0, this.at - 1);
    else if (event.key === 'Enter' && this.found?.[this.at]) this.onChoose(this.found[this.at]);
    else if (event.key === 'Escape') this.input.value = '';
    else return;
    event.preventDefault();
    if (event.key === 'Escape') this.search();
    if (event.key === 'Enter') this.close();
    else this.showList();
    this.input.setAttribute('aria-activedescendant', 'found-' + this.at);
  }
}
