"""Puts probes into a syntax tree.

A target is a range of bytes of the source, in UTF-8, and the text that stands there.
The node with exactly that range is looked for; where the text differs, the file has
changed since it was checked, and nothing is touched.

An expression E becomes ``value_probe(E')``, where E' has its operands, receiver and
arguments each inside a ``part_probe``: all is evaluated once and in the order in which
it was. An augmented assignment, an assignment's target and a parameter are no
expressions that are evaluated: there the probe gets what was assigned, of several
names what this one got.
"""

import ast
import copy
import re

from . import names

_NEWLINE = re.compile(rb"\r\n|\r|\n")


class Mismatch(Exception):
    """The target is not in the source."""


def rewrite(source, filename, targets):
    """Returns the tree of source with probes at targets, and what became of each.

    source is the decoded text. The second result maps the id of each target that has a
    probe to the names of its parts, the third that of each other to the reason.
    """
    tree = ast.parse(source, filename)
    text = source.encode("utf-8")
    index = _Index(tree, text)
    placed, refused = {}, {}
    for target in targets:
        index.parts, index.deep = set(), target.get("deep", False)
        try:
            loops = _Loops(index, target) if target.get("rounds") else None
            if target.get("expression"):
                _behind(index, target)
            else:
                _place(index, text, target)
            if loops is not None:
                loops.count()
            placed[target["id"]] = index.parts
        except Mismatch as why:
            refused[target["id"]] = str(why)
    ast.fix_missing_locations(tree)
    return tree, placed, refused


def line_starts(text):
    """Returns where the lines of a text in UTF-8 begin, in bytes."""
    return [0] + [m.end() for m in _NEWLINE.finditer(text)]


class _Index:
    """The nodes of a tree by their range of bytes, with their parents."""

    def __init__(self, tree, text):
        self.tree = tree
        self.lines = line_starts(text)
        self.parent = {}
        self.at = {}
        self.parts = set()  # of the target at hand
        self.deep = False  # whether its probe asks for the operands of operands, too
        for node in ast.walk(tree):
            for field, child in _children(node):
                self.parent[child] = (node, field)
            span = self.span(node)
            if span is not None:
                self.at.setdefault(span, []).append(node)

    def span(self, node):
        if getattr(node, "end_col_offset", None) is None:
            return None
        start = self.lines[node.lineno - 1] + node.col_offset
        return start, self.lines[node.end_lineno - 1] + node.end_col_offset

    def replace(self, old, new):
        """Puts new where old stands; new may hold old."""
        parent, field = self.parent[old]
        current = getattr(parent, field)
        if isinstance(current, list):
            current[next(i for i, n in enumerate(current) if n is old)] = new
        else:
            setattr(parent, field, new)
        self.parent[new] = (parent, field)
        if isinstance(new, ast.Call) and new.args == [old]:  # another target may be old, too
            self.parent[old] = (new, "args")

    def watch_part(self, node, number, name):
        """Lets the value of a node pass through the probe of a part."""
        self.parts.add(name)
        self.replace(node, call(names.part(number, name), node))

    def statement(self, node):
        """Returns the statement around a node."""
        while not isinstance(node, ast.stmt):
            node = self.parent[node][0]
        return node


def _children(node):
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield field, value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, ast.AST):
                    yield field, item


def _place(index, text, target):
    """Puts the probe of a target into the tree: around the wider range where it has one
    and an expression stands there, else at its own."""
    wider = target.get("wider")
    if wider:
        try:
            return _place_at(index, text, target["id"], wider)
        except Mismatch:
            pass
    _place_at(index, text, target["id"], target)


def _place_at(index, text, number, span):
    start, end = span["start"], span["end"]
    if text[start:end].decode("utf-8", "replace") != span["text"]:
        raise Mismatch("the file has changed since it was checked")
    nodes = index.at.get((start, end), [])
    for place in (_expression, _augmented, _assigned, _parameter, _subscript):
        for node in nodes:
            if place(index, node, number):
                return
    if _parameter_with_default(index, start, end, number) or _signature(index, text, start, end, number):
        return
    raise Mismatch("there is no expression at exactly this place")


