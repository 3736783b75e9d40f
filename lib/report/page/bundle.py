#!/usr/bin/env python3
"""Puts the page together and prints it as a C++ header.

    bundle.py PAGE.html STYLE.css SCRIPT.js... > page_text.h

In the page @STYLE@, @SCRIPT@ and @POLICY@ are filled here. The policy allows exactly this script and this style, by their
hashes. @CONNECT@ in it, what the page may connect to, @TITLE@ and @DATA@ part the page into the texts of the header.
"""
import base64
import hashlib
import sys

PIECE = 12000  # bytes of one literal; compilers need not take longer ones than 65536


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def page(html, style, scripts):
    script = "\n".join(scripts)
    assert "</script" not in script.lower() and "</style" not in style.lower()
    policy = f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; img-src data:; connect-src @CONNECT@; base-uri 'none'; form-action 'none'"
    return html.replace("@POLICY@", policy).replace("@STYLE@", style).replace("@SCRIPT@", script)


def literal(text):
    data = text.encode()
    pieces = [data[i : i + PIECE] for i in range(0, len(data), PIECE)]
    return "\n".join('    "' + "".join(map(escape, piece)) + '"' for piece in pieces) or '    ""'


def escape(byte):
    if byte in b'"\\':
        return "\\" + chr(byte)
    if byte == 10:
        return "\\n"
    # A trigraph begins with two question marks.
    return chr(byte) if 32 <= byte < 127 and byte != ord("?") else f"\\{byte:03o}"


def header(text):
    before_policy, _, rest = text.partition("@CONNECT@")
    before_title, _, rest = rest.partition("@TITLE@")
    before_data, _, after_data = rest.partition("@DATA@")
    lines = ["// The page of a report. Written by the build from lib/report/page.", "#pragma once", "", "#include <string_view>", "",
             "namespace fakeprop {", ""]
    for name, part in ("BeforeConnect", before_policy), ("BeforeTitle", before_title), ("BeforeData", before_data), ("AfterData", after_data):
        lines += [f"inline constexpr std::string_view kPage{name} =", literal(part) + ";", ""]
    return "\n".join(lines + ["}  // namespace fakeprop"])


def main():
    html, style, *scripts = map(read, sys.argv[1:])
    # Names of our own scripts stay within one function; a library keeps its own.
    library, own = [s for s in scripts if "use strict" in s[:20]], [s for s in scripts if "use strict" not in s[:20]]
    print(header(page(html, style, library + ["(() => {\n'use strict';\n" + "\n".join(own) + "\n})();\n"])))


if __name__ == "__main__":
    main()
