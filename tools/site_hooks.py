"""Hooks of mkdocs (mkdocs.yml): README.md is the first page, links that leave docs/ become plain text, and what stands between
the comments `tabs` and `end of tabs` becomes tabs, one for each line in bold."""

import pathlib
import re
import textwrap

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABS = re.compile(r"<!-- tabs -->\n(.*?)<!-- end of tabs -->\n", re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)")


def on_files(files, config):
    files.append(File.generated(config, "index.md", content=(ROOT / "README.md").read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = ROOT if page.file.src_uri == "index.md" else (ROOT / "docs" / page.file.src_uri).parent

    def link(match):
        text, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path = (folder / target).resolve()
        if not path.exists():
            raise FileNotFoundError(f"{page.file.src_uri}: a link to {target}, which is not there")
        if not path.is_relative_to(ROOT / "docs"):
            return text
        return f"[{text}]({_relative(path, page)}{anchor})" if path.is_file() else text

    return LINK.sub(link, TABS.sub(_tabs, markdown))


def _tabs(match):
    parts = re.split(r"^\*\*(.+)\*\*\n", match[1], flags=re.MULTILINE)[1:]
    return "".join(f'=== "{title}"\n{textwrap.indent(text, "    ")}' for title, text in zip(parts[::2], parts[1::2]))


def _relative(path, page):
    depth = page.file.src_uri.count("/")
    return "../" * depth + path.relative_to(ROOT / "docs").as_posix()
