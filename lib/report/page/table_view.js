// The nodes as a table.

const ROW_HEIGHT = 26;
const COLUMNS = [
  { name: 'node', text: (node) => node.name },
  { name: 'op', text: (node) => node.op },
  { name: 'shape', text: (node, model) => shapeText(node, model), key: (node, model) => elementsOf(node, model) },
  { name: 'dtype', text: (node) => tensorsIn(node.value)[0]?.dtype ?? '' },
  { name: 'device', text: (node) => tensorsIn(node.value)[0]?.device ?? '' },
  { name: 'bytes', text: (node, model) => bytesText(model.bytes(node)), key: (node, model) => model.bytes(node) ?? -1, isNumber: true },
  { name: 'storage of', text: (node, model) => model.aliasOf(node)?.name ?? '' },
  { name: 'module', text: (node, model) => model.modulePath(node.module) },
  { name: 'line', text: (node, model) => lineText(model.headline(node)) },
];

function shapeText(node, model) {
  const value = node.value;
  return isTensor(value) ? dimsText(value.shape, model.symbols) : model.resultText(node);
}

function elementsOf(node, model) {
  const [tensor] = tensorsIn(node.value);
  return tensor ? (model.bytes(node) ?? -1) / (ITEM_BYTES[tensor.dtype] ?? 1) : -1;
}

function lineText(frame) {
  return frame ? `${frame.file.slice(frame.file.lastIndexOf('/') + 1)}:${frame.line}` : '';
}

class TableView {
  constructor(model, onChoose) {
    this.model = model;
    this.onChoose = onChoose;
    this.found = model.nodes;
    this.rows = model.nodes;
    this.sort = { column: null, isDown: false };
    this.chosen = null;
    this.frame = byId('table-frame');
    this.body = byId('rows');
    this.window = new RowWindow(this.frame, this.body, ROW_HEIGHT, COLUMNS.length, (i) => this.rowOf(this.rows[i], i));
    this.makeHead();
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    this.body.addEventListener('click', (event) => this.onClick(event));
    byId('copy').addEventListener('click', () => this.copy());
    byId('state').addEventListener('change', () => this.show(this.found));
  }

  makeHead() {
    const cells = COLUMNS.map((column) =>
      h('th', { scope: 'col', 'aria-sort': 'none' },
        h('button', { type: 'button', onclick: () => this.sortBy(column) }, column.name, h('span', { class: 'arrow', 'aria-hidden': 'true' }))));
    byId('head').replaceChildren(h('tr', {}, cells));
  }

  show(nodes) {
    this.found = nodes;
    const hidesState = !byId('state').checked;
    this.rows = hidesState ? nodes.filter((node) => !node.isState) : [...nodes];
    this.sortRows();
    this.window.seek(null);
    byId('count').textContent = `${this.rows.length} of ${counted(this.model.nodes.length, 'node')}`;
    this.draw();
  }

  sortBy(column) {
    const isSame = this.sort.column === column;
    this.sort = isSame && this.sort.isDown ? { column: null, isDown: false } : { column, isDown: isSame };
    const headers = byId('head').querySelectorAll('th');
    COLUMNS.forEach((each, i) => {
      const order = this.sort.column !== each ? 'none' : this.sort.isDown ? 'descending' : 'ascending';
      headers[i].setAttribute('aria-sort', order);
      headers[i].querySelector('.arrow').textContent = { none: '', ascending: ' ▲', descending: ' ▼' }[order];
    });
    this.show(this.found);
  }

  sortRows() {
    const { column, isDown } = this.sort;
    if (!column) return;
    const keyOf = column.key ?? column.text;
    const keyed = this.rows.map((node) => [keyOf(node, this.model), node]);
    const sign = isDown ? -1 : 1;
    keyed.sort(([a, x], [b, y]) => (a < b ? -sign : a > b ? sign : x.id - y.id));
    this.rows = keyed.map(([, node]) => node);
  }

  draw() {
    this.window.reset(this.rows.length);
  }

  rowOf(node, i) {
    const state = node.annotation.error ? ' error' : node.annotation.skipped !== undefined ? ' skipped' : '';
    const cells = COLUMNS.map((column) => {
      const text = shortened(column.text(node, this.model), 120);
      return h('td', { class: column.isNumber ? 'number' : null, title: text.length > 18 ? text : null }, h('bdi', {}, text));
    });
    const row = h('tr', { 'data-row': i, 'aria-rowindex': i + 2, class: (node === this.chosen ? 'chosen' : '') + state }, cells);
    if (node === this.chosen) row.setAttribute('aria-selected', 'true');
    return row;
  }

  onClick(event) {
    const row = event.target.closest('[data-row]');
    if (row) this.onChoose(this.rows[Number(row.dataset.row)], { keepView: true });
  }

  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (!step || event.target.closest('button') || !this.rows.length) return;
    event.preventDefault();
    const at = this.rows.indexOf(this.chosen);
    this.onChoose(this.rows[Math.min(this.rows.length - 1, Math.max(0, at + step))]);
  }

  choose(node) {
    this.chosen = node;
    this.draw();
  }

  // Brings the row of the node into sight.
  scrollTo(node) {
    const at = this.rows.indexOf(node);
    if (at >= 0) this.window.seek(at);
    this.choose(node);
  }

  async copy() {
    await copyText(JSON.stringify(this.rows.map((node) => this.recordOf(node)), null, 2));
    announce(`${counted(this.rows.length, 'row')} copied as JSON`);
  }

  recordOf(node) {
    const record = {};
    for (const column of COLUMNS) record[column.name.replace(' ', '_')] = column.text(node, this.model);
    record.bytes = this.model.bytes(node) ?? null;
    return record;
  }
}