def tell(name, at, *args):
    """Returns a statement that calls one of our functions, at the place of a node."""
    call = ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=list(args), keywords=[])
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(value=call), at))


def _first(function):
    """Returns where in the body of a function its first statement stands, behind its docstring."""
    return 0 if ast.get_docstring(function, clean=False) is None else 1


def call(name, *args):
    """Returns a call of one of our functions, at the place of its last argument."""
    function = ast.copy_location(ast.Name(id=name, ctx=ast.Load()), args[-1])
    return ast.copy_location(ast.Call(func=function, args=list(args), keywords=[]), args[-1])


def _expression(index, node, number):
    """An expression that is read."""
    if not isinstance(node, ast.expr) or isinstance(node, (ast.Starred, ast.Slice)):
        return False
    if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) or _is_syntax(index, node):
        return False
    _wrap_parts(index, node, number)
    index.replace(node, call(names.value(number), node))
    return True


def _is_syntax(index, node):
    """Reports whether a node stands where only certain expressions may: in a pattern of
    match, as a piece of an f-string, or alone, as docstrings do."""
    parent, _ = index.parent[node]
    if isinstance(parent, ast.Expr):
        return isinstance(node, ast.Constant)
    while isinstance(parent, (ast.UnaryOp, ast.BinOp, ast.Attribute)):  # -2 and a.b are patterns, too
        parent, _ = index.parent[parent]
    return type(parent).__name__.startswith("Match") or isinstance(parent, ast.JoinedStr)


def _wrap_parts(index, node, number, prefix="", below=True):
    """Watches the expressions in a node; those in them, too, where the probe asks for it:
    ``left_right`` is what divides in ``x / y + 1``."""
    for name, part in list(parts_of(node)):
        if _is_piece(part) or isinstance(part, ast.Name) and part.id == "super":
            continue
        if index.deep and below:
            _wrap_parts(index, part, number, prefix + name + "_", below=False)
        index.watch_part(part, number, prefix + name)


def _is_piece(node):
    """Reports whether a node is no expression of its own: x[1:, *rest], f(*args)."""
    return isinstance(node, (ast.Starred, ast.Slice)) or isinstance(node, ast.Tuple) and any(map(_is_piece, node.elts))


def parts_of(node):
    """Yields the named expressions directly in a node, in the order of evaluation."""
    if isinstance(node, ast.BinOp):
        yield "left", node.left
        yield "right", node.right
    elif isinstance(node, ast.UnaryOp):
        yield "operand", node.operand
    elif isinstance(node, ast.Attribute):
        yield "value", node.value
    elif isinstance(node, ast.Subscript):
        yield "value", node.value
        yield "index", node.slice
    elif isinstance(node, ast.Compare):
        yield "left", node.left
        for i, right in enumerate(node.comparators):
            yield "right%s" % (i or ""), right
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield "receiver", node.func.value
        for i, arg in enumerate(node.args):
            yield ("star%d" % i, arg.value) if isinstance(arg, ast.Starred) else ("arg%d" % i, arg)
        for i, keyword in enumerate(node.keywords):
            yield keyword.arg or "stars%d" % i, keyword.value


def _augmented(index, node, number):
    """x /= y: left is x before, right is y, the value is x afterwards. It becomes
    ``x = value(itruediv(left(x), right(y)))``, which reads x once, calls the same methods
    and writes x once."""
    if not isinstance(node, ast.AugAssign):
        return False
    if not _is_plain(node.target):
        raise Mismatch("the target of this assignment is computed, and watching it would compute it twice")
    index.watch_part(node.value, number, "right")
    index.parts.add("left")
    before = copy.deepcopy(node.target)
    before.ctx = ast.Load()
    value = call(names.operator(node.op), call(names.part(number, "left"), before), node.value)
    assignment = ast.Assign(targets=[node.target], value=call(names.value(number), value))
    index.replace(node, ast.copy_location(assignment, node))
    return True


