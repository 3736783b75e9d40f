// Places the children of an open group, by dagre. Groups inside are laid out first and then count as boxes, so a change
// inside one group changes that group and those around it, never the whole graph. Where only one group inside is open, the
// places are those of the folded group, with room made for it: so the picture stays as it was, and nothing is laid out twice.

const BOX_HEIGHT = 40;
const LINE_HEIGHT = 14;
const TITLE_HEIGHT = 26;
const MARGIN = 14;
const MOST_PORTS = 6;
const MOST_PORT_EDGES = 2;  // long edges cost most of the time of a layout

// Measures text in one font. A width is asked for once.
function widthsIn(font) {
  const ruler = document.createElement('canvas').getContext('2d');
  ruler.font = font;
  const known = new Map();
  return (text) => {
    if (!known.has(text)) known.set(text, ruler.measureText(text).width);
    return known.get(text);
  };
}
const titleWidth = widthsIn('600 12px system-ui, sans-serif');
const smallWidth = widthsIn('11px system-ui, sans-serif');

// Values that cross the border of a group, without sizes, which go everywhere: {source, consumers} inside for its inputs, {source} for its results.
function portsOf(group) {
  if (group.ports) return group.ports;
  const incoming = new Map();
  const outgoing = new Map();
  const add = (map, source, item) => {
    if (!map.has(source)) map.set(source, new Set());
    map.get(source).add(item);
  };
  for (const node of nodesIn(group)) {
    for (const input of node.inputs)
      if (!input.isState && !isSymbolic(input.value) && !isWithin(input, group)) add(incoming, input, childOf(group, node));
    for (const user of node.users) if (!isSymbolic(node.value) && !isWithin(user, group)) add(outgoing, node, user);
  }
  group.ports = { incoming: [...incoming], outgoing: [...outgoing] };
  return group.ports;
}

function* nodesIn(group) {
  for (const child of group.children) {
    if (child.isGroup) yield* nodesIn(child);
    else yield child;
  }
}

function isWithin(item, group) {
  let outer = item.parent;
  while (outer && outer.depth > group.depth) outer = outer.parent;
  return outer === group;
}

// " · ✕ 1 · ≠ 3": what is to be seen in a group.
function marksText(group) {
  return Object.entries(group.marks).map(([sign, count]) => (count ? ` · ${sign} ${count}` : '')).join('');
}

class Layouter {
  constructor(model) {
    this.model = model;
  }

  // {width, height, boxes: [{item, x, y, width, height}], edges: [{points, text, x, y, kind, ends}]}, from the group's
  // upper left corner. `ends` are the boxes of an edge.
  layout(group) {
    group.layout ??= this.newLayout(group);
    return group.layout;
  }

  newLayout(group) {
    const open = group.children.filter((child) => child.isGroup && child.isOpen);
    if (open.length > 1) return this.layOut(group, (child) => this.boxOf(child));
    group.folded ??= this.layOut(group, (child) => this.closedBox(child));
    return open.length ? makeRoom(group.folded, open[0], this.layout(open[0])) : group.folded;
  }

  layOut(group, boxOf) {
    const g = new dagre.graphlib.Graph({ multigraph: false });
    g.setGraph({ rankdir: 'TB', nodesep: 18, edgesep: 12, ranksep: 26, marginx: MARGIN, marginy: MARGIN, ranker: 'tight-tree' });
    const keys = new Map();
    for (const child of group.children) this.addBox(g, keys, child, boxOf(child));
    for (const edge of this.edgesIn(group)) this.addEdge(g, keys, edge);
    if (group.parent) this.addPorts(g, keys, group);
    // A chain has no crossings: then the search for the best order, half of the time, finds nothing.
    dagre.layout(g, { disableOptimalOrderHeuristic: g.edgeCount() <= g.nodeCount() });
    return this.result(g, group);
  }

  addBox(g, keys, item, box) {
    const key = 'n' + keys.size;
    keys.set(item, key);
    g.setNode(key, { ...box, item });
    return key;
  }

