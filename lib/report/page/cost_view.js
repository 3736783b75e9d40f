// What modules cost: an icicle, with a row for each level of the module tree and a width for each share, and below it the
// sums of all kinds side by side.

const MOST_COST_ROWS = 100;

// Kinds of sums. `of(node)` is what one node adds; `amounts()` has what nodes and groups add.
function costFields(model, tree) {
  const counted = [
    { name: 'FLOPs', text: countText, of: (node) => model.costOf(node, 0) },
    { name: 'bytes moved', text: bytesText, of: (node) => model.costOf(node, 1, 2) },
  ];
  const held = [
    { name: 'bytes of results', text: bytesText, amounts: () => resultBytes(model) },
    { name: 'bytes of parameters', text: bytesText, amounts: () => stateBytes(model, tree) },
    { name: 'nodes', text: countText, of: () => 1 },
  ];
  return [...(model.costs ? counted : []), ...held];
}

// Each storage at the node that makes it.
function resultBytes(model) {
  const amounts = new Map();
  for (const storage of model.storages) {
    const [maker] = storage.holders;
    if (maker?.kind === 'call') amounts.set(maker, (amounts.get(maker) ?? 0) + model.symbols.amountOf(storage.nbytes));
  }
  return amounts;
}

// A parameter counts in the module that owns it, as in `fakeprop show --tree`.
function stateBytes(model, tree) {
  const amounts = new Map();
  for (const storage of model.storages) {
    const [holder] = storage.holders;
    if (!holder?.isState) continue;
    const group = tree.groupOfPath.get(model.modulePath(holder.module)) ?? tree.root;
    amounts.set(group, (amounts.get(group) ?? 0) + model.symbols.amountOf(storage.nbytes));
  }
  return amounts;
}

class CostView {
  constructor(model, tree, onChoose) {
    Object.assign(this, { model, tree, onChoose });
    this.frame = byId('icicle');
    this.root = tree.root;
    this.fields = costFields(model, tree);
    [this.field] = this.fields;
    this.makeControls();
  }

  makeControls() {
    const choice = h('select', { id: 'cost-field', onchange: () => this.measure(choice.value) }, this.fields.map(({ name }) => h('option', { value: name }, name)));
    byId('cost-controls').append(h('label', {}, 'Width: ', choice), h('button', { type: 'button', id: 'cost-up', onclick: () => this.up() }, 'Up'));
    byId('cost-head').replaceChildren(h('tr', {}, h('th', { scope: 'col' }, 'module or node'),
      this.fields.map(({ name }) => h('th', { scope: 'col', class: 'number' }, name))));
  }

  measure(name) {
    this.field = this.fields.find((field) => field.name === name);
    this.draw();
  }

  up() {
    this.open(this.root.parent ?? this.root);
  }

  open(group) {
    this.root = group;
    this.draw();
    this.frame.querySelector('button')?.focus();
  }

  redraw() {
    this.sums = null;
    this.draw();
  }

  // For each node and group the amount of each field.
  sum() {
    if (this.sums) return;
    this.sums = new Map();
    const tables = this.fields.map((field) => field.amounts?.());
    const own = (item) => this.fields.map((field, i) => (tables[i] ? tables[i].get(item) ?? 0 : item.isGroup ? 0 : field.of(item)));
    const add = (item) => {
      const amounts = own(item);
      for (const child of item.children ?? []) add(child).forEach((amount, i) => (amounts[i] += amount));
      this.sums.set(item, amounts);
      return amounts;
    };
    add(this.tree.root);
  }

  amountIn(item) {
    return this.sums.get(item)[this.fields.indexOf(this.field)];
  }

  draw() {
    if (byId('view-cost').hidden) return;
    this.sum();
    const whole = this.amountIn(this.root);
    byId('cost-up').disabled = !this.root.parent;
    byId('cost-summary').textContent = `${shortened(this.root.path || this.root.label, 80)}: ${this.field.name} ${this.field.text(whole)}`;
    byId('cost-uncounted').textContent = this.uncountedText();
    const width = Math.max(300, this.frame.clientWidth || 900);
    this.frame.style.height = '0px';
    this.frame.replaceChildren();
    this.place(this.root, 0, width, 0, whole || 1, whole || 1);
    this.drawRows();
  }

  uncountedText() {
    const uncounted = this.model.uncounted?.size ?? 0;
    if (!this.model.costs) return 'FLOPs are not counted, since the graph does not propagate.';
    return uncounted ? `${counted(uncounted, 'node')} without a formula for FLOPs: ${[...this.model.uncounted.keys()].slice(0, 5).map((node) => '%' + shortened(node.name, 40)).join(', ')}${uncounted > 5 ? ', …' : ''}` : '';
  }

  // The largest first.
  childrenOf(group) {
    const children = group.children.map((child) => [child, this.amountIn(child)]);
    return children.sort(([, a], [, b]) => b - a);
  }

  // Children stand below their group, the largest first; what is too narrow to see is left out.
  place(item, left, width, level, amount, whole) {
    if (width < 3 || level > 12) return;
    this.frame.append(this.block(item, left, width, level, amount, whole));
    if (!item.isGroup || !amount) return;
    let x = left;
    for (const [child, part] of this.childrenOf(item).filter(([, part]) => part > 0)) {
      const share = (part / amount) * width;
      this.place(child, x, share, level + 1, part, whole);
      x += share;
    }
  }

  block(item, left, width, level, amount, whole) {
    const name = item.isGroup ? item.label : item.name;
    const label = `${shortened(name, 60)} · ${this.field.text(amount)} · ${((100 * amount) / whole).toFixed(1)} %`;
    const block = h('button', { type: 'button', class: `block level${level % 4} ${item.isGroup ? '' : 'leaf'}`, title: label, 'aria-label': label, onclick: () => this.act(item) },
      width > 34 ? label : '');
    Object.assign(block.style, { left: `${left}px`, width: `${Math.max(1, width - 1)}px`, top: `${level * 27}px` });
    this.frame.style.height = `${Math.max(parseFloat(this.frame.style.height) || 0, (level + 1) * 27 + 8)}px`;
    return block;
  }

  act(item) {
    if (item.isGroup) this.open(item);
    else this.onChoose(item);
  }

  // The open group and what is in it, with every sum.
  drawRows() {
    const children = this.childrenOf(this.root).map(([child]) => child);
    const rows = [this.root, ...children.slice(0, MOST_COST_ROWS)].map((item) => this.rowOf(item));
    const left = children.length - MOST_COST_ROWS;
    if (left > 0) rows.push(h('tr', {}, h('td', {}, `and ${left} more`)));
    byId('cost-rows').replaceChildren(...rows);
  }

  rowOf(item) {
    const name = item.isGroup ? [word(item.label, 60), ' ', h('span', { class: 'note' }, shortened(item.note, 24))] : ['%', word(item.name, 60)];
    const amounts = this.sums.get(item);
    return h('tr', { class: item === this.root ? 'whole' : null },
      h('td', {}, item === this.root ? name : h('button', { type: 'button', class: 'plain', onclick: () => this.act(item) }, name)),
      this.fields.map((field, i) => h('td', { class: 'number' }, field.text(amounts[i]))));
  }
}
