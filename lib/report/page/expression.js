// Expressions over symbols, as annotations spell them: "2*batch + 1", "(s0//2)", "Max(1, Mod(s0, 4))". The functions are
// those of `fakeprop refine` (lib/symbolic). An integer is a BigInt, a float is a number, a condition is a boolean. An
// undefined value (a division by zero, more than 64 bits, an unknown symbol) is undefined.

const TOKEN = /\s*(?:(\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+|\.\d+(?:e[+-]?\d+)?)|(\d+)|([A-Za-z_]\w*(?:\.\w+)*)|(\*\*|\/\/|<=|>=|==|!=|[-+*\/%<>(),]))/y;

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (!match) throw new SyntaxError('not an expression: ' + text);
    if (match[1] !== undefined) tokens.push({ number: Number(match[1]) });
    else if (match[2] !== undefined) tokens.push({ number: BigInt(match[2]) });
    else if (match[3] !== undefined) tokens.push({ name: match[3] });
    else tokens.push({ sign: match[4] });
  }
  return tokens;
}

const COMPARISONS = { '<=': 'Le', '>=': 'Ge', '<': 'Lt', '>': 'Gt', '==': 'Eq', '!=': 'Ne' };
const PRODUCTS = { '*': 'Mul', '//': 'FloorDiv', '/': 'TrueDiv', '%': 'Mod' };
const CONSTANTS = { True: true, False: false, oo: Infinity, inf: Infinity, nan: NaN };

// Recursive descent. A node is {number}, {symbol} or {call, arguments}.
class ExpressionParser {
  constructor(text) {
    this.tokens = tokensOf(text);
    this.at = 0;
  }

  parse() {
    const expression = this.disjunction();
    if (this.at < this.tokens.length) throw new SyntaxError('not an expression');
    return expression;
  }

  acceptSign(...signs) {
    const token = this.tokens[this.at];
    if (!token || !signs.includes(token.sign)) return null;
    ++this.at;
    return token.sign;
  }

  acceptWord(word) {
    if (this.tokens[this.at]?.name !== word) return false;
    ++this.at;
    return true;
  }

  chain(word, call, part) {
    const parts = [part()];
    while (this.acceptWord(word)) parts.push(part());
    return parts.length === 1 ? parts[0] : { call, arguments: parts };
  }

  disjunction() {
    return this.chain('or', 'Or', () => this.chain('and', 'And', () => this.negation()));
  }

  negation() {
    return this.acceptWord('not') ? { call: 'Not', arguments: [this.negation()] } : this.comparison();
  }

  comparison() {
    const left = this.sum();
    const sign = this.acceptSign(...Object.keys(COMPARISONS));
    return sign ? { call: COMPARISONS[sign], arguments: [left, this.sum()] } : left;
  }

  sum() {
    let left = this.product();
    for (let sign; (sign = this.acceptSign('+', '-')); ) {
      const right = this.product();
      left = { call: 'Add', arguments: [left, sign === '-' ? negated(right) : right] };
    }
    return left;
  }

  product() {
    let left = this.factor();
    for (let sign; (sign = this.acceptSign('*', '//', '/', '%')); )
      left = { call: PRODUCTS[sign], arguments: [left, this.factor()] };
    return left;
  }

  factor() {
    if (this.acceptSign('-')) return negated(this.factor());
    if (this.acceptSign('+')) return this.factor();
    const base = this.atom();
    return this.acceptSign('**') ? { call: 'Pow', arguments: [base, this.factor()] } : base;
  }

  atom() {
    const token = this.tokens[this.at++];
    if (token?.number !== undefined) return { number: token.number };
    if (token?.sign === '(') return this.closed(this.disjunction());
    if (!token?.name) throw new SyntaxError('not an expression');
    if (this.acceptSign('(')) return { call: token.name, arguments: this.arguments() };
    return token.name in CONSTANTS ? { number: CONSTANTS[token.name] } : { symbol: token.name };
  }

  closed(expression) {
    if (!this.acceptSign(')')) throw new SyntaxError('a bracket is open');
    return expression;
  }

  arguments() {
    const items = [];
    if (this.acceptSign(')')) return items;
    do items.push(this.disjunction());
    while (this.acceptSign(','));
    this.closed(null);
    return items;
  }
}

const negated = (expression) => ({ call: 'Mul', arguments: [{ number: -1n }, expression] });

const isInteger = (value) => typeof value === 'bigint';
const toReal = (value) => Number(value);
const toInteger = (value) => (Number.isFinite(value) ? BigInt(value) : undefined);
const in64 = (value) => (BigInt.asIntN(64, value) === value ? value : undefined);

