"""The outline of a C++ file: its functions, its classes, its tables and its includes.

It reads tokens and matches brackets, which is enough for code that clang-format has laid out; it is no parser. What a
brace opens is told from the tokens before it, back to the end of the statement before.
"""
import bisect
import dataclasses
import re

_TOKEN = re.compile(
    r'''(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\s\\]*)\(.*?\)(?P=delimiter)")
      | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')
      | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<number>\.?\d(?:'?[\w.])*)
      | (?P<sign>::|->|\S)''',
    re.VERBOSE | re.DOTALL | re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
_KEYWORDS = """auto bool break case catch char class const constexpr continue default delete do double else enum false float for
    if int long namespace new noexcept nullptr operator return short signed sizeof static std struct switch template this
    throw true try typename unsigned using void while""".split()
_VARIABLE = re.compile(rf"(?!(?:{'|'.join(_KEYWORDS)})$)(?!\w+_t$)[a-z][a-z0-9_]*$")
_OPENING, _CLOSING = "([{", ")]}"
_CLASS_WORDS = {"class", "struct", "union", "enum"}


@dataclasses.dataclass
class Token:
    text: str
    kind: str
    start: int


@dataclasses.dataclass
class Function:
    name: str  # with namespaces and classes; of a lambda in a table, the table's name
    parameters: str
    first_line: int
    last_line: int
    body: str  # its tokens, a blank between each two, with numbers for the names of parameters and variables
    body_lines: int
    is_internal: bool  # in an unnamed namespace, or static
    is_lambda: bool = False

    @property
    def lines(self):
        return self.last_line - self.first_line + 1


@dataclasses.dataclass
class Class:
    name: str
    line: int
    is_internal: bool


@dataclasses.dataclass
class Outline:
    path: str
    lines: list
    includes: list
    functions: list = dataclasses.field(default_factory=list)
    classes: list = dataclasses.field(default_factory=list)
    tables: list = dataclasses.field(default_factory=list)  # (first line, last line) of each initializer of data
    raw_strings: list = dataclasses.field(default_factory=list)  # (first line, last line)


@dataclasses.dataclass
class Scope:
    name: str = ""
    is_internal: bool = False

    def inner(self, name, is_internal=False):
        return Scope(f"{self.name}::{name}" if self.name and name else self.name or name, self.is_internal or is_internal)


def read_outline(path, text):
    """The outline of a file with this text."""
    return _Reader(path, text).outline()


class _Reader:
    def __init__(self, path, text):
        self._line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self._outline = Outline(path, text.split("\n"), _INCLUDE.findall(text))
        self._tokens = []
        for match in _TOKEN.finditer(text):
            self._add(Token(match.group(), match.lastgroup if match.lastgroup != "delimiter" else "raw", match.start()))
        self._partners = _match_brackets(self._tokens)

    def outline(self):
        self._read_scope(0, len(self._tokens), Scope())
        return self._outline

    def _add(self, token):
        if token.kind == "raw":
            self._outline.raw_strings.append((self._line(token), self._line_at(token.start + len(token.text))))
        if token.kind not in ("comment", "directive"):
            self._tokens.append(token)

    def _line(self, token):
        return self._line_at(token.start)

    def _line_at(self, offset):
        return bisect.bisect_right(self._line_starts, offset)

    # What stands between two braces of a namespace or a class.
    def _read_scope(self, begin, end, scope):
        statement = i = begin
        while i < end:
            text = self._tokens[i].text
            if text in ("(", "["):
                self._read_lambdas(i, scope, "")
                i = self._partners[i]
            elif text == "{":
                if self._read_braces(statement, i, scope):
                    statement = self._partners[i] + 1
                i = self._partners[i]
            elif text == ";" or text == ":" and self._tokens[i - 1].text in ("public", "private", "protected"):
                statement = i + 1
            i += 1

    # Says whether a statement ends with these braces.
    def _read_braces(self, statement, brace, scope):
        header = self._header(statement, brace)
        words = [t.text for t in header]
        if "namespace" in words[:2]:
            name = "".join(words[words.index("namespace") + 1:])
            self._read_scope(brace + 1, self._partners[brace], scope.inner(name, is_internal=not name))
            return True
        if words[:1] == ["extern"] and len(words) == 2:
            self._read_scope(brace + 1, self._partners[brace], scope)
            return True
        if "operator" not in words and "=" in words or not header:
            return self._read_table(header, brace, scope)
        if _CLASS_WORDS & set(words) and "(" not in words:
            return self._read_class(header, brace, scope)
        if words[0] == "catch":  # of a function that is a try block
            return True
        if "(" in words:
            return self._read_function(header, brace, scope)
        return self._read_table(header, brace, scope)

    # The tokens before a brace, without template parameters, and of what stands in brackets only the opening one.
    def _header(self, statement, brace):
        header, i = [], statement
        while i < brace:
            token = self._tokens[i]
            if token.text == "template" and self._tokens[i + 1].text == "<":
                i = self._after_angles(i + 1)
                continue
            header.append(token)
            i = self._partners[i] + 1 if token.text in _OPENING else i + 1
        return header

    def _after_angles(self, i):
        depth = 0
        while True:
            text = self._tokens[i].text
            depth += (text == "<") - (text == ">")
            i = self._partners[i] + 1 if text in _OPENING else i + 1
            if depth == 0:
                return i

    def _read_table(self, header, brace, scope):
        self._outline.tables.append((self._line(self._tokens[brace]), self._closing_line(brace)))
        self._read_lambdas(brace, scope, _variable(header))
        return False

    def _read_class(self, header, brace, scope):
        words = [t.text for t in header]
        name = _class_name(words)
        if name:
            self._outline.classes.append(Class(scope.inner(name).name, self._line(header[0]), scope.is_internal))
        if "enum" not in words:
            self._read_scope(brace + 1, self._partners[brace], scope.inner(name))
        return True

    def _read_function(self, header, brace, scope):
        words = [t.text for t in header]
        if _is_member_initializer(words):
            return False
        parameters = header[words.index("(")]
        name = _function_name(words)
        if name.startswith("TEST"):
            name += self._text(parameters)
        self._add_function(scope.inner(name).name, header[0], parameters, brace, scope.is_internal or "static" in words)
        return True

    def _add_function(self, name, first, parameters, brace, is_internal, is_lambda=False):
        body = self._tokens[brace + 1:self._partners[brace]]
        self._outline.functions.append(
            Function(name, self._text(parameters), self._line(first), self._closing_line(brace),
                     _canonical(self._tokens_of(parameters), body), len({self._line(t) for t in body}), is_internal,
                     is_lambda))

    def _text(self, opening):
        return " ".join(t.text for t in self._tokens_of(opening))

    # A bracket, its partner, and what stands between.
    def _tokens_of(self, opening):
        i = bisect.bisect_left(self._tokens, opening.start, key=lambda t: t.start)
        return self._tokens[i:self._partners[i] + 1]

    def _closing_line(self, brace):
        return self._line(self._tokens[self._partners[brace]])

    # Lambdas outside of functions: rows of tables whose function is written in place.
    def _read_lambdas(self, begin, scope, name):
        end, i = self._partners[begin], begin + 1
        while i < end:
            brace = self._lambda_body(i)
            if brace:
                parameters = next((t for t in self._tokens[i:brace] if t.text == "("), self._tokens[i])
                where = scope.inner(name or "lambda").name
                self._add_function(where, self._tokens[i], parameters, brace, is_internal=True, is_lambda=True)
                i = self._partners[brace]
            i += 1

    # The brace that opens the body of a lambda that begins here; nothing where none does.
    def _lambda_body(self, i):
        if self._tokens[i].text != "[" or self._tokens[i - 1].kind == "word" or self._tokens[i - 1].text in ")]":
            return None
        i = self._partners[i] + 1
        if self._tokens[i].text == "(":
            i = self._partners[i] + 1
            while self._tokens[i].kind == "word" or self._tokens[i].text in ("->", "::", "<", ">", "*", "&"):
                i += 1
        return i if self._tokens[i].text == "{" else None


def _match_brackets(tokens):
    partners, stack = {}, []
    for i, token in enumerate(tokens):
        if token.kind == "sign" and token.text in _OPENING:
            stack.append(i)
        elif token.kind == "sign" and token.text in _CLOSING:
            partners[stack.pop()] = i
    if stack:
        raise ValueError("brackets do not match")
    return partners


# A name in lower case is one of a parameter or a variable, unless it says whose it is.
def _canonical(parameters, body):
    numbers, texts = {}, []
    before = ""
    for token in parameters + body:
        is_variable = token.kind == "word" and before not in (".", "->", "::") and _VARIABLE.match(token.text)
        texts.append(numbers.setdefault(token.text, f"${len(numbers)}") if is_variable else token.text)
        before = token.text
    return " ".join(texts[len(parameters):])


def _variable(header):
    names = [t.text for t in header if t.kind == "word"]
    before = [t.text for t in header[:[t.text for t in header].index("=")]] if "=" in [t.text for t in header] else names
    return next((n for n in reversed(before) if re.match(r"[A-Za-z_]", n)), "")


def _class_name(words):
    at = max(i for i, w in enumerate(words) if w in _CLASS_WORDS)
    name = []
    for word in words[at + 1:]:
        if word in (":", "final"):
            break
        if word != "[":
            name.append(word)
    return "".join(name)


# `Name`, `Class::Name`, `~Name`, `operator==`.
def _function_name(words):
    end = words.index("(")
    if "operator" in words:
        at = words.index("operator")
        end = next((i for i in range(at + 2, len(words)) if words[i] == "("), end)
        return "".join(_qualifiers(words, at)) + "".join(words[at:end])
    name = [words[end - 1]] if end else []
    at = end - 1
    if at > 0 and words[at - 1] == "~":
        at -= 1
        name.insert(0, "~")
    return "".join(_qualifiers(words, at) + name)


def _qualifiers(words, at):
    begin = at
    while begin >= 2 and words[begin - 1] == "::" and re.match(r"\w", words[begin - 2]):
        begin -= 2
    return words[begin:at]


# `Name::Name(int a) : a_{`: braces of a constructor's list, not its body.
def _is_member_initializer(words):
    after = words[words.index("(") + 1:]
    return ":" in after and (re.match(r"\w", words[-1]) or words[-1] == ">")
