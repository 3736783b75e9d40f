// With `fakeprop serve` the page comes from a server: its inputs can be edited, and it shows the file as it is now.

const POLL = 1000;  // ms

class ServeView {
  constructor() {
    this.isServed = location.protocol === 'http:';
    byId('tab-inputs').hidden = !this.isServed;
    if (!this.isServed) return;
    const parameters = new URLSearchParams(location.search);
    this.token = parameters.get('token') ?? '';
    this.graph = parameters.get('graph') ?? '0';
    this.editor = byId('spec');
    byId('apply').addEventListener('click', () => this.apply());
    this.editor.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.apply();
    });
    this.load();
    this.watch();
  }

  ask(path, options = {}) {
    return fetch(`${path}?graph=${encodeURIComponent(this.graph)}`, { ...options, headers: { 'X-Fakeprop-Token': this.token } });
  }

  async load() {
    this.editor.value = await (await this.ask('/spec')).text();
    this.version = (await (await this.ask('/state')).json()).version;
  }

  async apply() {
    const answer = await this.ask('/spec', { method: 'POST', body: this.editor.value });
    const trouble = answer.ok ? '' : await answer.text();
    this.say(trouble);
    if (answer.ok) location.reload();
  }

  say(trouble) {
    byId('trouble').textContent = visibleLines(trouble);
    byId('trouble').hidden = !trouble;
  }

  // Loads the page again when the file has changed. Edits that were not applied stay.
  async watch() {
    try {
      const state = await (await this.ask('/state')).json();
      if (state.trouble) this.say(state.trouble);
      if (this.version !== undefined && state.version !== this.version && !state.trouble) location.reload();
    } catch {
      announce('the server has ended');
    }
    setTimeout(() => this.watch(), POLL);
  }
}
