// What is alive after each node: the bytes as a picture over the nodes, the peak, and who holds them where you point.

const CATEGORY_COLOURS = {
  parameter: '#0072b2', buffer: '#56b4e9', input: '#009e73', constant: '#999999', temporary: '#d55e00', output: '#f0e442',
};
const MOST_DRAWN = 600;   // blocks with a shape of their own
const LEAST_DRAWN = 2;    // pixels
const MOST_HOLDERS = 12;
const CURVE_HEIGHT = 260;
const HEADROOM = 24;  // for the text at the peak

// A block of memory, as `fakeprop memory` counts it: alive from the step `first` until after the step `last`.
class MemoryBlock {
  constructor([size, first, last, category, maker, device, storage], id, steps) {
    Object.assign(this, { id, size, first, last, category, maker, device, storage });
    this.isHeld = first === 0 && last === steps - 1;
  }

  isAlive(step) {
    return this.first <= step && step <= this.last;
  }
}

class MemoryView {
  constructor(model, onChoose) {
    this.model = model;
    this.onChoose = onChoose;
    const data = model.details.memory;
    byId('tab-memory').hidden = !data;
    this.nodes = model.runs[0].nodes;
    this.isShown = Boolean(data);
    if (!this.isShown) return;
    this.blocks = data.blocks.map((row, id) => new MemoryBlock(row, id, this.nodes.length));
    this.uncounted = new Set(data.uncounted);
    // The picture begins where the graph begins to run.
    this.start = Math.max(0, this.nodes.findIndex((_, step) => !this.uncounted.has(step)));
    const known = Object.keys(CATEGORY_COLOURS);
    this.categories = [...new Set(this.blocks.map((block) => block.category))].sort((a, b) => known.indexOf(a) - known.indexOf(b));
    this.frame = byId('timeline');
    this.held = byId('memory-held');
    this.held.addEventListener('change', () => this.redraw());
    this.frame.addEventListener('click', (event) => this.onClick(event));
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    this.window = new RowWindow(byId('alive-frame'), byId('alive'), ROW_HEIGHT, 4, (i) => this.aliveRow(this.alive[i]));
    byId('alive').addEventListener('click', (event) => this.onRowClick(event));
    this.compute();
  }

  // Sums by step and category at the current numbers.
  compute() {
    for (const block of this.blocks) block.bytes = this.model.symbols.amountOf(block.size);
    this.shown = this.held.checked ? this.blocks : this.blocks.filter((block) => !block.isHeld);
    const curves = new Map(this.categories.map((category) => [category, new Float64Array(this.nodes.length + 1)]));
    for (const block of this.shown) {
      const curve = curves.get(block.category);
      curve[block.first] += block.bytes;
      curve[block.last + 1] -= block.bytes;
    }
    this.curves = [...curves.values()];
    for (const curve of this.curves) for (let i = 1; i < curve.length; ++i) curve[i] += curve[i - 1];
    this.totals = Float64Array.from({ length: this.nodes.length }, (_, i) => this.curves.reduce((sum, curve) => sum + curve[i], 0));
    this.peak = this.findPeak();
    this.step ??= this.peak;
  }

  // The first step with the most bytes. Placeholders do not count: nothing has run there.
  findPeak() {
    let peak = -1;
    for (let i = 0; i < this.totals.length; ++i)
      if (!this.uncounted.has(i) && this.totals[i] > (peak < 0 ? 0 : this.totals[peak])) peak = i;
    return peak;
  }

  redraw() {
    if (!this.isShown) return;
    this.compute();
    this.draw();
  }

  draw() {
    if (!this.isShown || this.peak < 0 || byId('view-memory').hidden) return;
    this.width = Math.max(300, this.frame.clientWidth || 900);
    this.columns = this.columnsOf(Math.min(this.width, this.totals.length - this.start));
    this.frame.replaceChildren(svg('svg', { width: this.width, height: CURVE_HEIGHT + HEADROOM, role: 'img', 'aria-label': this.summary() },
      this.categories.map((category, c) => this.drawCategory(category, c)),
      this.cursor(this.peak, 'peak', `peak ${bytesText(this.totals[this.peak])}`),
      this.step === this.peak ? null : this.cursor(this.step, 'step', bytesText(this.totals[this.step]))));
    byId('memory-summary').textContent = this.summary();
    byId('memory-legend').replaceChildren(...this.categories.map((category) => this.legend(category)));
    this.drawAlive();
    this.drawBlock();
  }

