// The numbers that symbols have, and what expressions are at them.

class SymbolTable {
  // `symbols` and `guards` as in annotations; `least` has a number for each symbol, to count those that data decides.
  constructor(symbols, guards, least = {}) {
    this.infos = new Map(Object.entries(symbols).map(([name, info]) => [name, { name, ...info }]));
    this.guards = guards.map((guard) => ({ ...guard, parsed: parseExpression(guard.expr) }));
    this.listeners = [];
    this.showsNumbers = false;
    this.least = new Map(Object.entries(least).map(([name, value]) => [name, BigInt(value)]));
    this.reset();
  }

  names() {
    return [...this.infos.keys()];
  }

  // Every symbol takes its hint. One that depends on data has none, and so no number.
  reset() {
    this.chosen = new Map();
    this.update();
  }

  choose(name, value) {
    if (value === null) this.chosen.delete(name);
    else this.chosen.set(name, BigInt(value));
    this.update();
  }

  // Exactly these symbols have a number, and those to which guards then give one: as `fakeprop refine` has them.
  refine(values) {
    this.values = new Map(Object.entries(values).map(([name, value]) => [name, BigInt(value)]));
    this.derive(this.values);
    this.forget();
    return this.violation();
  }

  // The chosen numbers, those that follow from them by guards, and hints for the rest.
  update() {
    this.values = new Map(this.chosen);
    if (this.chosen.size) this.derive(this.values);
    for (const [name, info] of this.infos)
      if (!this.values.has(name) && info.hint !== undefined) this.values.set(name, BigInt(info.hint));
    this.forget();
    this.refused = this.violation();
    for (const listener of this.listeners) listener();
  }

  // An equality with one symbol that has no number gives it one.
  derive(values) {
    const equalities = this.guards.filter((guard) => guard.parsed?.call === 'Eq');
    for (let found = true; found; ) {
      found = false;
      for (const guard of equalities) {
        const open = [...symbolsOf(guard.parsed)].filter((name) => !values.has(name));
        if (open.length !== 1) continue;
        const value = solve(guard.parsed, open[0], values);
        if (value === undefined) continue;
        values.set(open[0], value);
        found = true;
      }
    }
  }

  // Why the annotations do not hold at these numbers; null if they do.
  violation() {
    for (const [name, value] of this.values) {
      const why = outOfRange(this.infos.get(name), value);
      if (why) return why;
    }
    for (const guard of this.guards)
      if (guard.parsed && evaluate(guard.parsed, this.values) === false)
        return `the guard ${guard.expr} of ${guard.node ? 'node ' + guard.node : 'the inputs'} does not hold`;
    return null;
  }

  // The value of an expression or number; undefined if a symbol in it has none.
  valueOf(dim) {
    if (typeof dim === 'number') return BigInt(dim);
    let value = this.memo.get(dim);
    if (value === undefined && !this.memo.has(dim)) {
      const parsed = parseExpression(dim);
      value = parsed ? evaluate(parsed, this.values) : undefined;
      this.memo.set(dim, value);
    }
    return value;
  }

  forget() {
    this.memo = new Map();
    this.amounts = new Map();
    this.counted = new Map([...this.least, ...this.values]);
  }

  // A symbol that has no number, since data decides it.
  hasOpen() {
    return [...this.infos.keys()].some((name) => !this.values.has(name));
  }

  // A number of bytes or operations, for sums; NaN if it leaves 64 bits. Symbols without a number count as their least one.
  amountOf(dim) {
    if (typeof dim === 'number') return dim;
    let amount = this.amounts.get(dim);
    if (amount === undefined) {
      const parsed = parseExpression(dim);
      amount = Number((parsed && evaluate(parsed, this.counted)) ?? NaN);
      this.amounts.set(dim, amount);
    }
    return amount;
  }

  // A size as it is shown: the expression, or its number if numbers are asked for and hold.
  text(dim) {
    if (typeof dim === 'number' || !this.showsNumbers || this.refused) return String(dim);
    const value = this.valueOf(dim);
    return value === undefined ? String(dim) : String(value);
  }
}

function outOfRange(info, value) {
  if (!info) return 'the annotations have no such symbol';
  const is = `${info.name} is ${value} but has to be `;
  if (info.min !== undefined && value < BigInt(info.min)) return is + `at least ${info.min}`;
  if (info.max !== undefined && value > BigInt(info.max)) return is + `at most ${info.max}`;
  if (info.multiple_of && value % BigInt(info.multiple_of) !== 0n) return is + `a multiple of ${info.multiple_of}`;
  return null;
}

// The number of `name` in an equality that is linear in it.
function solve(equality, name, values) {
  const [left, right] = equality.arguments.map((side) => linearIn(side, name, values));
  if (!left || !right) return undefined;
  const [slope, zero] = [left[0] - right[0], left[1] - right[1]];
  return slope === 0n || zero % slope !== 0n ? undefined : -zero / slope;
}

// [a, b] of an expression a*name + b; null for any other.
function linearIn(expression, name, values) {
  if (expression.symbol === name) return [1n, 0n];
  if (!symbolsOf(expression).has(name)) {
    const value = evaluate(expression, values);
    return isInteger(value) ? [0n, value] : null;
  }
  const parts = expression.arguments.map((argument) => linearIn(argument, name, values));
  if (parts.includes(null)) return null;
  if (expression.call === 'Add') return parts.reduce(([a, b], [c, d]) => [a + c, b + d]);
  if (expression.call !== 'Mul') return null;
  return parts.reduce((x, y) => (!x || !y || (x[0] !== 0n && y[0] !== 0n) ? null : [x[0] * y[1] + x[1] * y[0], x[1] * y[1]]));
}
