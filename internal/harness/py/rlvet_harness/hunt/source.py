"""Where a gradient is computed: rows of the source of backward."""

import ast
import inspect
import linecache


def forward_row(function):
    """Returns file and row of forward's def; None, 0 where there is no source."""
    code = _code(function, "forward")
    return (code.co_filename, _definition_row(code)) if code else (None, 0)


def gradient_rows(function, position):
    """Returns the file and two rows of the gradient that backward returns for an input: of
    what stands behind return, and where the name that stands there was last assigned. Where
    the source does not tell, both are that of the def."""
    code = _code(function, "backward")
    if code is None:
        return None, 0, 0
    definition = _definition(code)
    if definition is None:
        return code.co_filename, code.co_firstlineno, code.co_firstlineno
    found = _returned(definition, position) or definition
    return code.co_filename, found.lineno, _assigned(definition, found).lineno


def _code(function, half):
    own = inspect.unwrap(getattr(function, half, None) or forward_row)
    return None if own is forward_row else getattr(own, "__code__", None)


def _definition_row(code):
    definition = _definition(code)
    return definition.lineno if definition is not None else code.co_firstlineno


def _definition(code):
    """Returns the syntax of a function."""
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            if code.co_firstlineno in [node.lineno] + [d.lineno for d in node.decorator_list]:
                return node
    return None


def _own(definition):
    """Yields the nodes of a function without those of functions in it."""
    todo = list(definition.body)
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(node))


def _returned(definition, position):
    """Returns the syntax of the gradient for an input, of the last return that has one."""
    found = None
    for node in _own(definition):
        if not isinstance(node, ast.Return) or node.value is None:
            continue
        value = node.value
        if isinstance(value, ast.Tuple):
            if position >= len(value.elts) or any(isinstance(e, ast.Starred) for e in value.elts):
                value = node
            else:
                value = value.elts[position]
        if not (isinstance(value, ast.Constant) and value.value is None and found is not None):
            found = value if found is None or value.lineno >= found.lineno else found
    return found


def _assigned(definition, value):
    """Follows a name to the expression that was assigned to it last, or the statement that
    changed it last."""
    for _ in range(4):
        if not isinstance(value, ast.Name):
            return value
        writes = [n for n in _own(definition) if isinstance(n, ast.stmt) and n.lineno <= value.lineno and _writes(n, value.id)]
        last = max(writes, key=lambda n: n.lineno, default=None)
        if last is None or not isinstance(last, ast.Assign) or not isinstance(last.targets[0], ast.Name) or last.value.lineno >= value.lineno:
            return last or value
        value = last.value
    return value


def _writes(node, name):
    """Reports whether a statement assigns to a variable, or to elements of it."""
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets = [node.target]
    else:
        return False
    bases = [t.value if isinstance(t, ast.Subscript) else t for t in targets]
    return node.value is not None and not _is_none(node.value) and any(isinstance(b, ast.Name) and b.id == name for b in bases)


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None