  // Where each column stands, and the step that it shows: the one with the most bytes of those that fall on it.
  columnsOf(count) {
    const bound = (x) => this.start + Math.floor((x * (this.totals.length - this.start)) / count);
    return Array.from({ length: count }, (_, x) => ({
      from: (x * this.width) / count, to: ((x + 1) * this.width) / count, step: this.greatestIn(bound(x), bound(x + 1)), base: 0,
    }));
  }

  greatestIn(first, last) {
    let best = first;
    for (let i = first; i < last; ++i) if (this.totals[i] > this.totals[best]) best = i;
    return best;
  }

  heightOf(bytes) {
    return (bytes / (this.totals[this.peak] || 1)) * (CURVE_HEIGHT - HEADROOM);
  }

  // The area of a category, and on it a shape for each of its large blocks. What remains below them are small blocks.
  drawCategory(category, c) {
    const large = this.largeBlocks(category);
    const spans = large.map(() => []);
    const whole = [];
    for (const column of this.columns) {
      const top = column.base + this.curves[c][column.step];
      whole.push([column.from, column.to, column.base, top]);
      let at = top;
      large.forEach((block, i) => {
        if (!block.isAlive(column.step)) return;
        spans[i].push([column.from, column.to, at - block.bytes, at]);
        at -= block.bytes;
      });
      column.base = top;
    }
    const fill = CATEGORY_COLOURS[category] ?? '#999999';
    return [this.shape(whole, { fill, class: 'area' }, category), large.map((block, i) => this.blockShape(block, spans[i], fill))];
  }

  // In the order of the graph, the last one first: so the oldest lie at the bottom.
  largeBlocks(category) {
    const large = this.shown.filter((block) => block.category === category && this.heightOf(block.bytes) >= LEAST_DRAWN);
    large.sort((a, b) => b.bytes - a.bytes);
    return large.slice(0, MOST_DRAWN).sort((a, b) => b.first - a.first || b.maker - a.maker);
  }

  blockShape(block, spans, fill) {
    const state = block === this.chosen ? ' chosen' : '';
    return spans.length ? this.shape(spans, { fill, class: 'memory-block' + state, 'data-block': block.id }, this.nameOf(block)) : null;
  }

  // A polygon around columns: [from, to, lowest byte, highest byte]. Columns that have the same height become one.
  shape(spans, attributes, title) {
    const joined = [];
    for (const span of spans) {
      const last = joined[joined.length - 1];
      if (last && last[2] === span[2] && last[3] === span[3] && last[1] === span[0]) last[1] = span[1];
      else joined.push([...span]);
    }
    const y = (bytes) => (CURVE_HEIGHT - this.heightOf(bytes)).toFixed(1);
    const upper = joined.flatMap(([from, to, , high]) => [`${from.toFixed(1)},${y(high)}`, `${to.toFixed(1)},${y(high)}`]);
    const lower = joined.flatMap(([from, to, low]) => [`${from.toFixed(1)},${y(low)}`, `${to.toFixed(1)},${y(low)}`]).reverse();
    return svg('polygon', { points: [...upper, ...lower].join(' '), ...attributes }, svg('title', {}, title));
  }

  cursor(step, kind, text) {
    const x = ((Math.max(step, this.start) - this.start + 0.5) / (this.totals.length - this.start)) * this.width;
    const isRight = x > this.width - 140;
    return [svg('line', { class: `cursor ${kind}`, x1: x, x2: x, y1: 0, y2: CURVE_HEIGHT }),
      svg('text', { class: 'cursor-text', x: isRight ? x - 5 : x + 5, y: kind === 'peak' ? 14 : CURVE_HEIGHT + 17, 'text-anchor': isRight ? 'end' : 'start' }, text)];
  }

