// A slider for each symbol.

const MOST_SLIDER = 4096;

class SymbolView {
  constructor(symbols) {
    this.symbols = symbols;
    this.frame = byId('symbols');
    this.frame.hidden = symbols.infos.size === 0;
    this.rows = [...symbols.infos.values()].map((info) => this.rowOf(info));
    this.refusal = h('p', { class: 'finding', role: 'alert' });
    this.numbers = h('input', { type: 'checkbox', id: 'numbers', onchange: () => this.showNumbers(this.numbers.checked) });
    byId('symbol-rows').append(
      h('p', { class: 'row' }, h('label', {}, this.numbers, ' numbers instead of expressions'),
        h('button', { type: 'button', onclick: () => this.reset() }, 'Reset')),
      ...this.rows.map((row) => row.element), this.refusal);
    byId('symbol-count').textContent = counted(symbols.infos.size, 'symbol') + ', ' + counted(symbols.guards.length, 'guard');
    symbols.listeners.unshift(() => this.redraw());
    this.redraw();
  }

  rowOf(info) {
    const low = info.min ?? 0;
    const high = Math.max(low, Math.min(info.max ?? Infinity, Math.max(MOST_SLIDER, 4 * (info.hint ?? 0))));
    const step = info.multiple_of ?? 1;
    const label = visible(info.name);
    const slider = h('input', { type: 'range', min: Math.ceil(low / step) * step, max: high, step, 'aria-label': label, oninput: () => this.set(info, slider.value) });
    const number = h('input', { type: 'number', min: info.min, max: info.max, step, 'aria-label': `${label}, number`, onchange: () => this.set(info, number.value) });
    const range = `${info.min ?? '…'} to ${info.max ?? '…'}${step > 1 ? `, multiples of ${step}` : ''}`;
    const element = h('div', { class: 'symbol' }, h('div', { class: 'row' }, h('code', {}, word(info.name, 30)), slider, number),
      h('div', { class: 'note' }, range, info.source ? ` · ${visible(info.source)}` : '', info.kind === 'unbacked' ? ' · data decides' : ''));
    return { info, slider, number, element };
  }

  set(info, text) {
    const value = /^-?\d+$/.test(text) ? BigInt(text) : null;
    this.numbers.checked = this.symbols.showsNumbers = true;
    this.symbols.choose(info.name, value);
  }

  showNumbers(on) {
    this.symbols.showsNumbers = on;
    this.symbols.update();
  }

  reset() {
    this.numbers.checked = this.symbols.showsNumbers = false;
    this.symbols.reset();
  }

  redraw() {
    for (const { info, slider, number } of this.rows) {
      const value = this.symbols.values.get(info.name);
      if (value !== undefined) slider.value = String(value);
      number.value = value === undefined ? '' : String(value);
    }
    this.refusal.textContent = this.symbols.refused ? `Not for these sizes: ${visible(this.symbols.refused)}` : '';
  }
}