def _is_plain(node):
    """Reports whether evaluating a node does nothing but read."""
    if isinstance(node, (ast.Attribute, ast.Starred)):
        return _is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return _is_plain(node.value) and _is_plain(node.slice)
    if isinstance(node, (ast.Slice, ast.Tuple, ast.UnaryOp, ast.BinOp)):
        return all(_is_plain(n) for _, n in _children(node) if isinstance(n, ast.expr))
    return isinstance(node, (ast.Name, ast.Constant))


def _assigned(index, node, number):
    """The target of an assignment: the value is what is assigned."""
    if not isinstance(getattr(node, "ctx", None), ast.Store):
        return False
    statement = index.statement(node)
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
        return False
    if isinstance(node, ast.Name) and isinstance(index.parent[node][0], (ast.Tuple, ast.List)):
        return _unpacked(index, node, statement, number)
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, (ast.Name, ast.Attribute)) and isinstance(statement, ast.Assign):
        index.watch_part(node.value, number, "object")
    index.replace(value, call(names.value(number), value))
    return True


def _unpacked(index, node, statement, number):
    """One of several names that are assigned at once: the value is its own, which is read behind the statement."""
    body = getattr(*index.parent[statement])
    read = ast.copy_location(ast.Name(id=node.id, ctx=ast.Load()), node)
    body.insert(next(i for i, s in enumerate(body) if s is statement) + 1, tell(names.value(number), node, read))
    return True


def _parameter(index, node, number):
    """A parameter: the value is the argument, at each call."""
    if not isinstance(node, ast.arg):
        return False
    function = index.parent[index.parent[node][0]][0]
    read = ast.copy_location(ast.Name(id=node.arg, ctx=ast.Load()), node)
    probe = call(names.value(number), read)
    store = ast.copy_location(ast.Name(id=node.arg, ctx=ast.Store()), node)
    if isinstance(function, ast.Lambda):
        body = function.body
        both = ast.Tuple(elts=[probe, body], ctx=ast.Load())
        function.body = ast.copy_location(
            ast.Subscript(value=ast.copy_location(both, body), slice=ast.copy_location(ast.Constant(1), body), ctx=ast.Load()), body
        )
        return True
    function.body.insert(_first(function), ast.copy_location(ast.Assign(targets=[store], value=probe), function.body[0]))
    return True


def _parameter_with_default(index, start, end, number):
    """A parameter that is flagged together with its default."""
    for (begin, _), nodes in index.at.items():
        for node in nodes if begin == start else ():
            if isinstance(node, ast.arg):
                arguments = index.parent[node][0]
                defaults = arguments.defaults + [d for d in arguments.kw_defaults if d is not None]
                if any(index.span(d) and index.span(d)[1] == end for d in defaults):
                    return _parameter(index, node, number)
    return False


def _signature(index, text, start, end, number):
    """The parameters of a function in parentheses: the value is the function, where it is defined."""
    for node in index.parent:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or text[start : start + 1] != b"(":
            continue
        begin, _ = index.span(node)
        if begin < start and end <= index.span(node.body[0])[0] and text[begin:start].split()[-1:] == [node.name.encode()]:
            read = ast.copy_location(ast.Name(id=node.name, ctx=ast.Load()), node)
            body = getattr(*index.parent[node])
            told = ast.copy_location(ast.Expr(value=call(names.value(number), read)), node)
            body.insert(next(i for i, s in enumerate(body) if s is node) + 1, told)
            return True
    return False


def _subscript(index, node, number):
    """A slice: the value is what the subscript around it yields."""
    if not isinstance(node, ast.Slice):
        return False
    around = index.parent[node][0]
    while not isinstance(around, ast.Subscript):
        around = index.parent[around][0]
    if isinstance(around.ctx, ast.Load):
        return _expression(index, around, number)
    return _assigned(index, around, number)


