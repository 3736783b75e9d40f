// Two graphs side by side, their nodes matched as `fakeprop diff` matches them.

// data.compare: {"annotations": of the other graph, "diff": what `fakeprop diff GRAPH OTHER` says}
class Comparison {
  constructor(model, { annotations, diff }) {
    this.model = model;
    this.other = annotations;
    this.diff = diff;
    this.otherSymbols = new SymbolTable(annotations.symbols, annotations.guards);
    this.changes = this.changesByNode();
    this.rows = [...this.rowsOf('', model.annotations.nodes, annotations.nodes)];
    for (const path of this.paths())
      this.rows.push(...this.rowsOf(path, model.annotations.subgraphs?.[path]?.nodes ?? [], annotations.subgraphs?.[path]?.nodes ?? []));
  }

  paths() {
    return new Set([...Object.keys(this.model.annotations.subgraphs ?? {}), ...Object.keys(this.other.subgraphs ?? {})]);
  }

  changesByNode() {
    const changes = new Map();
    for (const change of this.diff.changed) {
      const node = this.model.find(change.was ?? change.node, change.in);
      if (!node) continue;
      if (!changes.has(node)) changes.set(node, []);
      changes.get(node).push(change);
    }
    return changes;
  }

  // {node, other, changes}: of this graph, of the other one, or of both. What is new stands behind the node before it.
  *rowsOf(path, nodes, others) {
    const renamed = new Map(this.diff.renamed.filter((each) => each.in === path).map((each) => [each.to, each.from]));
    const byPartner = new Map();
    const added = new Map();
    let before = null;
    const names = new Set(nodes.map((node) => node.name));
    const removed = new Set(this.diff.removed);
    for (const other of others) {
      const partner = renamed.get(other.name) ?? (names.has(other.name) && !this.isNew(other.name, path) ? other.name : null);
      if (partner === null) added.set(before, [...(added.get(before) ?? []), other]);
      else byPartner.set((before = partner), other);
    }
    for (const other of added.get(null) ?? []) yield { path, node: null, other, changes: [] };
    for (const annotation of nodes) {
      const node = this.model.find(annotation.name, path);
      const isGone = removed.has(annotation.name) || removed.has(`${path}.${annotation.name}`);
      const other = isGone ? null : byPartner.get(annotation.name) ?? null;
      yield { path, node, other, changes: this.changes.get(node) ?? [] };
      for (const each of added.get(annotation.name) ?? []) yield { path, node: null, other: each, changes: [] };
    }
  }

  isNew(name, path) {
    this.added ??= new Set(this.diff.added);
    return this.added.has(path ? `${path}.${name}` : name) || (path !== '' && this.added.has(`${path}/${name}`));
  }

  isChanged(row) {
    return !row.node || !row.other || row.changes.length > 0;
  }
}

class CompareView {
  constructor(model, data, onChoose) {
    this.model = model;
    byId('tab-compare').hidden = !data;
    if (!data) return;
    this.comparison = new Comparison(model, data);
    this.onChoose = onChoose;
    this.frame = byId('compare-frame');
    this.body = byId('compare-rows');
    this.all = byId('compare-all');
    this.all.addEventListener('change', () => this.show());
    this.frame.addEventListener('scroll', () => this.draw());
    this.body.addEventListener('click', (event) => this.onClick(event));
    byId('compare-from').textContent = visible(data.diff.from);
    byId('compare-to').textContent = visible(data.diff.to);
    this.show();
    this.guards();
  }

  guards() {
    const texts = this.comparison.diff.guards.map((guard) => `guard ${guard.change}: ${guard.expr}${guard.node ? ' of %' + guard.node : ''}`);
    texts.push(...this.comparison.diff.symbols.map((change) => `${change.field} of ${change.symbol}: ${change.from} → ${change.to}`));
    byId('compare-guards').replaceChildren(...texts.slice(0, 100).map((text) => h('li', {}, visible(text))));
  }

  show() {
    const { rows } = this.comparison;
    const changed = rows.filter((row) => this.comparison.isChanged(row));
    this.rows = this.all.checked ? rows : changed;
    byId('compare-count').textContent = changed.length ? `${changed.length} of ${counted(rows.length, 'node')} differ` : `all ${counted(rows.length, 'node')} are the same`;
    this.drawn = null;
    this.draw();
  }

  draw() {
    if (!this.comparison) return;
    const height = this.frame.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.frame.scrollTop / ROW_HEIGHT) - 10);
    const last = Math.min(this.rows.length, first + Math.ceil(height / ROW_HEIGHT) + 20);
    if (this.drawn === `${first}-${last}`) return;
    this.drawn = `${first}-${last}`;
    const rows = [];
    for (let i = first; i < last; ++i) rows.push(this.rowOf(this.rows[i], i));
    this.body.replaceChildren(spaceRow(first, 7), ...rows, spaceRow(this.rows.length - last, 7));
  }

  rowOf(row, i) {
    const fields = new Set(row.changes.map((change) => change.field));
    const hasStride = [...fields].some((field) => field === 'stride' || field.endsWith('.stride'));
    const state = !row.node ? 'added' : !row.other ? 'removed' : row.changes.length ? 'changed' : '';
    const sign = { added: '+ in the other', removed: '− in this one', changed: '≠ ' + [...fields].join(', '), '': '' }[state];
    const cell = (text, isMarked) => h('td', { class: isMarked ? 'marked' : null, title: text.length > 24 ? text : null }, h('bdi', {}, text));
    const [left, right] = [this.texts(row.node?.annotation, this.model.symbols), this.texts(row.other, this.comparison.otherSymbols)];
    const isMarked = fields.size > 0 && left.value !== right.value;
    return h('tr', { 'data-row': i, class: state }, cell(sign, state !== ''), cell(left.name, false), cell(left.value, isMarked), cell(left.stride, hasStride),
      cell(right.name, false), cell(right.value, isMarked), cell(right.stride, hasStride));
  }

  texts(annotation, symbols) {
    if (!annotation) return { name: '', value: '', stride: '' };
    const value = annotation.meta?.val;
    const text = annotation.error ? `✕ ${annotation.error.code}` : annotation.skipped !== undefined ? 'skipped' : valueText(value, symbols);
    return { name: shortened(annotation.name, 80), value: shortened(text, 80), stride: isTensor(value) ? dimsText(value.stride, symbols) : '' };
  }

  onClick(event) {
    const element = event.target.closest('[data-row]');
    const row = element && this.rows[Number(element.dataset.row)];
    if (row?.node) this.onChoose(row.node);
  }

  // The changes of a node, for its page.
  sectionFor(node) {
    const changes = this.comparison?.changes.get(node);
    if (!changes) return null;
    const text = (detail) => shortened(typeof detail === 'string' ? detail : JSON.stringify(detail), 120);
    return h('section', {}, h('h3', {}, 'Compared with the other graph'),
      h('dl', {}, changes.map((change) => [h('dt', {}, change.field), h('dd', {}, `${text(change.from)} → ${text(change.to)}`)])));
  }
}
