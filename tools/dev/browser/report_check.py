#!/usr/bin/env python3
"""Opens pages of `fakeprop report` in headless Chromium and checks them: loading, search, clicks, folding, sliders, memory,
cost, comparison, dark mode, keys, print, small windows, contrast, hostile names, no error on the console, no request to any
network. Writes the screenshots of docs/report.md with --screenshots.

    pip install playwright; apt-get install chromium; npm install axe-core
    bazel build //:fakeprop
    tools/dev/browser/report_check.py [--axe node_modules/axe-core/axe.min.js] [--screenshots] [--refine GRAPH...] [--large]

--axe: also axe-core's rules for WCAG 2.1 A and AA, on every view, light and dark.
--refine: at 50 random points for each of these graphs, the numbers of the page are those of `fakeprop refine`; at some of
them the peak of memory and the sums of cost are those of `fakeprop memory` and `fakeprop cost`.
--large [GRAPH...]: graphs of 20,000 and 200,000 nodes and these, with the times to open, click and search: as they passed,
and as the page's thread worked. On a busy machine the first are longer; the limits are only printed, not checked.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[3]
FAKEPROP = pathlib.Path(os.environ.get("FAKEPROP", ROOT / "bazel-bin/tools/fakeprop"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
TABS = ("graph", "table", "memory", "cost", "compare", "findings")
HOSTILE = ["</script><script>globalThis.pwned = 1</script>", "\"'><img src=x onerror='globalThis.pwned = 1'>", "x" * 10000,
           "abc\u202edef\u2066ghi", "javascript:globalThis.pwned=1", "__proto__", "constructor", "%s &amp; \\u0000 {{7*7}}", "a\nb\tc"]


def run(*arguments):
    return subprocess.run([FAKEPROP, *map(str, arguments)], capture_output=True, text=True, check=False)


def make_report(graph, folder, *options):
    page = pathlib.Path(folder) / (pathlib.Path(graph).name.replace(".", "_") + f"_{len(list(pathlib.Path(folder).iterdir()))}.html")
    ran = run("report", graph, "-q", "-o", page, *options)
    assert ran.returncode in (0, 1) and page.exists(), ran.stderr
    return page


class Session:
    """A browser, and what went wrong in its pages."""

    def __init__(self, browser):
        self.context = browser.new_context(viewport={"width": 1400, "height": 900}, offline=True)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.troubles = []

    def open(self, path, address="", scheme="light"):
        page = self.context.new_page()
        page.emulate_media(color_scheme=scheme)
        page.on("console", lambda message: message.type in ("error", "warning") and self.troubles.append(f"console: {message.text[:300]}"))
        page.on("pageerror", lambda error: self.troubles.append(f"error: {str(error)[:300]}"))
        page.on("request", lambda request: request.url.startswith(("file:", "data:", "blob:")) or self.troubles.append(f"request: {request.url}"))
        start = time.time()
        page.goto(f"file://{path}{address}")
        page.wait_for_selector("body[data-ready]", timeout=60000)
        page.opened_in = time.time() - start
        return page


CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def name_of_node(page):
    return page.eval_on_selector("#node h2", "e => e.textContent")


def wait_until(page, condition):
    """Playwright's own wait evaluates text in the page, which the page's policy forbids."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {condition}")


def tabs_of(page):
    return [tab for tab in TABS if page.is_visible("#tab-" + tab)]


def boxes(page):
    return page.locator("#graph .box").count()


@check
def loads_and_folds(session, folder):
    page = session.open(make_report(ROOT / "graphs/resnet_small/graph.json", folder))
    expect("nodes" in page.inner_text("#summary"), "no summary")
    page.click("button:text-is('Fold')")
    closed = boxes(page)
    page.locator("#graph .box.group.closed .title").first.click()
    expect(boxes(page) > closed, "a click on a module does not unfold it")
    page.locator("#graph .box.group.open > .title").last.click(position={"x": 5, "y": 5}, force=True)
    expect(boxes(page) == closed, "a second click does not fold it")
    page.click("button:text-is('Unfold')")
    expect(boxes(page) > closed + 10, "unfolding shows nothing more")
    page.locator("#graph .box.node").nth(3).click()
    expect(name_of_node(page), "a click on a node shows no page")
    expect("#node=" in page.url, "the address does not name the node")


