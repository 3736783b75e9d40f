// Makes elements. Text becomes text nodes only: nothing in a graph is read as HTML.

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return element;
}

const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
const byId = (id) => document.getElementById(id);

// A text of a graph, as it can be read. A long one is whole in the title.
function word(text, length = 200) {
  const shown = shortened(text, length);
  return h('bdi', shown.endsWith('…') ? { title: visible(text) } : {}, shown);
}

async function copyText(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = h('textarea', {}, text);
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

// Says something to people and to screen readers.
function announce(text) {
  byId('status').textContent = text;
}
