// With `fakeprop serve` the page comes from a server: its inputs can be edited, and it shows the file as it is now.

const POLL = 1000;  // ms
const SERVER_GONE = 'The server does not answer any more. The page shows what was last.';

class ServeView {
  constructor() {
    this.isServed = location.protocol === 'http:';
    byId('tab-inputs').hidden = !this.isServed;
    if (!this.isServed) return;
    const parameters = new URLSearchParams(location.search);
    this.token = parameters.get('token') ?? '';
    this.graph = parameters.get('graph') ?? '0';
    this.editor = byId('spec');
    this.draft = 'spec of ' + this.graph;  // edits that were not applied, which stay when the page loads again
    byId('apply').addEventListener('click', () => this.apply());
    byId('discard').addEventListener('click', () => this.discard());
    this.editor.addEventListener('input', () => sessionStorage.setItem(this.draft, this.editor.value));
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
    try {
      this.version = (await (await this.ask('/state')).json()).version;
      this.editor.value = sessionStorage.getItem(this.draft) ?? (await (await this.ask('/spec')).text());
    } catch {
      this.notice(SERVER_GONE);
    }
  }

  async apply() {
    try {
      const answer = await this.ask('/spec', { method: 'POST', body: this.editor.value });
      if (!answer.ok) return this.say(await answer.text());
      sessionStorage.removeItem(this.draft);
      location.reload();
    } catch {
      this.notice(SERVER_GONE);
    }
  }

  async discard() {
    sessionStorage.removeItem(this.draft);
    this.say('');
    await this.load();
  }

  // Why a spec or a file cannot be used.
  say(trouble) {
    byId('trouble').textContent = visibleLines(trouble);
    byId('trouble').hidden = !trouble;
  }

  // Above every view.
  notice(text) {
    if (byId('notice').textContent === text) return;
    byId('notice').textContent = text;
    byId('notice').hidden = !text;
  }

  // Loads the page again when a file has changed. If it cannot be read, the page says so and stays.
  async watch() {
    try {
      const state = await (await this.ask('/state')).json();
      if (state.trouble && state.trouble !== this.trouble) this.say(state.trouble);
      this.trouble = state.trouble;
      this.notice(state.trouble ? `The page shows what was before: ${shortened(state.trouble.split('\n')[0], 300)}` : '');
      if (this.version !== undefined && state.version !== this.version && !state.trouble) location.reload();
    } catch {
      this.notice(SERVER_GONE);
    }
    setTimeout(() => this.watch(), POLL);
  }
}
