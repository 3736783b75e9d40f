// A table of many rows: only those in sight, and some around them, are in the document.

const MORE_ROWS = 10;

class RowWindow {
  // Rows have `height` pixels and are in the table body `body` within the scrolling `frame`. `rowOf(i)` makes one.
  constructor(frame, body, height, columns, rowOf) {
    Object.assign(this, { frame, body, height, columns, rowOf, count: 0 });
    frame.addEventListener('scroll', () => this.draw());
  }

  // Draws again, also where the same rows are in sight.
  reset(count) {
    this.count = count;
    this.drawn = null;
    this.draw();
  }

  draw() {
    const height = this.frame.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.frame.scrollTop / this.height) - MORE_ROWS);
    const last = Math.min(this.count, first + Math.ceil(height / this.height) + 2 * MORE_ROWS);
    const drawn = `${first}-${last}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const rows = [];
    for (let i = first; i < last; ++i) rows.push(this.rowOf(i));
    this.body.replaceChildren(this.space(first), ...rows, this.space(this.count - last));
    this.body.closest('table').setAttribute('aria-rowcount', String(this.count + 1));
  }

  // Takes the place of rows that are not in sight.
  space(count) {
    const row = h('tr', { class: 'space', 'aria-hidden': 'true' }, h('td', { colspan: this.columns }));
    row.firstChild.style.height = `${count * this.height}px`;
    return row;
  }

  scrollTo(i) {
    const top = i * this.height;
    const height = this.frame.clientHeight - 2 * this.height;
    if (top < this.frame.scrollTop || top > this.frame.scrollTop + height) this.frame.scrollTop = Math.max(0, top - height / 2);
  }
}
