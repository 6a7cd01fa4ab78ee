"""Lets the value of every expression of a file pass through the recorder.

An expression E becomes ``__rlvet_see__(7, E)``, where 7 is the number of its *site*: its file and
its range of bytes. Parameters, targets of loops and what a tuple is taken apart into are told of
once they are bound; each block of statements says that it runs. Names of modules, functions and
classes of the file are passed over, and annotations, decorators, patterns and f-strings, which are
not evaluated or hold nothing that is trained.
"""

import ast
import builtins

from . import names
from .rewrite import call, line_starts, must_be_first, tell

# What a site may be.
READ, MADE, BLOCK = "read", "made", "block"  # a value is looked at, or made; statements begin


def watch(tree, path, text, recorder):
    """Rewrites the tree of a file with a text, in UTF-8, in place."""
    tree.body = _Rewriter(path, text, recorder, _fixed_names(tree)).block(tree.body)


def _fixed_names(tree):
    """Returns the names that stand for one module, function or class throughout a file."""
    fixed, bound = set(dir(builtins)), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            fixed.add(node.name)
        elif isinstance(node, ast.alias):
            fixed.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    return fixed - bound


class _Rewriter(ast.NodeTransformer):
    def __init__(self, path, text, recorder, fixed):
        self.path, self.recorder, self.fixed = path, recorder, fixed
        self.lines = line_starts(text)
        self.scope = []  # the names of the classes and functions around

    def site(self, node, what, length=0):
        start = self.lines[node.lineno - 1] + node.col_offset
        end = start + length if length else self.lines[node.end_lineno - 1] + node.end_col_offset
        return self.recorder.site(self.path, start, end, what)

    def see(self, node, what):
        """Returns an expression with its value on the way through the recorder."""
        return call(names.SEE, ast.copy_location(ast.Constant(self.site(node, what)), node), node)

    # Statements.

    def block(self, body, first=()):
        """Rewrites the statements of a block; what is told first comes before them."""
        head = 0
        while head < len(body) and must_be_first(body[head]):
            head += 1
        if not body or head == len(body) and not first:
            return body
        spot = body[min(head, len(body) - 1)]
        number = self.recorder.site(self.path, self.start(body[0]), self.end(body[-1]), BLOCK)
        out = body[:head] + [tell(names.RAN, spot, ast.Constant(number))] + list(first)
        for statement in body[head:]:
            new = self.visit(statement)
            out.extend(new if isinstance(new, list) else [new])
        return out

    def start(self, statement):
        row, column = min([(statement.lineno, statement.col_offset)] + [(d.lineno, d.col_offset - 1) for d in getattr(statement, "decorator_list", ())])
        return self.lines[row - 1] + column

    def end(self, statement):
        return self.lines[statement.end_lineno - 1] + statement.end_col_offset

    def visit_FunctionDef(self, node):
        self.scope.append(node.name)
        self.recorder.defined(self.path, ".".join(self.scope), self.lines[node.lineno - 1] + node.col_offset)
        self.scope.append("<locals>")
        args = node.args
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]
        all_args = getattr(args, "posonlyargs", []) + args.args + args.kwonlyargs
        node.body = self.block(node.body, [self.bound(a, a.arg, len(a.arg.encode()), node.body[0]) for a in all_args])
        del self.scope[-2:]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def bound(self, node, name, length, at):
        """Returns a statement that tells what a name was bound to."""
        return tell(names.SEE, at, ast.Constant(self.site(node, READ, length)), ast.Name(id=name, ctx=ast.Load()))

    def visit_ClassDef(self, node):
        self.scope.append(node.name)
        self.recorder.defined(self.path, ".".join(self.scope), self.lines[node.lineno - 1] + node.col_offset)
        node.body = self.block(node.body)
        self.scope.pop()
        return node

    def visit_For(self, node):
        node.iter = self.visit(node.iter)
        node.body = self.block(node.body, self.targets(node.target, node.body[0]))
        node.orelse = self.block(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def targets(self, target, at):
        """Returns statements that tell of the variables in a target."""
        bound = [n for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return [self.bound(n, n.id, 0, at) for n in bound]

    def visit_With(self, node):
        told = []
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                told += self.targets(item.optional_vars, node.body[0])
        node.body = self.block(node.body, told)
        return node

    visit_AsyncWith = visit_With

    def visit_Assign(self, node):
        behind = [s for t in node.targets if isinstance(t, (ast.Tuple, ast.List)) for s in self.targets(t, node)]
        return [self.generic_visit(node)] + behind

    def visit_AnnAssign(self, node):
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_AugAssign(self, node):
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        changed = tell(names.SEE, node, ast.Constant(self.site(node, MADE)), ast.Name(id=node.target.id, ctx=ast.Load()))
        return [self.generic_visit(node), changed]

    def visit_match_case(self, node):
        node.guard = node.guard and self.visit(node.guard)
        node.body = self.block(node.body)
        return node

    def generic_visit(self, node):
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                setattr(node, field, self.block(value))
            elif isinstance(value, list):
                value[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node

    # Expressions.

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load) or node.id in self.fixed or node.id.startswith("__"):
            return node
        return self.see(node, READ)

    def visit_Attribute(self, node):
        return self.read(node) if not self.is_fixed(node) else node

    def visit_Subscript(self, node):
        return self.read(node)

    def read(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store) and isinstance(node, ast.Subscript):  # x[i] = v: x is no more what it was
            node.value = call(names.FORGET, node.value)
        return self.see(node, READ) if isinstance(node.ctx, ast.Load) else node

    def is_fixed(self, node):
        """Reports whether a name with dots leads into a module, function or class."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.fixed

    def visit_Call(self, node):
        return self.see(self.generic_visit(node), MADE)

    def visit_BinOp(self, node):
        return self.see(self.generic_visit(node), MADE)

    def visit_UnaryOp(self, node):
        return node if isinstance(node.operand, ast.Constant) else self.see(self.generic_visit(node), MADE)

    def visit_Await(self, node):
        return self.see(self.generic_visit(node), MADE)

    def visit_Lambda(self, node):
        node.body = self.visit(node.body)
        return node

    def visit_ExceptHandler(self, node):
        node.body = self.block(node.body)
        return node

    def left_alone(self, node):
        return node

    visit_JoinedStr = visit_TemplateStr = visit_Constant = left_alone
    visit_Global = visit_Nonlocal = visit_Import = visit_ImportFrom = visit_TypeAlias = left_alone
