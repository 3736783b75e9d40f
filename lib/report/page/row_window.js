// A table of many rows: only those in sight, and some around them, are in the document.

const MORE_ROWS = 10;
const MOST_PRINTED = 2000;

class RowWindow {
  // Rows have `height` pixels and are in the table body `body` within the scrolling `frame`. `rowOf(i)` makes one.
  constructor(frame, body, height, columns, rowOf) {
    Object.assign(this, { frame, body, height, columns, rowOf, count: 0, sought: null });
    frame.addEventListener('scroll', () => this.draw());
    addEventListener('beforeprint', () => this.drawRows(0, Math.min(this.count, MOST_PRINTED)));
    addEventListener('afterprint', () => this.reset(this.count));
  }

  // Draws again, also where the same rows are in sight.
  reset(count) {
    this.count = count;
    this.drawn = null;
    this.draw();
  }

  // Where the table is hidden nothing is drawn: its view draws when it opens.
  draw() {
    if (this.frame.closest('section').hidden) return;
    const height = this.frame.clientHeight;
    const top = this.topIn(height);
    const first = Math.max(0, Math.floor(top / this.height) - MORE_ROWS);
    const last = Math.min(this.count, first + Math.ceil(height / this.height) + 2 * MORE_ROWS);
    const drawn = `${first}-${last}`;
    if (drawn !== this.drawn) this.drawRows(first, last);
    this.drawn = drawn;
    if (top !== this.frame.scrollTop) this.frame.scrollTop = top;
  }

  drawRows(first, last) {
    const rows = [];
    for (let i = first; i < last; ++i) rows.push(this.rowOf(i));
    this.body.replaceChildren(this.space(first), ...rows, this.space(this.count - last));
    this.body.closest('table').setAttribute('aria-rowcount', String(this.count + 1));
  }

  // Where the frame is to stand: at the row that is sought, if that is not in sight, else where it is.
  topIn(height) {
    const top = this.sought * this.height;
    const now = this.frame.scrollTop;
    const isInSight = this.sought === null || (top >= now && top <= now + height - 2 * this.height);
    this.sought = null;
    return isInSight ? now : Math.max(0, top - Math.floor(height / 2 / this.height) * this.height);
  }

  // Takes the place of rows that are not in sight.
  space(count) {
    const row = h('tr', { class: 'space', 'aria-hidden': 'true' }, h('td', { colspan: this.columns }));
    row.firstChild.style.height = `${count * this.height}px`;
    return row;
  }

  // The next drawing brings this row into sight.
  seek(i) {
    this.sought = i;
  }
}
