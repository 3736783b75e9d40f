"""Hooks of mkdocs (mkdocs.yml): README.md is the first page, and links that leave docs/ become plain text."""

import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
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

    return LINK.sub(link, markdown)


def _relative(path, page):
    depth = page.file.src_uri.count("/")
    return "../" * depth + path.relative_to(ROOT / "docs").as_posix()
