// The graph beside another one: each node with the one that it corresponds to, and what changed.

const COMPARED_HEIGHT = 46;
const CHANGE_SIGNS = { changed: '≠', added: '+', removed: '−', same: '' };
// Fields of a tensor that stand in the cells of a side.
const SIDE_FIELDS = ['shape', 'stride', 'dtype', 'device'];

// A node of the other graph, which has no page of its own.
class OtherNode {
  constructor([name, op, target, value, module, line]) {
    Object.assign(this, { name, op, target, value, module, line });
    this.isOutcome = typeof value === 'string' && (value === 'skipped' || value.startsWith('error '));
  }
}

// Which nodes correspond, as `fakeprop diff` matches them.
class Comparison {
  constructor(data, model) {
    Object.assign(this, { from: data.from, summary: data.summary, notes: data.notes });
    const others = data.from_nodes.map((row) => new OtherNode(row));
    const nodes = data.to_runs.flatMap(([path, call]) => model.runs.find((run) => run.path === path && run.call === call)?.nodes ?? []);
    this.rows = data.rows.map(([from, to, entry]) => this.rowOf(others[from] ?? null, nodes[to] ?? null, data.entries[entry]));
    this.rowOfNode = new Map(this.rows.filter((row) => row.to).map((row) => [row.to, row]));
    const rowOfEntry = new Map(data.rows.map(([, , entry], i) => [entry, this.rows[i]]));
    this.rows.forEach((row, i) => {
      const follows = data.entries[data.rows[i][2]]?.[0] ?? -1;
      row.cause = follows < 0 ? null : rowOfEntry.get(follows);
    });
  }

  rowOf(from, to, entry) {
    const kind = !entry ? 'same' : !from ? 'added' : !to ? 'removed' : 'changed';
    return { from, to, kind, fields: (entry?.[1] ?? []).map(([field, was, is]) => ({ field, was, is })) };
  }

  // "≠ shape, stride", for a node of this graph.
  markOf(node) {
    const row = this.rowOfNode.get(node);
    if (!row || row.kind === 'same') return null;
    if (row.kind === 'added') return '+ new';
    return '≠ ' + [...new Set(row.fields.map(({ field }) => field))].join(', ');
  }
}

class CompareView {
  constructor(model, onChoose) {
    this.model = model;
    this.onChoose = onChoose;
    this.comparison = model.comparison;
    byId('tab-compare').hidden = !this.comparison;
    if (!this.comparison) return;
    this.frame = byId('compare-frame');
    this.window = new RowWindow(this.frame, byId('compare-rows'), COMPARED_HEIGHT, 3, (i) => this.rowElement(i));
    byId('compare-summary').textContent = visible(this.comparison.summary);
    byId('compare-notes').replaceChildren(...this.comparison.notes.map((note) => h('li', {}, word(note, 300))));
    byId('compare-from').replaceChildren(h('span', { title: visible(this.comparison.from) }, shortened(fileName(this.comparison.from), 80)), ' (was)');
    byId('compare-to').replaceChildren(word(model.annotations.graph.source, 80), ' (is)');
    byId('compare-all').addEventListener('change', () => this.show());
    byId('compare-rows').addEventListener('click', (event) => this.onClick(event));
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    this.changes = this.comparison.rows.filter((row) => row.kind !== 'same');
    byId('compare-all').checked = this.changes.length === 0;
    this.show();
  }

  show() {
    this.rows = byId('compare-all').checked ? this.comparison.rows : this.changes;
    this.window.reset(this.rows.length);
  }

  draw() {
    if (this.comparison) this.window.reset(this.rows.length);
  }

  rowElement(i) {
    const row = this.rows[i];
    const changed = new Set(row.fields.map(({ field }) => field));
    return h('tr', { 'data-row': i, 'aria-rowindex': i + 2, class: `${row.kind}${row === this.chosen ? ' chosen' : ''}`, 'aria-selected': row === this.chosen ? 'true' : null },
      h('td', {}, this.changeText(row)),
      h('td', {}, this.side(row.from, changed, String)),
      h('td', {}, this.side(row.to, changed, (dim) => this.model.symbols.text(dim))));
  }

  changeText(row) {
    const what = row.kind === 'changed' ? [...new Set(row.fields.map(({ field }) => field))].join(', ') : row.kind === 'same' ? '' : row.kind;
    const renamed = row.from && row.to && row.from.name !== row.to.name ? ['renamed'] : [];
    const cause = row.cause ? [`follows from %${shortened((row.cause.to ?? row.cause.from).name, 24)}`] : [];
    return [h('div', {}, h('strong', {}, CHANGE_SIGNS[row.kind]), ' ', shortened(what, 40)), h('div', { class: 'note' }, [...renamed, ...cause].join(', '))];
  }

  // Name and operator, and below them the value. What changed is marked.
  side(node, changed, text) {
    if (!node) return null;
    const target = node.op === 'call_function' || node.target === undefined ? node.op : node.target;
    const name = node instanceof OtherNode ? operatorText(node) : target;
    return [h('div', {}, '%', word(node.name, 60), ' ', h('span', { class: 'note' }, shortened(name, 40))), h('div', { class: 'mono' }, this.valueParts(node, changed, text))];
  }

  valueParts(node, changed, text) {
    const { value } = node;
    if (!isTensor(value)) {
      const whole = node instanceof OtherNode ? this.otherText(node) : this.model.resultText(node);
      return this.marked(shortened(whole, 90), changed.size > 0);
    }
    const list = (dims) => '[' + dims.map(text).join(', ') + ']';
    const parts = { shape: list(value.shape), stride: 'strides ' + list(value.stride), dtype: SHORT_DTYPES[value.dtype] ?? value.dtype, device: value.device };
    const fields = ['dtype', 'shape', 'stride', 'device'];
    return [fields.map((field) => [this.marked(shortened(parts[field], 60), changed.has(field)), ' ']), this.others(changed)];
  }

  otherText(node) {
    return node.isOutcome ? node.value : valueText(node.value, PLAIN_SYMBOLS);
  }

  others(changed) {
    const more = [...changed].filter((field) => !SIDE_FIELDS.includes(field));
    return more.length ? this.marked(shortened(more.join(', '), 40), true) : null;
  }

  marked(text, isChanged) {
    return isChanged ? h('mark', {}, visible(text)) : visible(text);
  }

  onClick(event) {
    const row = event.target.closest('[data-row]');
    if (row) this.choose(Number(row.dataset.row));
  }

  choose(i) {
    this.chosen = this.rows[i];
    this.window.seek(i);
    this.window.reset(this.rows.length);
    this.onChoose(this.chosen);
  }

  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step || !this.rows.length) return;
    event.preventDefault();
    this.choose(Math.min(this.rows.length - 1, Math.max(0, this.rows.indexOf(this.chosen) + step)));
  }
}

// Expressions of the other graph stay as they are: the sliders are those of this graph.
const PLAIN_SYMBOLS = { text: String, valueOf: () => undefined };

const fileName = (path) => path.slice(path.lastIndexOf('/') + 1);

// "aten.add.Tensor"
function operatorText(node) {
  return node.op.startsWith('call_') ? node.target.replace(/^torch\.ops\.|^_operator\./, '').replace(/\.default$/, '') : node.op;
}