@check
def searches(session, folder):
    page = session.open(make_report(ROOT / "graphs/resnet_small/graph.json", folder))
    page.keyboard.press("/")
    page.keyboard.type("op:conv")
    expect(page.locator("#found li[role=option]").count() > 2, "conv is not found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect("conv" in name_of_node(page), "Enter does not show what was found")
    page.fill("#search", "shape:[2,")
    expect(page.locator("#found li[role=option]").count() > 0, "a shape is not found")
    page.fill("#search", "no such node anywhere")
    expect("no node" in page.inner_text("#found"), "nothing is said where nothing is found")


IN_SIGHT = """(() => {
  const [row, frame] = ['#rows tr.chosen', '#table-frame'].map((e) => document.querySelector(e).getBoundingClientRect());
  return row.top >= frame.top + row.height && row.bottom <= frame.bottom;
})()"""


@check
def table_sorts_filters_copies(session, folder):
    page = session.open(make_report(ROOT / "graphs/resnet_small/graph.json", folder))
    page.click("#tab-table")
    page.click("#head button:has-text('bytes')")
    page.click("#head button:has-text('bytes')")
    sizes = page.evaluate("fakeprop.page.table.rows.map(n => fakeprop.model.bytes(n) ?? -1)")
    expect(sizes == sorted(sizes, reverse=True) and len(sizes) > 10, "bytes are not sorted")
    page.fill("#search", "op:relu")
    page.click("#copy")
    rows = json.loads(page.evaluate("navigator.clipboard.readText()"))
    expect(rows and all("relu" in row["op"] for row in rows), "the copy is not what the table shows")
    page.click("#rows tr[data-row] >> nth=0")
    expect("relu" in name_of_node(page), "a click on a row does not show its node")
    # What is chosen elsewhere is in sight when the table opens, and after each key.
    page.fill("#search", "")
    page.click("#head button:has-text('bytes')")
    page.click("#tab-graph")
    page.evaluate("fakeprop.page.choose(fakeprop.model.nodes.at(-2))")
    page.click("#tab-table")
    expect(page.locator("#rows tr.chosen").count() == 1 and page.evaluate(IN_SIGHT), "the chosen row is not in sight")
    page.focus("#table-frame")
    for key in 5 * ["PageUp"] + 3 * ["PageDown"]:
        page.keyboard.press(key)
        expect(page.evaluate(IN_SIGHT), f"the chosen row is not in sight after {key}")


@check
def memory_over_time(session, folder):
    page = session.open(make_report(ROOT / "graphs/resnet_small/graph.json", folder))
    page.click("#tab-memory")
    expect("Peak" in page.inner_text("#memory-summary"), "no peak")
    view = "fakeprop.page.memory"
    expect(page.evaluate(f"Math.max(...{view}.totals) === {view}.totals[{view}.peak]"), "the peak is not the greatest sum")
    page.locator("#timeline").click(position={"x": 500, "y": 100})
    step = page.evaluate(f"{view}.step")
    expect(step > 0 and page.locator("#alive tr").count() > 3, "a click does not show what is alive")
    page.focus("#timeline")
    page.keyboard.press("p")
    expect(page.evaluate(f"{view}.step === {view}.peak"), "p does not go to the peak")
    before = page.evaluate(f"{view}.totals[{view}.peak]")
    page.click("#memory-held")
    expect(page.evaluate(f"{view}.totals[{view}.peak]") < before, "parameters cannot be left out")
    page.click("#alive a >> nth=0")
    expect(name_of_node(page), "a holder is no link")


@check
def memory_blocks(session, folder):
    """A click on a block shows who holds it and until when; the peak is that of `fakeprop memory`."""
    for graph in ("resnet_small", "decoder_lm"):
        path = ROOT / f"graphs/{graph}/graph.json"
        page = session.open(make_report(path, folder))
        page.click("#tab-memory")
        peak = json.loads(run("memory", path, "--format", "json", "-q").stdout)["peak"]
        shown = page.evaluate(MEASURED)
        expect((shown["peak"], shown["node"]) == (peak["bytes"], peak["node"]), f"{graph}: the peak is {shown}, not {peak['bytes']} at {peak['node']}")
        page.evaluate("[...document.querySelectorAll('.memory-block')].at(-1).dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: 400}))")
        expect(page.is_visible("#block") and page.locator("#block a").count() > 0, "a click on a block does not show its holder")
        expect("until after" in page.inner_text("#block") or "all the time" in page.inner_text("#block"), "nothing says until when")
        expect(page.locator(".memory-block.chosen").count() == 1, "the block is not marked")
        # Of the rows: temporaries have an end.
        expect("until after" in page.inner_text("#alive"), "no row says until when")


# The bytes of the parameters of each module.
HELD = """(() => {
  const { cost, tree } = fakeprop.page;
  const field = cost.fields.findIndex(({ name }) => name === 'bytes of parameters');
  const held = {};
  for (const group of tree.groups)
    if (group.note !== 'neighbours' && group.note !== 'subgraph') held[group.path] = (held[group.path] ?? 0) + cost.sums.get(group)[field];
  return held;
})()"""


@check
def cost_of_modules(session, folder):
    graph = ROOT / "graphs/decoder_lm/graph.json"
    page = session.open(make_report(graph, folder))
    page.click("#tab-cost")
    cost = json.loads(run("cost", graph, "--format", "json", "-q").stdout)
    shown = page.evaluate(MEASURED)
    expect(shown["flops"] == cost["flops"] and shown["moved"] == cost["bytes_read"] + cost["bytes_written"], f"{shown} is not {cost['flops']}")
    for field in ("bytes moved", "bytes of results", "bytes of parameters", "nodes", "FLOPs"):
        page.select_option("#cost-field", field)
        expect(field in page.inner_text("#cost-summary") and page.locator("#icicle .block").count() > 5, f"no icicle of {field}")
    tree = json.loads(run("show", graph, "--tree", "--depth", "9", "--format", "json", "-q").stdout)["modules"]
    held = page.evaluate(HELD)
    expect({path: held.get(path) for path in held} == {module["module"]: module["parameter_bytes"] for module in tree if module["module"] in held} and len(held) > 10,
           f"parameters are {held}, not those of `show --tree`")
    rows = page.locator("#cost-rows tr").count()
    expect(rows > 3 and page.locator("#cost-head th").count() == 6, "no sums side by side")
    page.click("#cost-rows tr:nth-child(2) button")
    expect(page.is_enabled("#cost-up"), "a row does not open its module")
    page.click("#cost-up")
    expect(page.locator("#cost-rows tr").count() == rows, "Up does not go back")


@check
def warnings_in_place(session, folder):
    """What lint warns of shows at its node, in the list and in the groups around it."""
    for graph in (ROOT / "graphs/unet/graph.json", ROOT / "testdata/cli/graphs/autocast_parts.json"):
        page = session.open(make_report(graph, folder))
        shown = page.evaluate("fakeprop.model.findings.map((finding) => [finding.severity, finding.code])")
        found = json.loads(run("lint", graph, "--format", "json", "-q", "--no-config").stdout)["findings"]
        expect(sorted(code for _, code in shown) == sorted(finding["code"] for finding in found), f"lint finds {found}, the page {shown}")
        expect([severity for severity, _ in shown] == sorted(severity for severity, _ in shown), "errors do not come first")
    page = session.open(make_report(ROOT / "graphs/unet/graph.json", folder))
    expect(page.is_visible("#view-graph") and "⚠ 1" in page.inner_text("#graph"), "no group says that there is a warning in it")
    page.click("#tab-findings")
    page.click("#finding-list button >> nth=0")
    expect("FP8" in page.inner_text("#node"), "the node does not show its warning")


@check
def compares(session, folder):
    graphs = ROOT / "testdata/cli/graphs"
    page = session.open(make_report(graphs / "small_edited.json", folder, "--compare", graphs / "small.json"))
    expect(page.is_visible("#view-compare"), "the page does not open with what changed")
    diff = json.loads(run("diff", graphs / "small.json", graphs / "small_edited.json", "--format", "json", "-q").stdout)
    shown = page.evaluate("fakeprop.model.comparison.rows.filter((row) => row.kind !== 'same').map((row) => [row.kind, (row.to ?? row.from).name])")
    expect([name for kind, name in shown if kind == "added"] == diff["added"], "other nodes are new than for diff")
    expect([name for kind, name in shown if kind == "removed"] == diff["removed"], "other nodes are gone than for diff")
    expect({name for kind, name in shown if kind == "changed"} == {change["node"] for change in diff["changed"]}, "other nodes changed than for diff")
    changed = page.locator("#compare-rows tr.changed", has_text="aten.zeros")
    expect(changed.locator("mark").all_inner_texts() == ["[3]", "[4]"], f"the shapes are not marked: {changed.inner_text()}")
    changed.click()
    expect(name_of_node(page) == "zeros" and "shape" in page.inner_text("#node table.changes"), "the node does not say what changed")
    page.locator("#compare-rows tr.removed").click()
    expect("is gone" in page.inner_text("#node"), "a node that is gone has no page")
    page.focus("#compare-frame")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#compare-rows tr.chosen").count() == 1, "arrow keys do not go through the changes")
    page.check("#compare-all")
    expect(page.locator("#compare-rows tr[data-row]").count() == 15, "not all nodes stand side by side")
    page.click("#tab-graph")
    expect(page.locator("#graph .box.changed").count() == 3, "changes are not marked in the picture")
    same = session.open(make_report(graphs / "small.json", folder, "--compare", graphs / "small.json"))
    expect("nothing changed" in same.inner_text("#compare-summary") or same.is_hidden("#view-compare"), "the same graph differs")


@check
def deep_links(session, folder):
    path = make_report(ROOT / "graphs/resnet_small/graph.json", folder)
    page = session.open(path, "#node=relu_")
    expect(name_of_node(page) == "relu_", "the address is not followed")
    expect(page.locator("#graph .box.node.chosen").count() == 1, "the node is not marked")
    page.click("#node .links a >> nth=0")
    other = name_of_node(page)
    expect(other != "relu", "a link does not lead anywhere")
    page.go_back()
    wait_until(page, "document.querySelector('#node h2').textContent === 'relu_'")


@check
def keys(session, folder):
    page = session.open(make_report(ROOT / "graphs/resnet_small/graph.json", folder))
    page.focus("#graph")
    page.keyboard.press("ArrowDown")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    scale = page.evaluate("fakeprop.page.graph.scale")
    page.keyboard.press("+")
    expect(page.evaluate("fakeprop.page.graph.scale") > scale, "+ does not zoom")
    page.evaluate("fakeprop.page.graph.choose(fakeprop.page.tree.groups.find(g => !g.isOpen))")
    page.keyboard.press("Enter")
    expect(page.evaluate("fakeprop.page.graph.chosen.isOpen"), "Enter does not unfold")
    page.keyboard.press("t")
    expect(page.is_visible("#view-table"), "t does not open the table")
    page.focus("#tab-table")
    page.keyboard.press("ArrowLeft")
    expect(page.is_visible("#view-graph"), "arrow keys do not go through the tabs")


@check
def hostile_names(session, folder):
    nodes = [{"name": "x", "op": "placeholder", "target": "x"}]
    for i, name in enumerate(HOSTILE):
        stack = ";".join(f"{part},{part},{part}" for part in [name.replace(",", "").replace(";", "")])
        nodes.append({"name": name, "op": "call_function", "target": "torch.ops.aten.relu.default", "args": [{"node": nodes[-1]["name"]}],
                      "meta": {"nn_module_stack": stack, "stack_trace": f'  File "{name[:50]}.py", line {i + 1}, in f\n    {name[:200]}\n'}})
    nodes.append({"name": "output", "op": "output", "target": "output", "args": [{"node": nodes[-1]["name"]}]})
    graph = pathlib.Path(folder) / "<img src=x onerror=globalThis.pwned=1>.json"
    graph.write_text(json.dumps({"format": "fakeprop.fx/1", "nodes": nodes}))
    # Beside a graph without the last of them, so that one is new.
    other = pathlib.Path(folder) / "<b>other.json"
    other.write_text(json.dumps({"format": "fakeprop.fx/1", "nodes": nodes[:-2] + [{**nodes[-1], "args": nodes[-2]["args"]}]}))
    path = make_report(graph, folder, "--input", "x=2x3:float32", "--compare", other)
    page = session.open(path)
    page.check("#compare-all")
    page.click("#tab-graph")
    page.click("button:text-is('Unfold')")
    for index in range(len(nodes)):
        page.evaluate(f"fakeprop.page.choose(fakeprop.model.nodes[{index}])")
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"node {index} widens the page")
    for tab in tabs_of(page):
        page.click("#tab-" + tab)
    page.fill("#search", "<script")
    page.wait_for_timeout(300)
    expect(page.evaluate("globalThis.pwned === undefined"), "a name was run")
    expect(page.evaluate("document.images.length") == 0, "a name became an element")
    expect(page.evaluate("!document.body.textContent.includes('\u202e')"), "a mark of direction is in the text")


