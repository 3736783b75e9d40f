// What modules cost, as an icicle: a row for each level of the module tree, a width for each share.

const COST_FIELDS = ['bytes of results', 'bytes of parameters', 'nodes'];

class CostView {
  constructor(model, tree, onChoose) {
    Object.assign(this, { model, tree, onChoose });
    this.frame = byId('icicle');
    this.root = tree.root;
    [this.field] = COST_FIELDS;
    this.makeControls();
  }

  makeControls() {
    const choice = h('select', { id: 'cost-field', onchange: () => this.measure(choice.value) }, COST_FIELDS.map((field) => h('option', { value: field }, field)));
    byId('cost-controls').append(h('label', {}, 'Width: ', choice), h('button', { type: 'button', id: 'cost-up', onclick: () => this.up() }, 'Up'));
  }

  measure(field) {
    this.field = field;
    this.redraw();
  }

  up() {
    this.open(this.root.parent ?? this.root);
  }

  open(group) {
    this.root = group;
    this.draw();
    this.frame.querySelector('button')?.focus();
  }

  isBytes() {
    return this.field.startsWith('bytes');
  }

  text(amount) {
    return this.isBytes() ? bytesText(amount) : countText(amount);
  }

  redraw() {
    this.sums = null;
    this.draw();
  }

  // The amount of each node, and the sum of each group.
  sum() {
    if (this.sums) return;
    this.sums = new Map();
    this.amounts = this.field === 'nodes' ? null : this.byNode();
    const add = (group) => {
      let sum = 0;
      for (const child of group.children) sum += child.isGroup ? add(child) : this.amountOf(child);
      this.sums.set(group, sum);
      return this.sums.get(group);
    };
    add(this.tree.root);
  }

  amountOf(node) {
    return this.field === 'nodes' ? 1 : this.amounts.get(node) ?? 0;
  }

  amountIn(item) {
    return item.isGroup ? this.sums.get(item) : this.amountOf(item);
  }

  byNode() {
    const amounts = new Map();
    const number = (dim) => Number(this.model.symbols.valueOf(dim) ?? 0);
    if (this.field === 'bytes of results') {
      for (const storage of this.model.storages)
        if (storage.holders[0]?.kind === 'call') amounts.set(storage.holders[0], (amounts.get(storage.holders[0]) ?? 0) + number(storage.nbytes));
      return amounts;
    }
    return this.stateByUser(number);
  }

  // A parameter counts where it is used first.
  stateByUser(number) {
    const amounts = new Map();
    for (const storage of this.model.storages) {
      const [holder] = storage.holders;
      const user = holder?.isState ? holder.users[0] : null;
      if (user) amounts.set(user, (amounts.get(user) ?? 0) + number(storage.nbytes));
    }
    return amounts;
  }

  draw() {
    if (byId('view-cost').hidden) return;
    this.sum();
    const whole = this.sums.get(this.root);
    byId('cost-up').disabled = !this.root.parent;
    byId('cost-summary').textContent = `${visible(this.root.path || this.root.label)}: ${this.text(whole)} ${this.isBytes() ? this.field.slice(6) : 'nodes'}`;
    const width = Math.max(300, this.frame.clientWidth || 900);
    this.frame.replaceChildren();
    this.place(this.root, 0, width, 0, whole || 1, whole || 1);
  }

  // Children stand below their group, the largest first; what is too narrow to see is left out.
  place(item, left, width, level, amount, whole) {
    if (width < 3 || level > 12) return;
    this.frame.append(this.block(item, left, width, level, amount, whole));
    if (!item.isGroup || !amount) return;
    const children = item.children.map((child) => [child, this.amountIn(child)]).filter(([, part]) => part > 0);
    children.sort(([, a], [, b]) => b - a);
    let x = left;
    for (const [child, part] of children) {
      const share = (part / amount) * width;
      this.place(child, x, share, level + 1, part, whole);
      x += share;
    }
  }

  block(item, left, width, level, amount, whole) {
    const name = item.isGroup ? item.label : item.name;
    const label = `${shortened(name, 60)} · ${this.text(amount)} · ${((100 * amount) / whole).toFixed(1)} %`;
    const act = () => (item.isGroup ? this.open(item) : this.onChoose(item));
    const block = h('button', { type: 'button', class: `block level${level % 4} ${item.isGroup ? '' : 'leaf'}`, title: label, 'aria-label': label, onclick: act },
      width > 34 ? label : '');
    Object.assign(block.style, { left: `${left}px`, width: `${Math.max(1, width - 1)}px`, top: `${level * 27}px` });
    this.frame.style.height = `${Math.max(parseFloat(this.frame.style.height) || 0, (level + 1) * 27 + 8)}px`;
    return block;
  }
}
