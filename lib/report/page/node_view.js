// The page of the chosen node: everything that is known of it.

class NodeView {
  constructor(model, onChoose) {
    this.model = model;
    this.onChoose = onChoose;
    this.frame = byId('node');
  }

  show(node) {
    this.node = node;
    const sections = [
      this.heading(node), this.findings(node), this.result(node), this.changes(node), this.python(node), this.links('Inputs', node.inputs),
      this.links('Used by', node.users), this.sharing(node), this.conditions(node), this.cost(node), this.service(node), this.raw(node),
    ];
    this.frame.replaceChildren(...sections.flat().filter(Boolean));
    this.frame.scrollTop = 0;
  }

  // A node that only the other graph has.
  showRemoved(row) {
    this.node = null;
    const { from } = row;
    this.frame.replaceChildren(
      h('header', {}, h('h2', {}, word(from.name, 300)), h('p', { class: 'op' }, word(operatorText(from), 300)),
        from.module ? h('p', { class: 'note' }, 'module ', word(from.module)) : ''),
      this.section('Compared with ' + shortened(fileName(this.model.comparison.from), 80), h('p', {}, 'This node is gone. It was ', h('span', { class: 'mono' }, shortened(from.isOutcome ? from.value : valueText(from.value, PLAIN_SYMBOLS), 200)), '.')),
      from.line ? this.section('Python', h('p', {}, word(from.line))) : '');
  }

  redraw() {
    if (this.node) this.show(this.node);
  }

