// The data of the page, and the nodes, modules and findings in it with their links.

async function readData(element) {
  const binary = atob(element.textContent);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  element.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

// One run of a graph: the outermost one, or a subgraph.
class GraphRun {
  constructor(path, call, annotations, details) {
    this.path = path;
    this.call = call;
    this.annotations = annotations;
    this.details = details;
    this.nodes = [];
  }
  label() {
    return this.path + (this.call ? `, called by ${this.call}` : '');
  }
}

class ReportNode {
  constructor(id, run, index) {
    this.id = id;
    this.run = run;
    this.index = index;
    this.annotation = run.annotations[index];
    this.name = this.annotation.name;
    this.inputs = [];
    this.users = [];
    this.findings = [];
    this.kind = this.annotation.op === 'output' ? 'output' : 'call';
  }

  get details() {
    return this.run.details[this.index];
  }
  get callText() {
    return this.details[0];
  }
  get value() {
    return this.annotation.meta?.val;
  }
  get isState() {
    return this.kind === 'parameter' || this.kind === 'buffer' || this.kind === 'constant';
  }
  get written() {
    return (this.details[5] ?? []).map((index) => this.run.nodes[index]);
  }
  // "aten.conv2d", "input", "output"
  get op() {
    if (this.kind !== 'call') return this.kind;
    return this.annotation.target.replace(/^torch\.ops\.|^_operator\./, '').replace(/\.default$/, '');
  }
}

class Model {
  constructor({ annotations, details }) {
    this.annotations = annotations;
    this.details = details;
    this.symbols = new SymbolTable(annotations.symbols, annotations.guards, details.point);
    this.nodes = [];
    this.runs = this.makeRuns();
    for (const run of this.runs) this.addNodes(run);
    this.nameInputs();
    this.placeInModules();
    this.storages = this.findStorages();
    this.costs = this.readCosts();
    this.placeGuards();
    this.placeFindings();
    this.comparison = details.comparison ? new Comparison(details.comparison, this) : null;
  }

  // For each node that does something, its costs: [FLOPs, bytes read, bytes written], as often as it runs. Null if they
  // are not known. Those of the runs of one subgraph are told at its first.
  readCosts() {
    if (!this.details.cost) return null;
    const runs = this.runs.filter((run) => !run.call);
    const costs = new Map();
    for (const [run, index, ...cost] of this.details.cost.nodes) {
      const node = runs[run].nodes[index];
      costs.set(node, [...(costs.get(node) ?? []), cost]);
    }
    this.uncounted = new Map(this.details.cost.uncounted.map(([run, index, why]) => [runs[run].nodes[index], why]));
    return costs;
  }

  // The sum of some of a node's costs at the current numbers: 0 for FLOPs, 1 for bytes read, 2 for bytes written.
  costOf(node, ...kinds) {
    let sum = 0;
    for (const cost of this.costs?.get(node) ?? []) for (const kind of kinds) sum += this.symbols.amountOf(cost[kind]);
    return sum;
  }

  makeRuns() {
    const details = new Map(this.details.graphs.map((graph) => [graph.path, graph.nodes]));
    const runs = [new GraphRun('', '', this.annotations.nodes, details.get(''))];
    for (const [path, subgraph] of Object.entries(this.annotations.subgraphs ?? {})) {
      runs.push(new GraphRun(path, '', subgraph.nodes, details.get(path)));
      for (const [call, run] of Object.entries(subgraph.calls ?? {}))
        runs.push(new GraphRun(path, call, run.nodes, details.get(path)));
    }
    return runs;
  }

  addNodes(run) {
    for (let index = 0; index < run.annotations.length; ++index) {
      const node = new ReportNode(this.nodes.length, run, index);
      run.nodes.push(node);
      this.nodes.push(node);
      if (node.annotation.op === 'placeholder') node.kind = 'input';
    }
    for (const node of run.nodes) {
      node.inputs = node.details[4].map((index) => run.nodes[index]);
      for (const input of node.inputs) input.users.push(node);
    }
  }

  // The kinds and module paths of the graph's inputs.
  nameInputs() {
    for (const [index, kind, path] of this.details.inputs) {
      const node = this.runs[0].nodes[index];
      if (!node) continue;
      node.kind = kind;
      node.path = path;
    }
  }

  // `module` of a node is an index into details.modules; -1 is the graph itself. State goes to the module that owns it.
  placeInModules() {
    const modules = this.details.modules;
    const byPath = new Map(modules.map(([, path], index) => [path, index]).reverse());
    const owner = (path) => {
      for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1))
        if (byPath.has(path.slice(0, end))) return byPath.get(path.slice(0, end));
      return -1;
    };
    for (const node of this.nodes) {
      node.module = node.details[1];
      if (node.isState && node.module < 0) node.module = owner(node.path ?? '');
    }
  }

  modulePath(index) {
    return index < 0 ? '' : this.details.modules[index][1];
  }

  // Every storage with the nodes whose values are on it. `holders` is in the order of the graph.
  findStorages() {
    const storages = this.annotations.storages.map((storage) => ({ ...storage, holders: [] }));
    for (const node of this.nodes)
      for (const tensor of tensorsIn(node.value)) {
        const holders = storages[tensor.storage]?.holders;
        if (holders && holders[holders.length - 1] !== node) holders.push(node);
      }
    return storages;
  }

  // The node that had the storage of this node's tensor first; null if that is the node itself.
  aliasOf(node) {
    const [tensor] = tensorsIn(node.value);
    const first = tensor ? this.storages[tensor.storage]?.holders[0] : node;
    return !first || first === node ? null : first;
  }

  placeGuards() {
    this.guardsByNode = new Map();
    for (const guard of this.annotations.guards) {
      if (!guard.node) continue;
      if (!this.guardsByNode.has(guard.node)) this.guardsByNode.set(guard.node, []);
      this.guardsByNode.get(guard.node).push(guard);
    }
  }

  placeFindings() {
    this.findings = this.details.findings;
    for (const finding of this.findings) {
      const run = this.runs.find((other) => other.path === finding.graph) ?? this.runs[0];
      finding.target = this.find(finding.node, run.path);
      finding.target?.findings.push(finding);
    }
  }

  find(name, path = '', call = '') {
    const run = this.runs.find((other) => other.path === path && other.call === call);
    if (!run) return null;
    run.byName ??= new Map(run.nodes.map((node) => [node.name, node]));
    return run.byName.get(name) ?? null;
  }

  frames(node) {
    const trace = this.details.traces[node.details[2]] ?? [];
    return trace.map((index) => {
      const [file, line, fn, source, isTorch] = this.details.frames[index];
      return { file, line, fn, source, isTorch };
    });
  }

  // The innermost line outside of torch.
  headline(node) {
    const frames = this.frames(node);
    return frames.findLast((frame) => !frame.isTorch) ?? frames[frames.length - 1] ?? null;
  }

  service(node) {
    const row = this.details.services[node.details[3]];
    return row ? { by: row[0], file: row[1] } : null;
  }

  bytes(node) {
    const tensors = tensorsIn(node.value);
    if (!tensors.length) return undefined;
    let sum = 0;
    for (const tensor of tensors) {
      const bytes = tensorBytes(tensor, this.symbols);
      if (bytes === undefined) return undefined;
      sum += bytes;
    }
    return sum;
  }

  // What the node gives, in a few words.
  resultText(node) {
    const annotation = node.annotation;
    if (annotation.error) return `${annotation.error.code} ${visible(annotation.error.message)}`;
    if (annotation.skipped !== undefined) return `skipped because of ${visible(annotation.skipped)}`;
    return valueText(node.value, this.symbols);
  }
}

// The part of an address that names a node: "node=relu_3", "node=add&graph=true_graph_0".
function addressOf(node) {
  const parts = new URLSearchParams({ node: node.name });
  if (node.run.path) parts.set('graph', node.run.path);
  if (node.run.call) parts.set('call', node.run.call);
  return '#' + parts;
}

function nodeAt(address, model) {
  const parts = new URLSearchParams(address.replace(/^#/, ''));
  return parts.has('node') ? model.find(parts.get('node'), parts.get('graph') ?? '', parts.get('call') ?? '') : null;
}
