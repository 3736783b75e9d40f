// The module tree that the graph view folds. A group holds nodes and groups in the order of the graph. A group with more
// than MOST_CHILDREN of them gets groups of neighbours in between, so that every group can be laid out at once.

const MOST_CHILDREN = 24;

class Group {
  constructor(id, label, note, parent) {
    this.id = id;
    this.label = label;
    this.note = note;  // the class of the module, or which nodes it holds
    this.parent = parent;
    this.depth = parent ? parent.depth + 1 : 0;
    this.children = [];
    this.edges = [];  // [from, to] of nodes whose closest common group is this one
    this.isOpen = false;
    this.layout = null;
    this.folded = null;  // the layout where no group in it is open
    this.nodeCount = 0;
    this.path = '';
  }

  get isGroup() {
    return true;
  }

  // The layouts that contain this group no longer hold.
  invalidate() {
    for (let group = this; group; group = group.parent) group.layout = null;
  }
}

class GroupTree {
  constructor(model) {
    this.model = model;
    this.groups = [];
    this.groupOfPath = new Map();  // of a module, where it runs first
    this.revealed = [];  // groups that are open only since a node in them is shown
    this.root = this.newGroup(model.annotations.graph.source, 'graph', null);
    this.root.isOpen = true;
    for (const run of model.runs) this.addRun(run);
    this.splitLarge(this.root);
    this.count(this.root);
    this.placeEdges();
    this.openSingles(this.root);
  }

  newGroup(label, note, parent) {
    const group = new Group(this.groups.length, label, note, parent);
    this.groups.push(group);
    return group;
  }

  addRun(run) {
    const base = run.path ? this.addTo(this.root, this.newGroup(run.label(), 'subgraph', this.root)) : this.root;
    const byModule = new Map([[-1, base]]);
    for (const node of run.nodes)
      if (!node.isState) this.addTo(this.groupOf(node.module, byModule), node);
  }

  addTo(group, child) {
    group.children.push(child);
    child.parent = group;
    return child;
  }

  groupOf(module, byModule) {
    let group = byModule.get(module);
    if (group) return group;
    const [parent, path, type] = this.model.details.modules[module];
    const outer = this.groupOf(parent, byModule);
    const name = outer.path && path.startsWith(outer.path + '.') ? path.slice(outer.path.length + 1) : path;
    group = this.newGroup(name, type.slice(type.lastIndexOf('.') + 1), outer);
    group.path = path;
    byModule.set(module, group);
    if (!this.groupOfPath.has(path)) this.groupOfPath.set(path, group);
    return this.addTo(outer, group);
  }

  splitLarge(group) {
    while (group.children.length > MOST_CHILDREN) group.children = this.chunks(group);
    for (const child of group.children) {
      child.depth = group.depth + 1;
      if (child.isGroup) this.splitLarge(child);
    }
  }

  // Groups of neighbours, as even as possible.
  chunks(group) {
    const all = group.children;
    const size = Math.ceil(all.length / Math.ceil(all.length / MOST_CHILDREN));
    const chunks = [];
    for (let start = 0; start < all.length; start += size) chunks.push(this.chunk(group, all.slice(start, start + size)));
    return chunks;
  }

  chunk(group, children) {
    const first = children[0].firstName ?? children[0].label ?? children[0].name;
    const last = children[children.length - 1];
    const lastName = last.lastName ?? last.label ?? last.name;
    const chunk = this.newGroup(`${first} … ${lastName}`, 'neighbours', group);
    Object.assign(chunk, { firstName: first, lastName, path: group.path });
    for (const child of children) this.addTo(chunk, child);
    return chunk;
  }

  // How many nodes each group has, and what is to be seen in it: errors, warnings, changes.
  count(group) {
    group.nodeCount = 0;
    group.marks = { '✕': 0, '⚠': 0, '≠': 0 };
    for (const child of group.children) {
      group.nodeCount += child.isGroup ? this.count(child) : 1;
      const marks = child.isGroup ? child.marks : this.marksOf(child);
      for (const sign of Object.keys(marks)) group.marks[sign] += marks[sign];
    }
    return group.nodeCount;
  }

  marksOf(node) {
    const warnings = node.findings.filter((finding) => finding.severity !== 'error');
    return { '✕': node.annotation.error ? 1 : 0, '⚠': warnings.length, '≠': this.model.comparison?.markOf(node) ? 1 : 0 };
  }

  placeEdges() {
    for (const node of this.model.nodes) {
      if (node.isState) continue;
      for (const input of node.inputs) if (!input.isState) commonGroup(input, node).edges.push([input, node]);
    }
  }

  // A group that is alone in its group is open from the start; a small graph is open as a whole.
  openSingles(group) {
    if (this.root.nodeCount <= MOST_CHILDREN) for (const each of this.groups) each.isOpen = true;
    for (let only = group; ; ) {
      const groups = only.children.filter((child) => child.isGroup);
      if (groups.length !== 1 || only.children.length > 8) return;
      [only] = groups;
      only.isOpen = true;
    }
  }

  // Opens the groups around a node or group. Those that were only opened for the one before close, so that the picture
  // stays small.
  reveal(item) {
    const around = new Set();
    for (let group = item.parent; group; group = group.parent) around.add(group);
    const closing = this.revealed.filter((group) => !around.has(group));
    const opening = [...around].filter((group) => !group.isOpen);
    if (!opening.length) return false;
    for (const group of [...closing, ...opening]) {
      group.isOpen = opening.includes(group);
      group.invalidate();
    }
    this.revealed = this.revealed.filter((group) => around.has(group)).concat(opening);
    return true;
  }

  toggle(group) {
    this.revealed = this.revealed.filter((each) => each !== group);
    group.isOpen = !group.isOpen;
    group.invalidate();
  }

  // Opens groups breadth first until as many nodes and groups show as the view can draw at once.
  openMost(limit) {
    this.revealed = [];
    let shown = this.root.children.length;
    for (let queue = [this.root]; queue.length; ) {
      const group = queue.shift();
      group.isOpen = true;
      for (const child of group.children) {
        if (!child.isGroup || shown + child.children.length > limit) continue;
        shown += child.children.length;
        queue.push(child);
      }
    }
    for (const group of this.groups) group.layout = null;
    return shown;
  }

  closeAll() {
    this.revealed = [];
    for (const group of this.groups) {
      group.isOpen = group === this.root;
      group.layout = null;
    }
  }

  // What stands for the node in the picture: itself, or the outermost closed group around it.
  shownFor(item) {
    let shown = item;
    for (let group = item.parent; group; group = group.parent) if (!group.isOpen) shown = group;
    return shown;
  }
}

function commonGroup(a, b) {
  let [x, y] = [a.parent, b.parent];
  while (x !== y) {
    if (x.depth >= y.depth) x = x.parent;
    else y = y.parent;
  }
  return x;
}

// The child of `group` that holds the item, or is it.
function childOf(group, item) {
  let child = item;
  while (child.parent !== group) child = child.parent;
  return child;
}
