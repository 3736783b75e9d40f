// Starts the page: reads the data, makes the views, and keeps them and the address together.

const VIEWS = ['graph', 'table', 'memory', 'cost', 'compare', 'inputs', 'findings'];

class Page {
  constructor(model) {
    this.model = model;
    this.tree = new GroupTree(model);
    const choose = (node, options) => this.choose(node, options);
    this.graph = new GraphView(model, this.tree, choose);
    this.table = new TableView(model, choose);
    this.memory = new MemoryView(model, choose);
    this.cost = new CostView(model, this.tree, choose);
    this.compare = new CompareView(model, (row) => this.chooseRow(row));
    this.node = new NodeView(model, choose);
    this.index = new SearchIndex(model);
    this.search = new SearchBox(this.index, (found) => this.table.show(found), choose);
    this.symbols = new SymbolView(model.symbols);
    this.findings = new FindingView(model, choose);
    this.serve = new ServeView();
    this.start();
  }

  start() {
    this.summarize();
    for (const view of VIEWS) byId('tab-' + view).addEventListener('click', () => this.openView(view));
    byId('tabs').addEventListener('keydown', (event) => this.onTabKey(event));
    byId('theme').addEventListener('click', switchTheme);
    document.addEventListener('keydown', (event) => this.onKey(event));
    addEventListener('hashchange', () => this.follow());
    addEventListener('resize', () => this.drawView());
    this.model.symbols.listeners.push(() => this.redraw());
    this.graph.draw();
    this.graph.fit();
    this.table.show(this.model.nodes);
    this.openView(this.firstView());
    this.follow();
    this.index.buildWhenIdle();
  }

  // Where there is no other wish: what changed, else what is wrong, else the picture.
  firstView() {
    if (location.hash) return this.lastView();
    if (this.compare.changes?.length) return 'compare';
    return this.model.findings.some((finding) => finding.severity === 'error') ? 'findings' : this.lastView();
  }

  // A node of the comparison. One that is gone has no place in the picture.
  chooseRow(row) {
    if (row.to) this.choose(row.to, { keepView: false });
    else this.node.showRemoved(row);
  }

  summarize() {
    const { graph, generator } = this.model.annotations;
    byId('name').replaceChildren(word(graph.source, 80));
    const errors = this.model.nodes.filter((node) => node.annotation.error).length;
    byId('summary').textContent = [graph.kind, counted(this.model.nodes.length, 'node'),
      errors ? counted(errors, 'error') : null, `fakeprop ${generator.fakeprop}, torch ${generator.torch}`].filter(Boolean).join(' · ');
  }

  // Shows a node everywhere. With keepView the picture does not move.
  choose(node, { keepView = false } = {}) {
    this.node.show(node);
    byId('side').scrollTop = 0;
    if (!node.isState) {
      if (keepView) this.graph.choose(node);
      else this.graph.show(node);
    }
    if (keepView) this.table.choose(node);
    else this.table.scrollTo(node);
    this.address = addressOf(node);
    if (location.hash !== this.address) history.pushState(null, '', this.address);
    announce(`${visible(node.name)}: ${this.model.resultText(node)}`);
  }

  // Goes where the address points.
  follow() {
    if (!location.hash || location.hash === this.address) return;
    const node = nodeAt(location.hash, this.model);
    if (node) this.choose(node);
    else byId('node').replaceChildren(h('p', { class: 'hint' }, 'The address names no node of this graph.'));
  }

  openView(view) {
    for (const each of VIEWS) {
      const isOpen = each === view;
      byId('tab-' + each).setAttribute('aria-selected', String(isOpen));
      byId('tab-' + each).tabIndex = isOpen ? 0 : -1;
      byId('view-' + each).hidden = !isOpen;
    }
    this.view = view;
    if (this.serve.isServed) sessionStorage.setItem('view', view);
    this.drawView();
  }

  // A page that a server sends again opens where it was.
  lastView() {
    const last = this.serve.isServed ? sessionStorage.getItem('view') : null;
    return VIEWS.includes(last) && !byId('tab-' + last).hidden ? last : 'graph';
  }

  drawView() {
    const views = { table: this.table, memory: this.memory, cost: this.cost, compare: this.compare };
    views[this.view]?.draw();
  }

  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      for (const group of this.tree.groups) group.layout = group.folded = null;
      this.graph.draw();
      this.table.draw();
      this.compare.draw();
      this.node.redraw();
      this.memory.redraw();
      this.cost.redraw();
    });
  }

  onTabKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = VIEWS.filter((view) => !byId('tab-' + view).hidden);
    const view = shown[(shown.indexOf(this.view ?? 'graph') + step + shown.length) % shown.length];
    this.openView(view);
    byId('tab-' + view).focus();
  }

  onKey(event) {
    const isTyping = event.target.closest('input, textarea');
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const views = { g: 'graph', t: 'table', m: 'memory', c: 'cost', d: 'compare', i: 'inputs', f: 'findings' };
    if (event.key === '/') byId('search').focus();
    else if (views[event.key] && !byId('tab-' + views[event.key]).hidden) this.openView(views[event.key]);
    else return;
    event.preventDefault();
  }
}

// Light, dark, as the system says.
function switchTheme() {
  const root = document.documentElement;
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const now = root.dataset.theme ?? (dark ? 'dark' : 'light');
  root.dataset.theme = now === 'dark' ? 'light' : 'dark';
  announce(`${root.dataset.theme} colours`);
}

async function start() {
  try {
    const data = await readData(byId('data'));
    const page = new Page(new Model(data));
    // For tests and scripts: the model, and what `fakeprop refine` would give.
    globalThis.fakeprop = { model: page.model, page, columns: COLUMNS };
    document.body.dataset.ready = '';
  } catch (error) {
    byId('summary').textContent = 'This page could not be shown: ' + error.message;
    throw error;
  }
}

start();
