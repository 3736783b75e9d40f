// What is alive after each node: the bytes as a picture over the nodes, the peak, and who holds them where you point.

const CATEGORY_COLOURS = {
  parameter: '#0072b2', buffer: '#56b4e9', input: '#009e73', constant: '#999999', temporary: '#d55e00', output: '#f0e442',
};
const MOST_ALIVE = 200;

// When the storages of the outermost graph are alive, as `fakeprop memory` counts: a value from its node to the last node
// that uses it, a storage as long as any value on it, those of inputs and attributes all the time. Memory inside of a
// subgraph is not counted. {"blocks": [[bytes, first, last, category, maker]], "steps": [node, or -1 where nothing has run]}
function lifetimesIn(model) {
  const { nodes } = model.runs[0];
  const end = nodes.length - 1;
  const lastUse = (node) => node.users.reduce((last, user) => Math.max(last, user.index), node.index);
  const blocks = [];
  for (const storage of model.storages) {
    const holders = storage.holders.filter((node) => node.run === model.runs[0]);
    if (!holders.length) continue;
    const [maker] = holders;
    const isHeld = maker.annotation.op === 'placeholder' || maker.annotation.op === 'get_attr';
    const last = isHeld ? end : holders.reduce((latest, node) => Math.max(latest, lastUse(node)), 0);
    blocks.push([storage.nbytes, isHeld ? 0 : maker.index, last, categoryOf(maker, holders), maker.index]);
  }
  return { blocks, steps: nodes.map((node) => (node.annotation.op === 'placeholder' ? -1 : node.index)) };
}

function categoryOf(maker, holders) {
  if (maker.annotation.op === 'placeholder') return maker.kind;
  if (maker.annotation.op === 'get_attr') return tensorsIn(maker.value)[0].requires_grad ? 'parameter' : 'buffer';
  return holders.some((node) => node.kind === 'output') ? 'output' : 'temporary';
}

class MemoryView {
  constructor(model, onChoose) {
    this.model = model;
    this.onChoose = onChoose;
    const hasFailed = model.nodes.some((node) => node.value === undefined && node.kind !== 'output');
    this.data = hasFailed ? null : lifetimesIn(model);
    byId('tab-memory').hidden = !this.data;
    if (!this.data) return;
    this.categories = [...new Set(this.data.blocks.map((block) => block[3]))];
    this.frame = byId('timeline');
    this.held = byId('memory-held');
    this.held.addEventListener('change', () => this.redraw());
    this.frame.addEventListener('click', (event) => this.choose(this.stepAt(event)));
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    this.compute();
  }

  // Sums by step and category at the current numbers.
  compute() {
    const { blocks, steps } = this.data;
    this.bytes = blocks.map(([bytes]) => Number(this.model.symbols.valueOf(bytes) ?? 0));
    this.hasUnknown = blocks.some(([bytes]) => this.model.symbols.valueOf(bytes) === undefined);
    this.curves = this.categories.map(() => new Float64Array(steps.length + 1));
    blocks.forEach(([, first, last, category], i) => {
      if (!this.held.checked && this.isHeld(first, last)) return;
      const curve = this.curves[this.categories.indexOf(category)];
      curve[first] += this.bytes[i];
      curve[last + 1] -= this.bytes[i];
    });
    for (const curve of this.curves) for (let i = 1; i < curve.length; ++i) curve[i] += curve[i - 1];
    this.totals = Float64Array.from({ length: steps.length }, (_, i) => this.curves.reduce((sum, curve) => sum + curve[i], 0));
    this.peak = -1;
    for (let i = 0; i < steps.length; ++i)
      if (steps[i] >= 0 && (this.peak < 0 || this.totals[i] > this.totals[this.peak])) this.peak = i;
    this.step ??= this.peak;
  }

  // Parameters and inputs are there from the first step to the last.
  isHeld(first, last) {
    return first <= 0 && last >= this.data.steps.length - 1;
  }

  redraw() {
    if (!this.data) return;
    this.compute();
    this.draw();
  }

  draw() {
    if (!this.data || this.peak < 0) return;
    const width = Math.max(300, this.frame.clientWidth || 900);
    const height = 260;
    this.width = width;
    const top = this.totals[this.peak] || 1;
    const base = new Float64Array(this.totals.length);
    const areas = this.categories.map((category, c) => this.area(category, c, base, width, height, top));
    this.frame.replaceChildren(svg('svg', { width, height: height + 24, role: 'img', 'aria-label': this.summary() },
      areas, this.cursor(this.peak, 'peak', height, `peak ${bytesText(this.totals[this.peak])}`),
      this.step === this.peak ? null : this.cursor(this.step, 'step', height, bytesText(this.totals[this.step]))));
    byId('memory-summary').textContent = this.summary();
    byId('memory-legend').replaceChildren(...this.categories.map((category) => this.legend(category)));
    this.drawAlive();
  }

