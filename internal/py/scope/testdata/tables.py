"""Prints what CPython's symtable knows of the scopes of the files named on
stdin: one JSON line a file, null for files that this Python cannot compile."""

import json
import symtable
import sys


def names(symbols, wanted):
    return sorted(s.get_name() for s in symbols if wanted(s) and s.get_name() != ".0")


def visit(table, out):
    for child in table.get_children():
        kind = str(child.get_type()).split(".")[-1].lower().strip("'>")
        name = child.get_name()
        if kind in ("function", "class") and name not in ("listcomp", "setcomp", "dictcomp", "genexpr"):
            symbols = child.get_symbols()
            out.append({
                "Name": "<lambda>" if name == "lambda" else name,
                "Line": child.get_lineno(),
                "Locals": names(symbols, lambda s: s.is_local()),
                "Free": names(symbols, lambda s: s.is_free()) if kind == "function" else [],
            })
        visit(child, out)


for path in sys.stdin.read().split("\n"):
    if not path:
        continue
    try:
        with open(path, "rb") as f:
            table = symtable.symtable(f.read(), path, "exec")
    except (SyntaxError, ValueError):
        print("null")
        continue
    out = []
    visit(table, out)
    print(json.dumps(out))