@check
def sliders(session, folder):
    graph, spec = ROOT / "testdata/cli/graphs/product.json", ROOT / "testdata/cli/graphs/product_spec.json"
    page = session.open(make_report(graph, folder, "--inputs", spec), "#node=mm")
    expect("[batch, width]" in page.inner_text("#node"), "no expressions")
    number = page.locator("#symbol-rows input[type=number]").first
    number.fill("3")
    number.press("Enter")
    wait_until(page, "document.querySelector('#node').textContent.includes('[3, 16]')")
    number.fill("65")
    number.press("Enter")
    expect("at most 64" in page.inner_text("#symbol-rows"), "a number that is too large is not refused")
    wait_until(page, "document.querySelector('#node').textContent.includes('[batch, width]')")
    page.click("text=Reset")
    page.locator("#symbol-rows input[type=range]").nth(1).fill("20")
    wait_until(page, "document.querySelector('#node').textContent.includes('[8, 20]')")
    expect(page.evaluate("fakeprop.model.symbols.values.get('height')") == 20, "a guard does not give the symbol that follows")


@check
def findings(session, folder):
    page = session.open(make_report(ROOT / "testdata/cli/graphs/mismatch.json", folder))
    expect(page.is_visible("#view-findings") and "FP3001" in page.inner_text("#finding-list"), "findings do not show first")
    page.click("#finding-list button >> nth=0")
    expect(name_of_node(page) == "mm" and "FP3001" in page.inner_text("#node"), "the node does not show its finding")
    page.click("#tab-graph")
    expect(page.locator("#graph .box.error").count() == 1, "the node is not marked")