  // At most one point for each pixel, the greatest of its steps.
  area(category, c, base, width, height, top) {
    const columns = Math.min(width, this.totals.length);
    const upper = [];
    const lower = [];
    for (let x = 0; x < columns; ++x) {
      const i = this.greatestIn(Math.floor((x * this.totals.length) / columns), Math.floor(((x + 1) * this.totals.length) / columns));
      const [from, to] = [(x * width) / columns, ((x + 1) * width) / columns];
      const [low, high] = [base[i], base[i] + this.curves[c][i]].map((bytes) => (height - (bytes / top) * (height - 24)).toFixed(1));
      upper.push(`${from.toFixed(1)},${high}`, `${to.toFixed(1)},${high}`);
      lower.unshift(`${to.toFixed(1)},${low}`, `${from.toFixed(1)},${low}`);
    }
    for (let i = 0; i < base.length; ++i) base[i] += this.curves[c][i];
    return svg('polygon', { points: [...upper, ...lower].join(' '), fill: CATEGORY_COLOURS[category] ?? '#999999' }, svg('title', {}, category));
  }

  greatestIn(first, last) {
    let best = first;
    for (let i = first; i < last; ++i) if (this.totals[i] > this.totals[best]) best = i;
    return best;
  }

  cursor(step, kind, height, text) {
    const x = ((step + 0.5) / this.totals.length) * this.width;
    const isRight = x > this.width - 140;
    return [svg('line', { class: `cursor ${kind}`, x1: x, x2: x, y1: 0, y2: height }),
      svg('text', { class: 'cursor-text', x: isRight ? x - 5 : x + 5, y: kind === 'peak' ? 14 : height + 17, 'text-anchor': isRight ? 'end' : 'start' }, text)];
  }

  summary() {
    const node = this.model.runs[0].nodes[this.data.steps[this.peak]];
    return `${this.held.checked ? 'Peak' : 'Peak of what is not held all the time:'} ${bytesText(this.totals[this.peak])} after %${visible(node?.name ?? '')}${this.hasUnknown ? '; sizes that depend on data count as 0' : ''}`;
  }

  legend(category) {
    const mark = h('span', { class: 'mark' });
    mark.style.background = CATEGORY_COLOURS[category] ?? '#999999';
    return h('span', { class: 'legend' }, mark, category);
  }

  stepAt(event) {
    const { left } = this.frame.getBoundingClientRect();
    const step = Math.floor(((event.clientX - left) / this.width) * this.totals.length);
    return Math.min(this.totals.length - 1, Math.max(0, step));
  }

  choose(step) {
    this.step = step;
    this.draw();
    announce(`${bytesText(this.totals[step])} alive after ${visible(this.nameOf(step))}`);
  }

  nameOf(step) {
    return this.model.runs[0].nodes[step]?.name ?? '';
  }

  onKey(event) {
    const step = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: 0, End: this.totals.length - 1, p: this.peak }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.choose(Math.min(this.totals.length - 1, Math.max(0, step)));
  }

  // Who holds memory after the step, the largest first, and until when.
  drawAlive() {
    const alive = this.data.blocks.map((block, i) => [block, this.bytes[i]]).filter(([[, first, last]]) => first <= this.step && this.step <= last && (this.held.checked || !this.isHeld(first, last)));
    alive.sort(([, a], [, b]) => b - a);
    const rows = alive.slice(0, MOST_ALIVE).map(([block, bytes]) => this.aliveRow(block, bytes));
    byId('alive-title').replaceChildren(`Alive after `, this.link(this.model.runs[0].nodes[this.step]), `: ${bytesText(this.totals[this.step])} in ${counted(alive.length, 'block')}`,
      alive.length > rows.length ? `, the largest ${rows.length}` : '');
    byId('alive').replaceChildren(...rows);
  }

  aliveRow([, first, last, category, maker], bytes) {
    const { nodes } = this.model.runs[0];
    return h('tr', {}, h('td', { class: 'number' }, bytesText(bytes)), h('td', {}, this.legend(category)),
      h('td', {}, this.link(nodes[maker])),
      h('td', {}, this.isHeld(first, last) ? 'all the time' : ['until after ', nodes[last] ? this.link(nodes[last]) : 'the end']));
  }

  link(node) {
    if (!node) return '';
    const choose = (event) => {
      event.preventDefault();
      this.onChoose(node);
    };
    return h('a', { href: addressOf(node), onclick: choose }, '%', word(node.name, 60));
  }
}