function fold(values, integers, reals) {
  if (values.every(isInteger)) return in64(values.reduce(integers));
  return values.map(toReal).reduce(reals);
}

function floorQuotient(a, b) {
  if (b === 0n) return undefined;
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function floorDivide(a, b) {
  if (isInteger(a) && isInteger(b)) {
    const quotient = floorQuotient(a, b);
    return quotient === undefined ? undefined : in64(quotient);
  }
  return toReal(b) === 0 ? undefined : Math.floor(toReal(a) / toReal(b));
}

function modulo(a, b) {
  if (!isInteger(a) || !isInteger(b)) return undefined;
  const quotient = floorQuotient(a, b);
  return quotient === undefined ? undefined : a - quotient * b;
}

function power(base, exponent) {
  if (!isInteger(base) || !isInteger(exponent) || exponent < 0n) return toReal(base) ** toReal(exponent);
  if (base >= -1n && base <= 1n) return base ** (exponent === 0n ? 0n : 2n - (exponent % 2n));
  return exponent > 64n ? undefined : in64(base ** exponent);
}

// To even, as Python rounds.
function roundToEven(value) {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

const rounding = (round) => (a) => (isInteger(a) ? a : toInteger(round(a)));
const realFunction = (apply) => (a) => apply(toReal(a));
const divide = (a, b) => (toReal(b) === 0 ? undefined : toReal(a) / toReal(b));
const ceilDivide = (a, b) => {
  const quotient = isInteger(a) && isInteger(b) ? floorQuotient(-a, b) : undefined;
  return quotient === undefined ? undefined : -quotient;
};

const FUNCTIONS = {
  Add: (...values) => fold(values, (a, b) => a + b, (a, b) => a + b),
  Mul: (...values) => fold(values, (a, b) => a * b, (a, b) => a * b),
  Max: (...values) => values.reduce((a, b) => (b > a ? b : a)),
  Min: (...values) => values.reduce((a, b) => (b < a ? b : a)),
  Pow: power,
  PowByNatural: power,
  FloatPow: (a, b) => toReal(a) ** toReal(b),
  FloorDiv: floorDivide,
  CleanDiv: floorDivide,
  CeilDiv: ceilDivide,
  Mod: modulo,
  PythonMod: modulo,
  ModularIndexing: (base, divisor, modulus) => {
    const quotient = floorDivide(base, divisor);
    return quotient === undefined ? undefined : modulo(quotient, modulus);
  },
  TrueDiv: divide,
  IntTrueDiv: divide,
  FloatTrueDiv: divide,
  ToFloat: realFunction((a) => a),
  TruncToInt: rounding(Math.trunc),
  FloorToInt: rounding(Math.floor),
  floor: rounding(Math.floor),
  CeilToInt: rounding(Math.ceil),
  ceiling: rounding(Math.ceil),
  RoundToInt: rounding(roundToEven),
  TruncToFloat: realFunction(Math.trunc),
  Identity: (a) => a,
  Where: (condition, a, b) => (condition ? a : b),
  Eq: (a, b) => a == b,
  Ne: (a, b) => a != b,
  Lt: (a, b) => a < b,
  Le: (a, b) => a <= b,
  Gt: (a, b) => a > b,
  Ge: (a, b) => a >= b,
  And: (...values) => values.every(Boolean),
  Or: (...values) => values.some(Boolean),
  Not: (a) => !a,
  Abs: realFunction(Math.abs),
};
for (const name of ['sqrt', 'exp', 'log', 'log2', 'log10', 'sin', 'cos', 'tan', 'tanh'])
  FUNCTIONS[name] = FUNCTIONS['OpaqueUnaryFn_' + name] = realFunction(Math[name]);

function evaluate(expression, values) {
  if (expression.number !== undefined) return expression.number;
  if (expression.symbol !== undefined) return values.get(expression.symbol);
  const apply = Object.hasOwn(FUNCTIONS, expression.call) ? FUNCTIONS[expression.call] : null;
  const items = expression.arguments.map((argument) => evaluate(argument, values));
  return !apply || items.includes(undefined) ? undefined : apply(...items);
}

const parsedExpressions = new Map();

// The tree of a text; null for a text that is no expression.
function parseExpression(text) {
  let parsed = parsedExpressions.get(text);
  if (parsed !== undefined) return parsed;
  try {
    parsed = new ExpressionParser(text).parse();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    parsed = null;
  }
  parsedExpressions.set(text, parsed);
  return parsed;
}

function symbolsOf(expression, found = new Set()) {
  if (expression?.symbol !== undefined) found.add(expression.symbol);
  for (const argument of expression?.arguments ?? []) symbolsOf(argument, found);
  return found;
}