  summary() {
    const what = this.held.checked ? 'Peak' : 'Peak of what is not held all the time:';
    const least = this.model.symbols.hasOpen() ? '; sizes that depend on data count at their least' : '';
    return `${what} ${bytesText(this.totals[this.peak])} after %${visible(this.nodes[this.peak]?.name ?? '')}${least}`;
  }

  legend(category) {
    const mark = h('span', { class: 'mark' });
    mark.style.background = CATEGORY_COLOURS[category] ?? '#999999';
    return h('span', { class: 'legend' }, mark, category);
  }

  nameOf(block) {
    return `%${visible(this.nodes[block.maker]?.name ?? '')}, ${bytesText(block.bytes)}, ${block.category}`;
  }

  stepAt(event) {
    const { left } = this.frame.getBoundingClientRect();
    return this.within(this.start + Math.floor(((event.clientX - left) / this.width) * (this.totals.length - this.start)));
  }

  within(step) {
    return Math.min(this.totals.length - 1, Math.max(this.start, step));
  }

  onClick(event) {
    const shape = event.target.closest('[data-block]');
    this.chosen = shape ? this.blocks[Number(shape.dataset.block)] : null;
    this.choose(this.stepAt(event));
  }

  onRowClick(event) {
    const row = event.target.closest('[data-block]');
    if (!row || event.target.closest('a')) return;
    this.chosen = this.blocks[Number(row.dataset.block)];
    this.draw();
  }

  choose(step) {
    this.step = step;
    this.draw();
    const block = this.chosen ? `${this.nameOf(this.chosen)}, ${this.untilText(this.chosen)}` : '';
    announce(block || `${bytesText(this.totals[step])} alive after ${visible(this.nodes[step]?.name ?? '')}`);
  }

  onKey(event) {
    const step = { ArrowRight: this.step + 1, ArrowLeft: this.step - 1, Home: this.start, End: this.totals.length - 1, p: this.peak }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.chosen = null;
    this.choose(this.within(step));
  }

  // Who holds memory after the step, the largest first, and until when.
  drawAlive() {
    this.alive = this.shown.filter((block) => block.isAlive(this.step)).sort((a, b) => b.bytes - a.bytes);
    byId('alive-title').replaceChildren(`Alive after `, this.link(this.nodes[this.step]), `: ${bytesText(this.totals[this.step])} in ${counted(this.alive.length, 'block')}`);
    if (this.listed !== this.step) this.window.seek(0);
    this.listed = this.step;
    this.window.reset(this.alive.length);
  }

  aliveRow(block) {
    return h('tr', { 'data-block': block.id, class: block === this.chosen ? 'chosen' : null },
      h('td', { class: 'number' }, bytesText(block.bytes)), h('td', {}, this.legend(block.category)),
      h('td', {}, this.link(this.nodes[block.maker])), h('td', {}, this.until(block)));
  }

  until(block) {
    return block.isHeld ? 'all the time' : ['until after ', this.link(this.nodes[block.last])];
  }

  untilText(block) {
    return block.isHeld ? 'held all the time' : `alive until after ${visible(this.nodes[block.last].name)}`;
  }

  // The chosen block: who made it, who holds it, and until when.
  drawBlock() {
    const block = this.chosen;
    byId('block').hidden = !block;
    if (!block) return;
    const holders = (this.model.storages[block.storage]?.holders ?? []).filter((node) => node.index !== block.maker || node.run !== this.model.runs[0]);
    byId('block').replaceChildren(h('span', {},
      h('strong', {}, this.link(this.nodes[block.maker])), ` ${bytesText(block.bytes)}, ${block.category} on ${visible(block.device)}, `,
      this.until(block),
      holders.length ? ['; also held by ', holders.slice(0, MOST_HOLDERS).map((node) => [this.link(node), ' '])] : null,
      holders.length > MOST_HOLDERS ? `and ${holders.length - MOST_HOLDERS} more` : null));
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