# Contrast of texts as they are drawn, against the nearest ground that is not transparent (WCAG 2.1, 1.4.3).
CONTRAST = """() => {
  const parse = (c) => (c.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) {
      const rect = e.matches?.('.box') ? getComputedStyle(e.querySelector(':scope > rect')).fill : null;
      for (const c of [rect, getComputedStyle(e).backgroundColor]) if (c && parse(c).length >= 3 && parse(c)[3] !== 0) return parse(c);
    } return [255, 255, 255]; };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !e.checkVisibility() || e.closest('#status, option')) continue;
    const style = getComputedStyle(e);
    const color = parse(e.namespaceURI.endsWith('svg') ? style.fill : style.color);
    const [a, b] = [luminance(color), luminance(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.push(`${e.tagName}.${e.className.baseVal ?? e.className} ${((a + 0.05) / (b + 0.05)).toFixed(2)} ${e.textContent.slice(0, 30)}`);
  }
  return [...new Set(bad)];
}"""


@check
def contrast_in_both_themes(session, folder):
    path = make_report(ROOT / "testdata/cli/graphs/mismatch.json", folder)
    for scheme in ("light", "dark"):
        page = session.open(path, "#node=mm", scheme)
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
        expect(dark == (scheme == "dark"), f"{scheme} is not followed")
        for tab in tabs_of(page):
            page.click("#tab-" + tab)
            low = page.evaluate(CONTRAST)
            expect(not low, f"{scheme}, {tab}: {low[:5]}")
        page.click("#theme")
        expect((page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)") != dark, "the button changes nothing")


def axe_finds(session, folder, axe):
    """What axe-core finds, by rule: over the views, light and dark, with a node chosen."""
    graphs = ROOT / "testdata/cli/graphs"
    pages = [(graphs / "small_edited.json", ("--compare", graphs / "small.json")), (graphs / "mismatch.json", ()),
             (graphs / "product.json", ("--inputs", graphs / "product_spec.json")), (ROOT / "graphs/decoder_lm/graph.json", ())]
    found = {}
    for graph, options in pages:
        path = make_report(graph, folder, *options)
        for scheme in ("light", "dark"):
            page = session.open(path, "", scheme)
            page.evaluate(axe + "; 0")
            page.evaluate("fakeprop.page.choose(fakeprop.model.nodes.find((node) => node.kind === 'call'))")
            for tab in tabs_of(page):
                page.click("#tab-" + tab)
                result = page.evaluate("axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })")
                for violation in result["violations"]:
                    found.setdefault(violation["id"], []).append(f"{graph.name}, {scheme}, {tab}: {violation['nodes'][0]['html'][:160]}")
            page.close()
    return found


# No two boxes of the picture overlap but where one is in the other, and no text is wider than its box.
OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('#graph .box')];
  const rects = boxes.map((e) => e.querySelector(':scope > rect').getBoundingClientRect());
  const bad = [];
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const isWithin = (a, b) => a.left > b.left - 1 && a.right < b.right + 1 && a.top > b.top - 1 && a.bottom < b.bottom + 1;
  const nameOf = (e) => e.querySelector(':scope > text').textContent;
  rects.forEach((a, i) => rects.slice(i + 1).forEach((b, j) => {
    const other = boxes[i + 1 + j];
    const isFine = boxes[i].contains(other) ? isWithin(b, a) : !meet(a, b);
    if (!isFine) bad.push(nameOf(boxes[i]) + ' | ' + nameOf(other));
  }));
  boxes.forEach((e, i) => e.querySelectorAll(':scope > text').forEach((t) => t.getBoundingClientRect().width > rects[i].width + 1 && bad.push('wide: ' + t.textContent)));
  return bad;
}"""


# Every edge of the picture begins and ends at the border of a box.
LOOSE_ENDS = """() => {
  const bad = [];
  for (const group of fakeprop.page.tree.groups.filter((each) => each.layout)) {
    for (const { ends, points } of group.layout.edges) {
      [points[0], points[points.length - 1]].forEach((p, i) => {
        const { x, y, width, height } = ends[i];
        const [dx, dy] = [Math.abs(p.x - x - width / 2) - width / 2, Math.abs(p.y - y - height / 2) - height / 2];
        if (Math.abs(Math.max(dx, dy)) > 1) bad.push(`${group.label}: ${dx} ${dy}`);
      });
    }
  }
  return bad;
}"""


# No block of the icicle covers another one.
COVERED = """() => {
  const rects = [...document.querySelectorAll('#icicle .block')].map((e) => e.getBoundingClientRect());
  const meet = (a, b) => a.left < b.right - 1.5 && b.left < a.right - 1.5 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  return rects.flatMap((a, i) => rects.slice(i + 1).filter((b) => meet(a, b)).map((b) => `${a.left} ${a.width} | ${b.left} ${b.width}`));
}"""


@check
def nothing_overlaps(session, folder):
    for graph in ("resnet_small", "decoder_lm"):
        page = session.open(make_report(ROOT / f"graphs/{graph}/graph.json", folder))
        page.click("button:text-is('Unfold')")
        overlaps = page.evaluate(OVERLAPS)
        expect(not overlaps, f"{graph}: {overlaps[:5]}")
        page.click("button:text-is('Fold')")
        for at in range(0, 100, 7):
            page.evaluate(f"fakeprop.page.choose(fakeprop.model.nodes[Math.floor({at} * fakeprop.model.nodes.length / 100)])")
            overlaps = page.evaluate(OVERLAPS)
            expect(not overlaps, f"{graph}, node at {at} %: {overlaps[:5]}")
            loose = page.evaluate(LOOSE_ENDS)
            expect(not loose, f"{graph}, node at {at} %: edges end nowhere: {loose[:5]}")
        page.click("#tab-cost")
        overlaps = page.evaluate(COVERED)
        expect(not overlaps, f"{graph}, cost: {overlaps[:5]}")


# The details of the chosen node are in the window.
BESIDE = """(() => {
  const { height, bottom, right } = document.querySelector('#side').getBoundingClientRect();
  return height > 100 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
})()"""


@check
def small_windows(session, folder):
    graphs = ROOT / "testdata/cli/graphs"
    path = make_report(graphs / "small_edited.json", folder, "--compare", graphs / "small.json")
    for width, height in ((1024, 600), (700, 600), (400, 700)):
        page = session.open(path)
        page.set_viewport_size({"width": width, "height": height})
        for tab in tabs_of(page):
            page.click("#tab-" + tab)
            expect(page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{width}: {tab} is wider than the window")
            expect(page.evaluate("document.querySelector('main > section:not([hidden])').getBoundingClientRect().height > 100"), f"{width}: {tab} has no room")
            page.evaluate("fakeprop.page.choose(fakeprop.model.nodes.at(-2))")
            expect(page.evaluate(BESIDE), f"{width}: {tab} leaves no room for the details")
            expect(tab != "table" or page.evaluate(IN_SIGHT), f"{width}: the chosen row is not in sight")
            cut = page.evaluate("[...document.querySelectorAll('#tabs button:not([hidden]), #theme, #search')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.id)")
            expect(not cut, f"{width}: {tab}: {cut} is cut")


@check
def prints(session, folder):
    page = session.open(make_report(ROOT / "graphs/resnet_small/graph.json", folder), "#node=relu_", "dark")
    page.emulate_media(media="print")
    expect(page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)", "paper is not white")
    expect(not page.is_visible("#search"), "the search box is printed")
    expect(len(page.pdf()) > 5000, "nothing is printed")
    # Of a table all rows are printed, not those in sight alone.
    page.emulate_media(media="screen")
    page.click("#tab-table")
    shown = page.locator("#rows tr[data-row]").count()
    page.evaluate("addEventListener('beforeprint', () => (globalThis.printed = document.querySelectorAll('#rows tr[data-row]').length))")
    page.pdf()
    rows = page.evaluate("[fakeprop.page.table.rows.length, globalThis.printed]")
    expect(rows[0] == rows[1] > shown, f"{rows[1]} of {rows[0]} rows are printed")
    expect(page.locator("#rows tr[data-row]").count() == shown, "all rows stay drawn")


@check
def serves(session, folder):
    """The page from a server: another spec, a wrong spec, a file that changes, goes and comes back, an end of the server.
    Other pages get nothing (local_server_test)."""
    graph = pathlib.Path(folder) / "served.json"
    graph.write_text((ROOT / "testdata/cli/graphs/small.json").read_text())
    with subprocess.Popen([FAKEPROP, "serve", graph], stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().split()[0]
            own = url[: url.index("/?")]
            context = session.context.browser.new_context()
            page = context.new_page()
            page.on("request", lambda request: request.url.startswith((own, "data:")) or session.troubles.append(f"request: {request.url}"))
            page.on("pageerror", lambda error: session.troubles.append(f"error: {str(error)[:300]}"))
            page.goto(url)
            page.wait_for_selector("body[data-ready]")
            page.click("#tab-inputs")
            wait_until(page, "document.querySelector('#spec').value.includes('fakeprop.inputs/1')")
            spec = json.loads(page.input_value("#spec"))
            spec["inputs"]["x"]["shape"] = [5, 7]
            page.fill("#spec", json.dumps(spec))
            start = time.time()
            with page.expect_navigation():
                page.click("#apply")
            page.wait_for_selector("body[data-ready]")
            print(f"     a new spec shows after {time.time() - start:.2f} s")
            expect(page.evaluate("fakeprop.model.find('mul').value.shape[0]") == 5, "the spec is not used")
            expect(page.is_visible("#view-inputs"), "the page does not open where it was")
            page.fill("#spec", "{")
            page.click("#apply")
            page.wait_for_selector("#trouble:visible")
            expect("error[" in page.inner_text("#trouble"), "a wrong spec is not told")
            changed = json.loads(graph.read_text())
            page.wait_for_timeout(1100)
            with page.expect_navigation(timeout=8000):
                graph.write_text(json.dumps(changed))
            wait_until(page, "document.querySelector('#spec').value === '{'")  # an edit that was not applied
            page.click("#discard")
            wait_until(page, "document.querySelector('#spec').value.includes('[5, 7]')")
            page.click("#tab-graph")
            graph.unlink()
            page.wait_for_selector("#notice:visible")
            expect("no such file" in page.inner_text("#notice") and page.is_visible("#graph .box"), "a file that is gone is not told, or takes the page along")
            with page.expect_navigation(timeout=8000):
                graph.write_text(json.dumps(changed))
            page.wait_for_selector("body[data-ready]")
            expect(page.is_hidden("#notice"), "a file that is back is not noticed")
            server.terminate()
            wait_until(page, "document.querySelector('#notice').textContent.includes('does not answer')")
            context.close()
        finally:
            server.terminate()


def refined_values(annotations):
    """Every value with sizes, in the order of the file."""
    nodes = list(annotations["nodes"])
    for subgraph in annotations.get("subgraphs", {}).values():
        nodes += subgraph["nodes"]
        for call in subgraph.get("calls", {}).values():
            nodes += call["nodes"]
    return [node.get("meta", {}).get("val") for node in nodes], [storage["nbytes"] for storage in annotations["storages"]]


MEASURED = """(() => {
  const { memory, cost } = fakeprop.page;
  memory.redraw();
  cost.sums = null;
  cost.sum();
  const [flops, moved] = cost.sums.get(cost.tree.root);
  return { peak: memory.totals[memory.peak], node: memory.nodes[memory.peak]?.name ?? null, flops, moved };
})()"""


EVALUATE = """(point) => {
  const { symbols, annotations } = fakeprop.model;
  const refusal = symbols.refine(point);
  if (refusal) return { refusal };
  const plain = (value) => typeof value === 'bigint' ? Number(value) : value;
  const dim = (d) => { const v = symbols.valueOf(d); return v === undefined ? null : plain(v); };
  const value = (v) => {
    if (v === null || typeof v !== 'object') return v;
    if (Array.isArray(v)) return v.map(value);
    if (v.type === 'tensor') return { ...v, shape: v.shape.map(dim), stride: v.stride.map(dim), storage_offset: dim(v.storage_offset) };
    if (v.type === 'symint' || v.type === 'symfloat' || v.type === 'symbool') return dim(v.expr);
    return v.type === 'dict' ? { ...v, items: value(v.items) } : v;
  };
  const values = fakeprop.model.nodes.map((node) => value(node.value ?? null));
  return { values, storages: annotations.storages.map((s) => dim(s.nbytes)) };
}"""


def random_point(symbols, generator):
    """Each symbol within its range; half of the time near its hint, where guards tend to hold."""
    point = {}
    for name, info in symbols.items():
        if info.get("kind") == "unbacked" or name.startswith("zuf"):
            continue
        step = info.get("multiple_of", 1)
        low = max(info.get("min", 0), 0)
        high = min(info.get("max", 10**6), max(4 * info.get("hint", 64), 300))
        center = info.get("hint", low)
        value = generator.randint(low, max(low, high)) if generator.random() < 0.5 else center + generator.randint(-3, 6)
        point[name] = max(low, value // step * step if value // step * step >= low else -(-low // step) * step)
    return point


def same(mine, theirs):
    if isinstance(theirs, float) and isinstance(mine, (int, float)):
        return mine == theirs or abs(mine - theirs) <= 1e-12 * abs(theirs)
    if isinstance(theirs, list):
        return isinstance(mine, list) and len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(theirs, dict):
        if theirs.get("type") in ("symint", "symfloat", "symbool"):
            return mine is None  # it depends on data, and the page shows the expression
        return isinstance(mine, dict) and mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in theirs)
    if isinstance(theirs, str) and mine is None:
        return True
    return mine == theirs


def compare_measures(page, graph, point):
    """Peak and sums at the sliders are those of the commands."""
    if page.evaluate("!fakeprop.model.details.memory"):
        return
    sets = [f"--set={name}={value}" for name, value in point.items()]
    memory, cost = (run(command, graph, "--format", "json", "-q", *sets) for command in ("memory", "cost"))
    if memory.returncode != 0 or cost.returncode != 0:
        return
    page.evaluate("(point) => { const { symbols } = fakeprop.model; symbols.chosen = new Map(Object.entries(point).map(([name, value]) => [name, BigInt(value)])); symbols.update(); }", point)
    shown = page.evaluate(MEASURED)
    peak, total = json.loads(memory.stdout)["peak"], json.loads(cost.stdout)
    bytes_at = peak.get("at_point", peak["bytes"])
    expect((shown["peak"], shown["node"]) == (bytes_at, peak["node"]), f"{graph} at {point}: peak {shown}, not {bytes_at} at {peak['node']}")
    if isinstance(total["flops"], int):
        expect(same(shown["flops"], float(total["flops"])), f"{graph} at {point}: {shown['flops']} FLOPs, not {total['flops']}")
    if isinstance(total["bytes_read"], int) and isinstance(total["bytes_written"], int):
        moved = total["bytes_read"] + total["bytes_written"]
        expect(same(shown["moved"], float(moved)), f"{graph} at {point}: {shown['moved']} bytes moved, not {moved}")


def compare_with_refine(session, graph, folder, points):
    """How many points agree: with numbers, and as refusals."""
    written = pathlib.Path(folder) / "annotations.json"
    run(graph, "-q", "-o", written, "--keep-going")
    annotations = json.loads(written.read_text())
    if not annotations["symbols"]:
        return None
    page = session.open(make_report(graph, folder))
    generator = random.Random(str(graph))
    agreed = refused = 0
    for number in range(points):
        point = random_point(annotations["symbols"], generator)
        ran = run("refine", written, "-q", *[f"--set={name}={value}" for name, value in point.items()])
        mine = page.evaluate(EVALUATE, point)
        if ran.returncode == 1 and not ran.stdout:
            expect("refusal" in mine, f"{graph} at {point}: refine refuses: {ran.stderr[:200]}")
            refused += 1
            continue
        expect("refusal" not in mine, f"{graph} at {point}: the page refuses: {mine.get('refusal')}")
        values, storages = refined_values(json.loads(ran.stdout))
        expect(same(mine["storages"], storages), f"{graph} at {point}: storages differ")
        for index, (a, b) in enumerate(zip(mine["values"], values, strict=True)):
            expect(same(a, b), f"{graph} at {point}: node {index}: {a} is not {b}")
        agreed += 1
        if number % 10 == 0:
            compare_measures(page, graph, point)
    page.close()
    return agreed, refused


def generated(count):
    """An FX graph of this many nodes, in blocks of ten in layers of forty blocks."""
    targets = ["mm.default", "relu.default", "view.default", "add.Tensor"]
    nodes = [{"name": "x", "op": "placeholder", "target": "x"}, {"name": "w", "op": "get_attr", "target": "weight"}]
    while len(nodes) < count - 1:
        i = len(nodes) - 2
        block, layer = i // 10, i // 400
        before = {"node": nodes[-1]["name"] if i else "x"}
        extra = [{"node": "w"}] if i % 4 == 0 else [] if i % 4 == 1 else [[64, 64]] if i % 4 == 2 else [before]
        stack = f"layers,layers,torch.nn.ModuleList;l{layer},layers.{layer},net.Layer;b{block},layers.{layer}.block{block},net.Block"
        nodes.append({"name": f"n{i}", "op": "call_function", "target": "torch.ops.aten." + targets[i % 4], "args": [before, *extra],
                      "meta": {"nn_module_stack": stack, "stack_trace": f'  File "net.py", line {i % 10 + 7}, in forward\n    x = step_{i % 10}(x)\n'}})
    nodes.append({"name": "output", "op": "output", "target": "output", "args": [{"node": nodes[-1]["name"]}]})
    return {"format": "fakeprop.fx/1", "nodes": nodes, "attributes": {"weight": {"shape": [64, 64], "dtype": "float32"}}}


def generated_file(folder, count):
    graph = pathlib.Path(folder) / f"generated_{count}.json"
    graph.write_text(json.dumps(generated(count)))
    return graph


# What a user does, as a script of the page.
ACTS = {
    "unfold a module": "document.querySelector('#graph .box.group.closed .title').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    "click on a node": "fakeprop.page.choose(fakeprop.model.nodes.find((node) => node.kind === 'call'), { keepView: true })",
    "search": "{ const box = document.querySelector('#search'); box.value = 'relu n19'; box.dispatchEvent(new Event('input')); }",
    "table": "document.querySelector('#tab-table').click()",
    "search beside the table": "{ const box = document.querySelector('#search'); box.value = 'f32'; box.dispatchEvent(new Event('input')); }",
    "sort": "fakeprop.page.table.sortBy(fakeprop.columns[1])",
    "sort by bytes": "fakeprop.page.table.sortBy(fakeprop.columns[5])",
    "click on a row": "document.querySelector('#rows [data-row]').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
    "memory": "document.querySelector('#tab-memory').click()",
    "modules": "document.querySelector('#tab-cost').click()",
}
JUMPS = (0.1, 0.5, 0.9, 0.3, 0.77, 0.99, 0.05, 0.66)


class Stopwatch:
    """Times acts in a page: as they passed until the next frame, and as its thread worked."""

    def __init__(self, page):
        self.page = page
        self.protocol = page.context.new_cdp_session(page)
        self.protocol.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked(self):
        return next(m["value"] for m in self.protocol.send("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")

    def time(self, act):
        self.page.wait_for_timeout(100)
        before = self.worked()
        passed = self.page.evaluate("new Promise((done) => { const start = performance.now(); " + act
                                    + "; requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0)); })")
        return passed, 1000 * (self.worked() - before)


def measure(session, folder, graph, *options):
    annotations = pathlib.Path(folder) / (graph.name + ".annotations")
    run(graph, "-q", "-o", annotations, *options)
    path = make_report(graph, folder, *options)
    page = session.open(path)
    watch = Stopwatch(page)
    nodes = page.evaluate("fakeprop.model.nodes.length")
    page.wait_for_timeout(2000)
    page.evaluate("fakeprop.page.graph.fold()")
    times = {what: watch.time(act) for what, act in ACTS.items()}
    page.click("#tab-graph")
    jumps = [watch.time(f"fakeprop.page.choose(fakeprop.model.nodes[Math.floor({at} * {nodes})])") for at in JUMPS]
    times["jump to a node (slowest of 8)"] = max(passed for passed, _ in jumps), max(worked for _, worked in jumps)
    if page.evaluate("fakeprop.model.symbols.infos.size > 0"):
        times["another size"] = watch.time("{ const slider = document.querySelector('#symbol-rows input[type=range]'); slider.stepUp(); slider.dispatchEvent(new Event('input')); }")
    share = path.stat().st_size / annotations.stat().st_size
    print(f"{graph.name}, {nodes} nodes: open {page.opened_in:.2f} s; file {share:.2f} of the annotations")
    for what, (passed, worked) in times.items():
        print(f"     {what}: {passed:.0f} ms, its thread worked {worked:.0f} ms")
    page.close()


def screenshots(session, folder):
    images = ROOT / "docs/images"
    images.mkdir(exist_ok=True)
    def shot(page, name):
        page.wait_for_timeout(200)
        page.screenshot(path=images / f"report_{name}.png")
    page = session.open(make_report(ROOT / "graphs/decoder_lm/graph.json", folder))
    page.evaluate("fakeprop.page.choose(fakeprop.model.nodes.find((node) => node.op.includes('scaled_dot') || node.op.includes('softmax')) ?? fakeprop.model.nodes[40])")
    shot(page, "graph")
    for tab, name in ("table", "table"), ("cost", "modules"), ("memory", "memory"):
        page.click("#tab-" + tab)
        if tab == "memory":
            box = page.locator(".memory-block").last.bounding_box()
            page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] - 6)
            page.mouse.move(0, 0)
        shot(page, name)
    graphs = ROOT / "testdata/cli/graphs"
    page = session.open(make_report(graphs / "small_edited.json", folder, "--compare", graphs / "small.json"))
    page.locator("#compare-rows tr.changed").first.click()
    shot(page, "compare")
    page = session.open(make_report(ROOT / "testdata/cli/graphs/mismatch.json", folder), "#node=mm", "dark")
    page.click("#tab-graph")
    shot(page, "dark")


def counted(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--screenshots", action="store_true")
    parser.add_argument("--axe", type=pathlib.Path)
    parser.add_argument("--large", nargs="*")
    parser.add_argument("--refine", nargs="*", default=[])
    parser.add_argument("--points", type=int, default=50)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    failed = 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=FLAGS)
        with contextlib.closing(browser):
            for function in [f for f in CHECKS if options.only in f.__name__]:
                session = Session(browser)
                try:
                    function(session, folder)
                    expect(not session.troubles, str(session.troubles[:5]))
                    print("ok  ", function.__name__)
                except Exception as error:  # one check that fails does not hide the others
                    failed += 1
                    print("FAIL", function.__name__, str(error)[:600])
                session.context.close()
            session = Session(browser)
            total = [0, 0, 0]
            for graph in options.refine:
                result = compare_with_refine(session, graph, folder, options.points)
                if result:
                    total = [total[0] + 1, total[1] + result[0], total[2] + result[1]]
                    print(f"ok   {graph}: {result[0]} points have the same numbers, {result[1]} are refused by both")
            if options.refine:
                print(f"{total[0]} dynamic graphs, {total[1]} points with the same numbers, {total[2]} refused by both")
            if options.axe:
                found = axe_finds(session, folder, options.axe.read_text())
                failed += len(found)
                for rule, places in found.items():
                    print("FAIL axe", rule, len(places), "times, first", places[0])
                print("axe-core:", counted(len(found), "rule"), "broken")
            if options.large is not None:
                for count in (20000, 200000):
                    measure(session, folder, generated_file(folder, count), "--input", "x=64x64:float32")
                for graph in options.large:
                    measure(session, folder, pathlib.Path(graph))
            if options.screenshots:
                screenshots(session, folder)
            expect(not session.troubles, str(session.troubles[:5]))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
