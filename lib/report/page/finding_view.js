// The findings, the first cause first.

class FindingView {
  constructor(model, onChoose) {
    this.list = byId('finding-list');
    byId('tab-findings').append(model.findings.length ? ` (${model.findings.length})` : '');
    const items = model.findings.map((finding) => this.item(finding, onChoose));
    this.list.replaceChildren(...(items.length ? items : [h('p', {}, 'There are no findings.')]));
  }

  item(finding, onChoose) {
    const choose = () => onChoose(finding.target);
    return h('article', { class: 'finding-item' },
      h('h3', {}, `${finding.severity} ${finding.code} `, finding.target ? h('button', { type: 'button', onclick: choose }, 'Show %', word(finding.node, 60)) : null),
      h('pre', { class: 'finding' }, visibleLines(finding.text)));
  }
}
