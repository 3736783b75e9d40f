// The graph as a picture that folds, zooms and moves.

const MOST_SHOWN = 120;  // nodes and groups that "unfold" shows at once

class GraphView {
  constructor(model, tree, onChoose) {
    this.model = model;
    this.tree = tree;
    this.onChoose = onChoose;
    this.layouter = new Layouter(model);
    this.frame = byId('graph');
    this.scene = svg('g');
    this.picture = svg('svg', { 'aria-hidden': 'true' }, this.arrows(), this.scene);
    this.frame.append(this.picture);
    this.frame.before(this.buttons());
    this.scale = 1;
    this.x = this.y = 0;
    this.places = new Map();
    this.chosen = null;
    this.listen();
  }

  arrows() {
    const arrow = (id) =>
      svg('marker', { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' },
        svg('path', { d: 'M0,0 L8,4 L0,8 z' }));
    return svg('defs', {}, arrow('arrow'));
  }

  buttons() {
    // A sign needs a name; a word is one.
    const button = (text, title, act) => h('button', { type: 'button', title, 'aria-label': /^\w/.test(text) ? null : title, onclick: act }, text);
    return h('div', { class: 'bar zoom', role: 'group', 'aria-label': 'Picture' },
      button('+', 'Zoom in (+)', () => this.zoom(1.25)),
      button('−', 'Zoom out (-)', () => this.zoom(0.8)),
      button('Fit', 'Show all (0)', () => this.fit()),
      button('Unfold', 'Unfold modules, as many as fit', () => this.unfold()),
      button('Fold', 'Fold all modules', () => this.fold()));
  }

  listen() {
    this.frame.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
    this.frame.addEventListener('pointerdown', (event) => this.onPress(event));
    this.frame.addEventListener('pointermove', (event) => this.onMove(event));
    this.frame.addEventListener('pointerup', () => (this.drag = null));
    this.frame.addEventListener('keydown', (event) => this.onKey(event));
    new ResizeObserver(([{ contentRect }]) => this.onResize(contentRect)).observe(this.frame);
    this.scene.addEventListener('click', (event) => this.onClick(event));
    this.scene.addEventListener('dblclick', (event) => this.onDoubleClick(event));
  }

  // ---- drawing

  draw() {
    this.places = new Map();
    this.items = [];
    const layout = this.layouter.layout(this.tree.root);
    this.scene.replaceChildren(this.drawContent(this.tree.root, layout, 0, 0));
    this.size = layout;
    this.mark();
    this.move();
  }

  drawContent(group, layout, x, y) {
    const edges = layout.edges.map((edge) => this.drawEdge(edge));
    const boxes = layout.boxes.map((box) => this.drawBox(box, x, y));
    return svg('g', {}, edges, boxes);
  }

  drawEdge(edge) {
    const path = svg('path', { class: `edge ${edge.kind}${edge.isPort ? ' port' : ''}`, d: curve(edge.points), 'marker-end': 'url(#arrow)' });
    if (!edge.text) return path;
    const text = svg('text', { class: 'edge-text', x: edge.x, y: edge.y + 4, 'text-anchor': 'middle' }, edge.text);
    const back = svg('rect', { class: 'edge-back', x: edge.x - edge.width / 2, y: edge.y - 8, width: edge.width, height: 16 });
    return svg('g', {}, path, back, text);
  }

  drawBox(box, x, y) {
    const item = box.item;
    const place = { x: x + box.x, y: y + box.y, width: box.width, height: box.height };
    const index = this.items.push(item) - 1;
    const element = svg('g', { transform: `translate(${box.x},${box.y})`, class: classOf(item, this.model), 'data-item': index },
      svg('rect', { width: box.width, height: box.height, rx: item.isGroup ? 7 : 4 }),
      item.isGroup && item.isOpen ? this.drawOpen(item, box, place) : this.drawClosed(item, box));
    this.places.set(item, { ...place, element });
    return element;
  }

  drawOpen(group, box, place) {
    return [
      svg('rect', { class: 'title bar', width: box.width, height: TITLE_HEIGHT }),
      svg('text', { class: 'title', x: 12, y: 17 }, '▾ ' + shortened(group.label, 36),
        svg('tspan', { class: 'note', dx: 8 }, shortened(group.note, 24))),
      this.drawContent(group, this.layouter.layout(group), place.x, place.y),
    ];
  }

  drawClosed(item, box) {
    if (item.isPort) return svg('text', { class: 'note', x: box.width / 2, y: 14, 'text-anchor': 'middle' }, box.lines[0]);
    return box.lines.map((line, i) =>
      svg('text', { class: i === 0 ? 'title' : 'note', x: box.width / 2, y: 17 + i * LINE_HEIGHT, 'text-anchor': 'middle' },
        (i === 0 && item.isGroup ? '▸ ' : '') + line));
  }

  // ---- the choice

  choose(item) {
    this.chosen = item;
    this.mark();
  }

  mark() {
    this.scene.querySelector('.chosen')?.classList.remove('chosen');
    const place = this.chosen && this.places.get(this.tree.shownFor(this.chosen));
    place?.element.classList.add('chosen');
  }

  // Unfolds what is around the item and brings it into the middle.
  show(item) {
    if (!item.parent) return;
    const frame = this.frame.getBoundingClientRect();  // before the picture changes
    if (this.tree.reveal(item) || !this.places.has(item)) this.draw();
    this.choose(item);
    const place = this.places.get(item);
    if (place) this.center(place, frame);
  }

  center(place, { width, height }) {
    if (this.scale < 0.5) this.scale = 0.9;
    this.x = width / 2 - (place.x + place.width / 2) * this.scale;
    this.y = height / 2 - (place.y + Math.min(place.height / 2, height / 2 / this.scale)) * this.scale;
    this.move();
  }

  toggle(group) {
    const before = this.places.get(group);
    this.tree.toggle(group);
    this.draw();
    const after = this.places.get(group);
    if (before && after) {
      this.x += (before.x - after.x) * this.scale;
      this.y += (before.y - after.y) * this.scale;
      this.move();
    }
    announce(`${visible(group.label)} is ${group.isOpen ? 'unfolded' : 'folded'}`);
  }

  unfold() {
    const shown = this.tree.openMost(MOST_SHOWN);
    this.draw();
    this.fit();
    announce(`${shown} of ${this.tree.root.nodeCount} nodes and modules are shown`);
  }

  fold() {
    this.tree.closeAll();
    this.draw();
    this.fit();
  }

  // ---- zooming and moving

  move() {
    this.scene.setAttribute('transform', `translate(${this.x},${this.y}) scale(${this.scale})`);
  }

  zoom(factor, at) {
    const { width, height } = this.frame.getBoundingClientRect();
    const center = at ?? { x: width / 2, y: height / 2 };
    const scale = Math.min(3, Math.max(0.02, this.scale * factor));
    this.x = center.x - (center.x - this.x) * (scale / this.scale);
    this.y = center.y - (center.y - this.y) * (scale / this.scale);
    this.scale = scale;
    this.move();
  }

  // What was in the middle stays there.
  onResize({ width, height }) {
    if (this.frameSize && width && this.frameSize.width) {
      this.x += (width - this.frameSize.width) / 2;
      this.y += (height - this.frameSize.height) / 2;
      this.move();
    }
    if (width) this.frameSize = { width, height };
  }

  // The whole picture; a tall one from its top, large enough to read.
  fit() {
    const { width, height } = this.frame.getBoundingClientRect();
    if (!this.size || !width) return;
    const whole = Math.min(width / (this.size.width + 20), height / (this.size.height + 20));
    const wide = Math.min(1, width / (this.size.width + 20));
    this.scale = Math.max(Math.min(1, whole), Math.min(wide, 0.6), 0.02);
    this.x = Math.max(10, (width - this.size.width * this.scale) / 2);
    this.y = Math.max(10, (height - this.size.height * this.scale) / 2);
    this.move();
  }

  onWheel(event) {
    event.preventDefault();
    const frame = this.frame.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0015), { x: event.clientX - frame.left, y: event.clientY - frame.top });
  }

  onPress(event) {
    if (event.target.closest('button')) return;
    this.drag = { x: event.clientX - this.x, y: event.clientY - this.y, from: [event.clientX, event.clientY] };
    this.wasDragged = false;
  }

  onMove(event) {
    if (!this.drag || !event.buttons) return;
    const [x, y] = this.drag.from;
    this.wasDragged ||= Math.hypot(event.clientX - x, event.clientY - y) > 4;
    this.x = event.clientX - this.drag.x;
    this.y = event.clientY - this.drag.y;
    this.move();
  }

  itemAt(event) {
    const element = event.target.closest('[data-item]');
    return element ? this.items[Number(element.dataset.item)] : null;
  }

  onClick(event) {
    const item = this.wasDragged ? null : this.itemAt(event);
    if (!item) return;
    if (item.isPort) {
      if (item.node) this.onChoose(item.node);
    } else if (item.isGroup && !isOnTitle(event, item)) {
      this.choose(item);
    } else if (item.isGroup) {
      this.choose(item);
      this.toggle(item);
    } else {
      this.onChoose(item, { keepView: true });
    }
  }

  onDoubleClick(event) {
    const item = this.itemAt(event);
    if (item?.isGroup && item.isOpen) this.toggle(item);
  }

  // ---- keys

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('button')) return;
    const act = this.keyActs()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  keyActs() {
    return {
      '+': () => this.zoom(1.25),
      '=': () => this.zoom(1.25),
      '-': () => this.zoom(0.8),
      0: () => this.fit(),
      Enter: () => this.enter(),
      ' ': () => this.enter(),
      ArrowDown: () => this.go((item) => this.neighbour(item, 'users')),
      ArrowUp: () => this.go((item) => this.neighbour(item, 'inputs')),
      ArrowRight: () => this.go((item) => this.sibling(item, 1)),
      ArrowLeft: () => this.go((item) => this.sibling(item, -1)),
    };
  }

  enter() {
    if (this.chosen?.isGroup) this.toggle(this.chosen);
    else if (this.chosen) this.onChoose(this.chosen);
  }

  go(next) {
    const from = this.chosen ? this.tree.shownFor(this.chosen) : null;
    const item = from ? next(from) : this.tree.root.children[0];
    if (!item) return;
    if (item.isGroup) {
      this.show(item);
      announce(`module ${visible(item.label)}, ${counted(item.nodeCount, 'node')}`);
    } else {
      this.onChoose(item);
    }
  }

  // The nearest thing that is shown and gives a value to the item, or takes one from it.
  neighbour(item, side) {
    const nodes = item.isGroup ? [...nodesIn(item)] : [item];
    for (const node of nodes)
      for (const other of node[side]) {
        const shown = other.isState ? null : this.tree.shownFor(other);
        if (shown && shown !== item) return shown;
      }
    return null;
  }

  sibling(item, step) {
    const siblings = item.parent?.children ?? [];
    return siblings[siblings.indexOf(item) + step] ?? null;
  }
}

function classOf(item, model) {
  if (item.isPort) return 'box port';
  if (item.isGroup) return `box group ${item.isOpen ? 'open' : 'closed'} level${item.depth % 2}`;
  const state = item.annotation.error ? ' error' : item.annotation.skipped !== undefined ? ' skipped' : '';
  const change = model.comparison?.markOf(item) ? ' changed' : '';
  return `box node ${item.kind === 'call' ? 'call' : 'border'}${state}${change}`;
}

// An open group folds by a click on its title; a click elsewhere in it only chooses it.
function isOnTitle(event, group) {
  if (!group.isOpen) return true;
  return event.target.classList.contains('title') || event.target.classList.contains('note');
}

// A smooth line through the points.
function curve(points) {
  const [first, ...rest] = points;
  let path = `M${first.x},${first.y}`;
  for (let i = 0; i < rest.length - 1; ++i) {
    const [p, q] = [rest[i], rest[i + 1]];
    const last = i === rest.length - 2;
    path += ` Q${p.x},${p.y} ${last ? q.x : (p.x + q.x) / 2},${last ? q.y : (p.y + q.y) / 2}`;
  }
  return rest.length === 1 ? path + ` L${rest[0].x},${rest[0].y}` : path;
}
