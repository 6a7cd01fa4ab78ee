"""Rows of derivatives.json: what one comparison came to.

function       its name; the class of a module
filename, row  of the return that yields the gradient, relative to the project, from 1
source_row     where the returned name was last assigned; the same row where no name is returned
forward_row    of forward's def
module         the path of the module that applied it first, or of the module itself
verdict        right, wrong, surrogate, not-differentiable or untested; reason says why
pattern        the mistake by its name (:mod:`.patterns`), null where none fits
max_relative_error, tolerance, dtype  of the comparison
order          1 for the derivative, 2 for the derivative of backward
step           optimizer steps before the call that was replayed
worst          {"input": name, "index": [..], "analytic", "numeric"}
ratio          analytic / numeric there, null where it is no number
points         up to 200 pairs of analytic and numeric slopes
elements, kinks  elements that were looked at, and those at which forward is not smooth
inputs         statistics of the tensors of that call
calls          how often it was applied
"""

import inspect

from . import source
from .tensors import stats

POINTS = 200
OF_MODULES = ("constant factor", "sign", "gradient missing")  # what a pattern says of a parameter of a module


def parameters(cls, args):
    """Returns the names of forward's parameters behind ctx, one an argument."""
    own = getattr(sys_function(cls), "setup_context", None)
    styled = own is not None and getattr(cls, "setup_context", own) is not own
    try:
        found = list(inspect.signature(cls.forward).parameters.values())[0 if styled else 1 :]
    except (TypeError, ValueError):
        found = []
    names = [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    many = next((p.name for p in found if p.kind is p.VAR_POSITIONAL), "input")
    return (names + ["%s[%d]" % (many, i) for i in range(len(args))])[: len(args)]


def sys_function(cls):
    """Returns torch.autograd.Function, of which cls is made."""
    return next(c for c in cls.__mro__ if c.__module__ == "torch.autograd.function" and c.__name__ == "Function")


def place(run, cls, call, result):
    """Returns the name of a Function, and the rows of the gradient that a result is about."""
    worst = result.comparisons[result.position].name if result.position is not None and result.comparisons else None
    names = parameters(cls, call.args)
    filename, row, source_row = source.gradient_rows(cls, names.index(worst) if worst in names else 0)
    return {
        "function": _name(cls), "filename": run.shown(filename) if filename else None, "row": row, "source_row": source_row, "forward_row": source.forward_row(cls)[1],
    }


def of_function(run, cls, calls, call, result, order):
    names = parameters(cls, call.args)
    return {
        **place(run, cls, call, result), "module": calls.module, "order": order, "step": call.step, "calls": calls.count,
        "inputs": [dict(stats(a), name=n) for n, a in zip(names, call.args) if hasattr(a, "numel")], **of_result(result),
    }


def of_module(run, path, calls, result):
    code = getattr(inspect.unwrap(type(calls["module"]).forward), "__code__", None)
    own = code is not None and run.is_program(code.co_filename)
    pattern = result.pattern if str(result.pattern).startswith(OF_MODULES) else None
    named = [("input %d" % i, a) for i, a in enumerate(calls["args"])] + list(calls["kwargs"].items())
    return {
        "function": _name(type(calls["module"])), "filename": run.shown(code.co_filename) if own else None, "row": code.co_firstlineno if own else 0,
        "forward_row": code.co_firstlineno if own else 0, "module": path, "order": 1, "step": calls["step"], "calls": calls["count"],
        "inputs": [dict(stats(a), name=n) for n, a in named if hasattr(a, "numel")], **of_result(result), "pattern": pattern,
    }


def unseen_module(path):
    """Returns the row of a module that was asked for and never called."""
    return {"function": path, "filename": None, "row": 0, "module": path, "verdict": "untested", "reason": "the run called no module of this name", "pattern": None, "order": 1, "calls": 0}


def of_result(result):
    """Returns what a comparison adds to a row."""
    comparisons = result.comparisons
    return {
        "verdict": result.verdict, "reason": result.reason, "pattern": result.pattern, "max_relative_error": result.error(),
        "dtype": result.case and result.case.precision.name, "tolerance": result.case and result.case.precision.tolerance,
        "points": points(comparisons), "elements": sum(len(c.moves) for c in comparisons), "kinks": sum(c.kinks() for c in comparisons), **worst_of(result),
    }


def worst_of(result):
    """Returns the worst element and its ratio."""
    among = [result.comparisons[result.position]] if result.position is not None and result.comparisons else result.comparisons
    comparison = max(among, key=lambda c: c.largest()[0], default=None)
    error, k, j = comparison.largest() if comparison is not None else (0.0, None, 0)
    if k is None:
        return {"worst": None, "ratio": None}
    analytic, numeric = comparison.analytic[j][k], comparison.numeric[j][k]
    worst = {"input": comparison.name, "index": _index(comparison, k, result), "analytic": analytic, "numeric": numeric}
    return {"worst": worst, "ratio": analytic / numeric if numeric else None}


def _index(comparison, k, result):
    """Returns the place of an element in its input, as the run had it; [] for a direction."""
    flat = getattr(comparison.moves[k], "index", None)
    index = []
    for n in reversed(comparison.leaf.shape if flat is not None else ()):
        index, flat = [flat % n, *index], flat // n
    sizes = result.whole.get(comparison.name, comparison.leaf.shape)
    return [result.places[n][i] if n in result.places else i for n, i in zip(sizes, index)]


def points(comparisons):
    """Returns pairs of analytic and numeric slopes, those of each leaf alike in number."""
    found = [[[c.analytic[0][k], c.numeric[0][k]] for k in c.smooth()] for c in comparisons if c.returned]
    share = POINTS // max(1, len(found))
    return [pair for pairs in found for pair in pairs[:: max(1, -(-len(pairs) // max(1, share)))]]


def _name(cls):
    return cls.__qualname__ if cls.__module__ == "__main__" else "%s.%s" % (cls.__module__, cls.__qualname__)