  boxOf(item) {
    if (!item.isGroup || !item.isOpen) return this.closedBox(item);
    const { width, height } = this.layout(item);
    return { width, height };
  }

  closedBox(item) {
    const lines = this.lines(item);
    const width = Math.max(...lines.map((line, i) => (i ? smallWidth : titleWidth)(line))) + 22;
    return { width: Math.max(70, Math.ceil(width)), height: BOX_HEIGHT + LINE_HEIGHT * (lines.length - 2), lines };
  }

  // What a closed box says.
  lines(item) {
    if (item.isGroup) return [shortened(item.label, 36), `${shortened(item.note, 24)} · ${counted(item.nodeCount, 'node')}${marksText(item)}`];
    const lines = [shortened(item.op, 32), '%' + shortened(item.name, 30)];
    const change = this.model.comparison?.markOf(item);
    return [...lines, this.markOf(item), change && shortened(change, 34)].filter(Boolean);
  }

  markOf(node) {
    if (node.annotation.error) return '✕ ' + node.annotation.error.code;
    if (node.annotation.skipped !== undefined) return '– skipped';
    if (node.findings.length) return '⚠ ' + node.findings[0].code;
    if (node.written.length) return '✎ writes %' + shortened(node.written[0].name, 22);
    const alias = node.kind === 'call' ? this.model.aliasOf(node) : null;
    return alias ? '≡ shares %' + shortened(alias.name, 22) : null;
  }

  // One edge for all values from one child to another.
  edgesIn(group) {
    const edges = new Map();
    for (const [from, to] of group.edges) {
      const [a, b] = [childOf(group, from), childOf(group, to)];
      if (!edges.has(a)) edges.set(a, new Map());
      const byTarget = edges.get(a);
      if (!byTarget.has(b)) byTarget.set(b, { from: a, to: b, values: new Set(), links: [] });
      byTarget.get(b).values.add(from);
      byTarget.get(b).links.push([from, to]);
    }
    return [...edges.values()].flatMap((byTarget) => [...byTarget.values()]);
  }

  addEdge(g, keys, edge) {
    const text = this.edgeText(edge.values);
    const width = text ? Math.ceil(smallWidth(text)) + 8 : 0;
    g.setEdge(keys.get(edge.from), keys.get(edge.to), { ...edge, text, width, height: text ? 16 : 0, labelpos: 'c' });
  }

  edgeText(values) {
    if (values.size > 1) return counted(values.size, 'value');
    const [source] = values;
    return this.valueLabel(source);
  }

  // "f32[2, 3] · 24 B"
  valueLabel(node) {
    const value = node.value;
    if (value === undefined) return '';
    const text = shortened(valueText(value, this.model.symbols), 40);
    const bytes = isTensor(value) ? this.model.bytes(node) : undefined;
    return bytes === undefined ? text : `${text} · ${bytesText(bytes)}`;
  }

  addPorts(g, keys, group) {
    const { incoming, outgoing } = portsOf(group);
    incoming.slice(0, MOST_PORTS).forEach(([source, consumers]) => {
      const port = this.addPort(g, keys, { port: 'in', node: source, text: 'from %' + shortened(source.name, 24) });
      for (const child of [...consumers].slice(0, MOST_PORT_EDGES)) g.setEdge(port, keys.get(child), this.portEdge(source, child, this.valueLabel(source)));
    });
    outgoing.slice(0, MOST_PORTS).forEach(([source, users]) => {
      const [user] = users;
      const more = users.size > 1 ? ` and ${users.size - 1} more` : '';
      const port = this.addPort(g, keys, { port: 'out', node: user, text: `to %${shortened(user.name, 24)}${more}` });
      g.setEdge(keys.get(childOf(group, source)), port, this.portEdge(childOf(group, source), source, this.valueLabel(source)));
    });
    const hidden = Math.max(0, incoming.length - MOST_PORTS) + Math.max(0, outgoing.length - MOST_PORTS);
    if (hidden) this.addPort(g, keys, { port: 'more', node: null, text: `${counted(hidden, 'other value')} in or out` });
  }