def _behind(index, target):
    """Has an expression evaluated behind the statement that begins on a line, or before it where that leaves
    the function or has a body. The function of the target gets it as a lambda, which may raise."""
    statement = _beginning(index, target)
    body = getattr(*index.parent[statement])
    at = next(i for i, s in enumerate(body) if s is statement)
    ends = isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)) or hasattr(statement, "body")
    expression = ast.parse("lambda: (%s)" % target["expression"], mode="eval").body
    for node in ast.walk(expression):
        if hasattr(node, "lineno"):
            ast.copy_location(node, statement)
    told = ast.copy_location(ast.Expr(value=call(names.value(target["id"]), expression)), statement)
    body.insert(at + (not ends), told)


def _beginning(index, target):
    """Returns the outermost statement that begins on the line of a target."""
    for (start, _), nodes in sorted(index.at.items(), key=lambda item: (item[0][0], -item[0][1])):
        for node in nodes:
            if isinstance(node, ast.stmt) and node.lineno == target["row"]:
                return node
    raise Mismatch("no statement begins on this line")


class _Loops:
    """The loops around a target, the outer one first, and the function around them."""

    def __init__(self, index, target):
        self.index, self.target, self.loops, self.function = index, target, [], None
        nodes = index.at.get((target["start"], target["end"]))
        inner = _beginning(index, target) if target.get("expression") or not nodes else index.statement(nodes[0])
        while inner in index.parent and self.function is None:
            outer, field = index.parent[inner]
            if isinstance(outer, (ast.For, ast.AsyncFor, ast.While)) and field == "body":
                self.loops.insert(0, outer)
            elif isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.function = outer
            inner = outer
        target["loops"] = len(self.loops)

    def count(self):
        """Has the probe told of calls, of loops that begin, and of their rounds."""
        number = self.target["id"]
        for depth, loop in enumerate(self.loops):
            around = getattr(*self.index.parent[loop])
            around.insert(next(i for i, s in enumerate(around) if s is loop), tell(names.entered(number, depth), loop))
            loop.body.insert(0, tell(names.round_of(number, depth), loop))
        if self.function is not None:
            self.function.body.insert(_first(self.function), tell(names.called(number), self.function))


def count_statements(tree, first, last, name):
    """Puts a call of the function of a name before each innermost statement that stands on
    lines first to last; returns how many those are."""
    before = []
    for row in range(first, last + 1):
        place = _innermost(tree, row)
        if place is not None and not any(p[0] is place[0] and p[1] is place[1] for p in before):
            before.append(place)
    for body, statement in before:
        at = next(i for i, s in enumerate(body) if s is statement)
        while at < len(body) - 1 and must_be_first(body[at]):
            at += 1
        count = _Count(value=ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[], keywords=[]))
        body.insert(at + must_be_first(body[at]), ast.fix_missing_locations(ast.copy_location(count, statement)))
    return len(before)


class _Count(ast.Expr):
    """A counter, which is no statement of the program."""


def _innermost(node, row):
    """Returns the body and the innermost statement in it that stands on a line, or None. Of
    the head of a function that is its first statement, which runs at each call."""
    for body in _bodies(node):
        for statement in body:
            if _first_line(statement) <= row <= statement.end_lineno and not isinstance(statement, _Count):
                return _innermost(statement, row) or _on_head(body, statement, row)
    for branch in [b for b in ast.iter_child_nodes(node) if hasattr(b, "body") and isinstance(b.body, list) and not isinstance(b, ast.stmt)]:
        if getattr(branch, "lineno", branch.body[0].lineno) <= row < branch.body[0].lineno:
            return branch.body, branch.body[0]
    return None


def _on_head(body, statement, row):
    """Returns the place of a statement whose own lines, not those of its body, hold row."""
    inner = getattr(statement, "body", None)
    if not inner:
        return body, statement
    if row >= _first_line(inner[0]):
        return None
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and row >= statement.lineno:
        return inner, inner[0]
    return body, statement


def _first_line(statement):
    return min([statement.lineno] + [d.lineno for d in getattr(statement, "decorator_list", ())])


def _bodies(node):
    """Yields the lists of statements directly in a node, and in its branches."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        elif field in ("handlers", "cases"):
            for branch in value:
                yield branch.body


def must_be_first(statement):
    """Reports whether nothing may stand before a statement: a docstring, or __future__."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__"
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)