  // What differs from the other graph.
  changes(node) {
    const row = this.model.comparison?.rowOfNode.get(node);
    if (!row) return null;
    const title = 'Compared with ' + shortened(fileName(this.model.comparison.from), 80);
    if (row.kind === 'added') return this.section(title, h('p', {}, 'This node is new.'));
    const renamed = row.from.name === node.name ? null : h('p', {}, 'It was called %', word(row.from.name, 80), '.');
    if (row.kind === 'same') return renamed ? this.section(title, renamed) : null;
    const cause = row.cause?.to ? h('p', {}, 'This follows from ', this.link(row.cause.to), '.') : null;
    return this.section(title, renamed, h('table', { class: 'changes' },
      h('thead', {}, h('tr', {}, ['field', 'was', 'is'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, row.fields.map(({ field, was, is }) => h('tr', {}, [field, was, is].map((text) => h('td', {}, word(text, 120))))))), cause);
  }

  cost(node) {
    const why = this.model.uncounted?.get(node);
    if (!this.model.costs || (!why && !this.model.costs.has(node))) return null;
    const [flops, read, written] = [0, 1, 2].map((kind) => this.model.costOf(node, kind));
    return this.section('Cost', h('dl', {}, [
      ['FLOPs', why ? `not counted: ${why}` : countText(flops)], ['bytes read', bytesText(read)], ['bytes written', bytesText(written)],
    ].map(([name, text]) => [h('dt', {}, name), h('dd', {}, visible(text))])));
  }

  section(title, ...content) {
    return h('section', {}, h('h3', {}, title), content);
  }

  heading(node) {
    const module = this.model.modulePath(node.module);
    return h('header', {},
      h('h2', { tabindex: -1 }, word(node.name, 300)),
      h('p', { class: 'op' }, word(node.kind === 'call' ? node.annotation.target : node.kind, 300), node.path ? [' ', word(node.path)] : null),
      module || node.run.path
        ? h('p', { class: 'note' }, node.run.path ? `in ${visible(node.run.label())} ` : '', module ? ['module ', word(module)] : null)
        : null);
  }

  findings(node) {
    if (!node.findings.length) return null;
    return this.section('Findings', node.findings.map((finding) => h('pre', { class: 'finding' }, visibleLines(finding.text))));
  }

  result(node) {
    const annotation = node.annotation;
    if (annotation.skipped !== undefined) {
      const cause = this.model.find(annotation.skipped, node.run.path, node.run.call);
      return this.section('Result', h('p', {}, 'skipped because of ', cause ? this.link(cause) : word(annotation.skipped)));
    }
    if (annotation.error) return node.findings.length ? null : this.section('Result', h('p', { class: 'finding' }, this.model.resultText(node)));
    return this.section('Result', this.value(node.value));
  }

  value(value) {
    if (isTensor(value)) return this.tensor(value);
    if (Array.isArray(value) && tensorsIn(value).length)
      return h('ol', { start: 0, class: 'values' }, value.slice(0, 40).map((item) => h('li', {}, isTensor(item) ? this.tensor(item) : valueText(item, this.model.symbols))));
    return h('p', { class: 'mono' }, word(valueText(value, this.model.symbols), 400));
  }

  tensor(tensor) {
    const { symbols } = this.model;
    const storage = this.model.storages[tensor.storage];
    const rows = [
      ['shape', dimsText(tensor.shape, symbols)], ['stride', dimsText(tensor.stride, symbols)],
      ['offset', symbols.text(tensor.storage_offset)], ['dtype', tensor.dtype], ['device', tensor.device],
      ['bytes', bytesText(tensorBytes(tensor, symbols)) || 'depends on data'],
      ['storage', storage ? `#${tensor.storage}, ${storageBytes(storage, symbols)}` : String(tensor.storage)],
      ['requires grad', tensor.requires_grad ? 'yes' : 'no'],
    ];
    if (tensor.layout !== 'strided') rows.push(['layout', tensor.layout]);
    if (tensor.value !== undefined) rows.push(['value', shortened(JSON.stringify(tensor.value), 200)]);
    return h('dl', {}, rows.map(([name, text]) => [h('dt', {}, name), h('dd', {}, visible(text))]));
  }

  python(node) {
    const frames = this.model.frames(node);
    if (!frames.length) return null;
    const line = this.model.headline(node);
    return this.section('Python',
      h('p', {}, word(`${line.file}:${line.line}`), line.fn ? [' in ', word(line.fn)] : null),
      line.source ? h('pre', { class: 'source' }, visibleLines(line.source)) : null,
      frames.length > 1 ? h('details', {}, h('summary', {}, `${frames.length} frames`), frames.map((frame) => this.frameOf(frame))) : null);
  }

  frameOf(frame) {
    return h('div', { class: 'frame' }, h('div', { class: 'note' }, visible(`${frame.file}:${frame.line} in ${frame.fn}`)),
      frame.source ? h('pre', { class: 'source' }, visibleLines(frame.source)) : null);
  }

  link(node) {
    const choose = (event) => {
      event.preventDefault();
      this.onChoose(node);
    };
    return h('a', { href: addressOf(node), onclick: choose }, '%', word(node.name, 80));
  }

  links(title, nodes) {
    if (!nodes.length) return null;
    const shown = nodes.slice(0, 60);
    return this.section(`${title} (${nodes.length})`,
      h('ul', { class: 'links' }, shown.map((node) => h('li', {}, this.link(node), ' ', h('span', { class: 'note mono' }, shortened(this.model.resultText(node), 60)))),
        nodes.length > shown.length ? h('li', {}, `and ${nodes.length - shown.length} more`) : null));
  }

  // Whose storage the value is on, and who writes to it.
  sharing(node) {
    const storages = new Set(tensorsIn(node.value).map((tensor) => tensor.storage));
    const holders = [...storages].flatMap((storage) => this.model.storages[storage]?.holders ?? []);
    const others = [...new Set(holders)].filter((holder) => holder !== node && holder.kind !== 'output');
    const writers = [...new Set(holders.flatMap((holder) => holder.users.filter((user) => user.written.includes(holder))))];
    const items = [];
    if (node.written.length) items.push(h('li', {}, 'writes to ', node.written.map((other) => [this.link(other), ' '])));
    if (others.length) items.push(h('li', {}, 'shares its storage with ', others.slice(0, 20).map((other) => [this.link(other), ' ']), others.length > 20 ? `and ${others.length - 20} more` : null));
    if (writers.length) items.push(h('li', {}, 'written in place by ', writers.slice(0, 20).map((other) => [this.link(other), ' '])));
    return items.length ? this.section('Aliasing', h('ul', { class: 'links' }, items)) : null;
  }

  conditions(node) {
    const guards = node.run.path ? [] : this.model.guardsByNode.get(node.name) ?? [];
    const made = Object.entries(node.annotation.unbacked_bindings ?? {});
    if (!guards.length && !made.length) return null;
    return this.section('Symbols and guards',
      h('ul', { class: 'links' }, made.map(([symbol, place]) => h('li', {}, 'makes the symbol ', h('code', {}, visible(symbol)), ` (${visible(place)})`)),
        guards.map((guard) => h('li', {}, guard.kind === 'assertion' ? 'is checked at run time: ' : 'holds only where ', h('code', {}, visible(guard.expr))))));
  }

  service(node) {
    const service = this.model.service(node);
    if (!service) return null;
    return this.section('Served by', h('p', {}, visible(service.by)), service.file ? h('p', { class: 'note' }, service.file) : null);
  }

  raw(node) {
    return this.section('Annotation', h('p', { class: 'mono' }, word(node.callText ? `%${node.name} = ${node.callText}` : node.name, 600)),
      h('details', {}, h('summary', {}, 'JSON'), h('pre', {}, visibleLines(JSON.stringify(node.annotation, null, 1)).slice(0, 20000))),
      h('button', { type: 'button', onclick: () => this.copy(node) }, 'Copy as JSON'));
  }

  async copy(node) {
    await copyText(JSON.stringify(node.annotation, null, 2));
    announce('the annotation is copied');
  }
}

const visibleLines = (text) => text.split('\n').map(visible).join('\n');

function storageBytes(storage, symbols) {
  const bytes = symbols.valueOf(storage.nbytes);
  return bytes === undefined ? `${storage.nbytes} bytes` : bytesText(bytes);
}
