"""Print the nodes of Python files as CPython's own parser sees them.

Reads file names from standard input. For each file it prints a line "= PATH"
and then one line per node: kind, first byte, end byte, word. The word is a
name, an operator, or the checksum of a string. A file that CPython rejects
has the single line "! MESSAGE". The insides of f-strings are left out before
Python 3.12, which was the first to know where they are.
"""
import ast
import io
import sys
import warnings
import zlib

warnings.simplefilter("ignore")
INSIDE = sys.version_info >= (3, 12)
OPERATORS = {
    "Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/", "Mod": "%", "Pow": "**", "LShift": "<<",
    "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&", "FloorDiv": "//", "UAdd": "+", "USub": "-",
    "Invert": "~", "Not": "not", "And": "and", "Or": "or",
}
COMPARISONS = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
    "In": "in", "NotIn": "not in",
}


def constant(node, segment):
    value = node.value
    if isinstance(value, (str, bytes)):
        if b"\\N{" in segment:
            return "String", "named"
        if isinstance(value, str):
            value = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in value).encode()
        return "String", "%d:%d" % (len(value), zlib.crc32(value))
    if isinstance(value, (bool, type(None), type(...))):
        return "Constant", {True: "True", False: "False", None: "None", ...: "Ellipsis"}[value]
    return "Number", ""


def word(node):
    kind = type(node).__name__
    if kind == "Name":
        return node.id
    if kind == "Attribute":
        return node.attr
    if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef", "TypeVar", "TypeVarTuple", "ParamSpec"):
        return node.name
    if kind in ("BinOp", "UnaryOp", "BoolOp", "AugAssign"):
        return OPERATORS[type(node.op).__name__]
    if kind == "Compare":
        return ",".join(COMPARISONS[type(op).__name__] for op in node.ops).replace(" ", "_")
    if kind == "Call":
        return "%d,%d" % (len(node.args), len(node.keywords))
    if kind == "keyword":
        return node.arg or "**"
    if kind == "alias":
        return node.name + ":" + (node.asname or "")
    if kind == "ImportFrom":
        return "%d:%s" % (node.level, node.module or "")
    if kind in ("Global", "Nonlocal"):
        return ",".join(node.names)
    if kind in ("ExceptHandler", "MatchAs", "MatchStar"):
        return node.name or ""
    if kind == "MatchMapping":
        return node.rest or ""
    if kind == "MatchClass":
        return ",".join(node.kwd_attrs)
    if kind in ("If", "For", "AsyncFor", "While"):
        return "%d,%d" % (len(node.body), len(node.orelse))
    if kind in ("Try", "TryStar"):
        return "%d,%d,%d" % (len(node.body), len(node.orelse), len(node.finalbody))
    return ""


def nodes(text, out):
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    stack = [ast.parse(text)]
    while stack:
        node = stack.pop()
        kind = type(node).__name__
        inside = kind in ("JoinedStr", "FormattedValue")
        if hasattr(node, "lineno") and kind != "arg":
            start = lines[node.lineno - 1] + node.col_offset
            end = lines[node.end_lineno - 1] + node.end_col_offset
            if kind == "Constant":
                kind, w = constant(node, text[start:end])
            else:
                w = word(node)
            out.append("%s %d %d %s" % (kind, start, end, w))
        if kind == "JoinedStr" and not INSIDE:
            continue
        for child in ast.iter_child_nodes(node):
            if kind == "JoinedStr" and isinstance(child, ast.Constant):
                continue  # adjacent pieces are merged there
            if kind == "FormattedValue" and child is node.format_spec:
                stack.extend(c for c in child.values if not isinstance(c, ast.Constant))
                continue
            stack.append(child)


def main():
    sys.setrecursionlimit(10000)
    out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="replace")
    for path in sys.stdin.read().splitlines():
        with open(path, "rb") as f:
            text = f.read()
        found = []
        try:
            nodes(text, found)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
            found = ["! " + str(e)]
        out.write("= " + path + "\n" + "\n".join(found) + "\n")
    out.flush()


main()
