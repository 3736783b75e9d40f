// Values as text.

const SHORT_DTYPES = {
  float64: 'f64', float32: 'f32', float16: 'f16', bfloat16: 'bf16', int64: 'i64', int32: 'i32', int16: 'i16', int8: 'i8',
  uint8: 'u8', uint16: 'u16', uint32: 'u32', uint64: 'u64', bool: 'b8', complex64: 'c64', complex128: 'c128', complex32: 'c32',
};
const ITEM_BYTES = {
  float64: 8, float32: 4, float16: 2, bfloat16: 2, int64: 8, int32: 4, int16: 2, int8: 1, uint8: 1, uint16: 2, uint32: 4,
  uint64: 8, bool: 1, complex32: 4, complex64: 8, complex128: 16, qint8: 1, quint8: 1, qint32: 4,
};

// Control characters and marks that change the direction of text show as their codes, so that text reads as it is.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
function visible(text) {
  return String(text).replace(HIDDEN, (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

// At most `length` characters, for places with little room.
function shortened(text, length) {
  const shown = visible(text);
  return shown.length <= length ? shown : shown.slice(0, length - 1) + '…';
}

const TOO_LARGE = 'more than 64 bits';
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
function bytesText(bytes) {
  if (bytes === undefined) return '';
  if (Number.isNaN(bytes)) return TOO_LARGE;
  let scaled = Number(bytes);
  let unit = 0;
  for (; scaled >= 1024 && unit < UNITS.length - 1; ++unit) scaled /= 1024;
  return (unit ? scaled.toFixed(1) : String(scaled)) + ' ' + UNITS[unit];
}

const PREFIXES = ['', ' K', ' M', ' G', ' T', ' P', ' E'];
function countText(count) {
  if (count === undefined) return '';
  if (Number.isNaN(count)) return TOO_LARGE;
  let scaled = Number(count);
  let prefix = 0;
  for (; scaled >= 1000 && prefix < PREFIXES.length - 1; ++prefix) scaled /= 1000;
  return (prefix ? scaled.toPrecision(3) : String(scaled)) + PREFIXES[prefix];
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const isTensor = (value) => value?.type === 'tensor';
const isSymbolic = (value) => value?.type === 'symint' || value?.type === 'symfloat' || value?.type === 'symbool';

function dimsText(dims, symbols) {
  return '[' + dims.map((dim) => symbols.text(dim)).join(', ') + ']';
}

function tensorText(tensor, symbols) {
  return (SHORT_DTYPES[tensor.dtype] ?? tensor.dtype) + dimsText(tensor.shape, symbols);
}

// One line for any value of annotations.
function valueText(value, symbols, depth = 0) {
  if (value === null || value === undefined) return 'None';
  if (isTensor(value)) return tensorText(value, symbols);
  if (isSymbolic(value)) return symbols.text(value.expr);
  if (Array.isArray(value)) return listText(value, symbols, depth);
  if (typeof value === 'object') return objectText(value);
  return visible(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

function listText(items, symbols, depth) {
  if (depth > 2) return `(${items.length} values)`;
  const shown = items.slice(0, 4).map((item) => valueText(item, symbols, depth + 1));
  return '(' + shown.join(', ') + (items.length > 4 ? `, … ${items.length} values` : '') + ')';
}

function objectText(value) {
  if (value.type === 'dict') return `dict of ${value.items.length}`;
  return visible(value.value ?? value.name ?? value.class ?? value.type);
}

// Bytes of a tensor's elements at the current numbers; undefined if a size has no number.
function tensorBytes(tensor, symbols) {
  let count = BigInt(ITEM_BYTES[tensor.dtype] ?? 1);
  for (const dim of tensor.shape) {
    const size = symbols.valueOf(dim);
    if (size === undefined) return undefined;
    count *= size;
  }
  return Number(count);
}

function tensorsIn(value, found = []) {
  if (isTensor(value)) found.push(value);
  else if (Array.isArray(value)) for (const item of value) tensorsIn(item, found);
  else if (value?.type === 'dict') for (const [key, item] of value.items) tensorsIn([key, item], found);
  return found;
}