  addPort(g, keys, port) {
    const item = { isPort: true, ...port };
    return this.addBox(g, keys, item, { width: Math.ceil(smallWidth(port.text)) + 16, height: 20, lines: [port.text] });
  }

  portEdge(from, to, text) {
    const width = text ? Math.ceil(smallWidth(text)) + 8 : 0;
    return { from, to, values: new Set(), links: [], isPort: true, text, width, height: text ? 16 : 0, labelpos: 'c' };
  }

  result(g, group) {
    const { width, height } = g.graph();
    const top = group.parent ? TITLE_HEIGHT : 0;
    const title = titleWidth(shortened(group.label, 36) + '  ' + shortened(group.note, 24)) + 60;
    const full = Math.max(Number.isFinite(width) ? width : 0, title);
    const left = (full - (Number.isFinite(width) ? width : 0)) / 2;
    const boxes = new Map(g.nodes().map((key) => {
      const box = g.node(key);
      return [key, { ...box, x: box.x - box.width / 2 + left, y: box.y - box.height / 2 + top }];
    }));
    const edges = g.edges().map((key) => this.placedEdge(g.edge(key), [boxes.get(key.v), boxes.get(key.w)], left, top));
    return { width: full, height: (Number.isFinite(height) ? height : 0) + top, boxes: [...boxes.values()], edges };
  }

  placedEdge(edge, ends, left, top) {
    const points = edge.points.map((p) => ({ x: p.x + left, y: p.y + top }));
    return { ...edge, ends, points, x: (edge.x ?? 0) + left, y: (edge.y ?? 0) + top, kind: this.kindOf(edge) };
  }

  // 'write' if a call writes the value, 'alias' if its result shares the value's storage, else 'value'.
  kindOf(edge) {
    if (edge.links.some(([from, to]) => to.written.includes(from))) return 'write';
    const shares = ([from, to]) => {
      const storages = new Set(tensorsIn(from.value).map((tensor) => tensor.storage));
      return to.kind === 'call' && tensorsIn(to.value).some((tensor) => storages.has(tensor.storage));
    };
    return edge.links.some(shares) ? 'alias' : 'value';
  }
}

// The layout with one item as large as `size`: what is below and right of it moves away, what is above and below it spreads.
// Distances only grow, so nothing that was apart meets.
function makeRoom(folded, item, size) {
  const open = folded.boxes.find((box) => box.item === item);
  const [width, height] = [Math.max(open.width, size.width), Math.max(open.height, size.height)];
  const right = stretched(open.x, open.width, width);
  const down = stretched(open.y, open.height, height);
  const movedBox = (box) => (box === open
    ? { ...box, width, height }
    : { ...box, x: right(box.x + box.width / 2) - box.width / 2, y: down(box.y + box.height / 2) - box.height / 2 });
  const boxes = new Map(folded.boxes.map((box) => [box, movedBox(box)]));
  const moved = (p) => ({ x: right(p.x), y: down(p.y) });
  // An edge ends at the border of its box, which keeps its size.
  const movedWith = (box, p) => (box === open ? moved(p) : { x: p.x - box.x + boxes.get(box).x, y: p.y - box.y + boxes.get(box).y });
  const edges = folded.edges.map((edge) => {
    const points = edge.points.map(moved);
    points[0] = movedWith(edge.ends[0], edge.points[0]);
    points[points.length - 1] = movedWith(edge.ends[1], edge.points[points.length - 1]);
    return { ...edge, ...moved(edge), points, ends: edge.ends.map((box) => boxes.get(box)) };
  });
  return { width: right(folded.width), height: down(folded.height), boxes: [...boxes.values()], edges };
}

// Where a place is when the stretch from `start` of this length gets another one.
function stretched(start, was, is) {
  return (at) => (at <= start ? at : at >= start + was ? at + is - was : start + ((at - start) * is) / was);
}
