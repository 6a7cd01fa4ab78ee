"""Finds the masks of positions that lie near an expression, and says under which name.

Zeros and ones may as well be rewards, one for each completion. So what is called no mask has to look like padding, of the shape of the
values, with a last axis of positions, of which each row keeps one unbroken stretch; and the program has to use it as a mask.
"""

import ast
import functools
import re

from .flags import MOST, parts_near
from .observe import is_array, is_tensor

MASK = re.compile(r"mask", re.IGNORECASE)
CHOOSERS = ("where", "masked_fill", "masked_fill_", "masked_select")  # functions that take a mask


def masks_near(frame, x):
    """Returns the name and the mask, True where a value counts, of each mask for the elements of a tensor that variables of a frame and of
    its callers hold, or that stand in tuples, lists, dicts and objects there. Each mask has the shape of the tensor; what is called a
    mask comes first."""
    called, alike = [], []
    for holder, name, part in parts_near(frame):
        flags = None if part is x else _flags_for(part, x)
        if flags is None:
            continue
        if MASK.search(name):
            called.append((name, flags.reshape(x.shape)))
        elif flags.shape == x.shape and like_padding(flags) and _last(name) in _chosen_by(holder.f_code.co_filename):
            alike.append((name, flags))
    return called + alike


def _flags_for(value, x):
    """Returns zeros and ones for the elements of a tensor, as booleans."""
    if is_array(value) and value.dtype.kind in "biuf" and value.size <= MOST:
        value = x.new_tensor(value.tolist())
    if not is_tensor(value) or value.numel() != x.numel() or value.numel() > MOST:
        return None
    return as_flags(value.detach().to(x.device))


def as_flags(value):
    """Returns a tensor of zeros and ones as booleans; None for anything else, and where only one of the two occurs."""
    if value.is_complex() or value.layout != value.new_empty(0).layout:
        return None
    flags = value != 0
    whole = bool((flags == value).all())
    return flags if whole and bool(flags.any()) and not bool(flags.all()) else None


def like_padding(flags):
    """Reports whether each row keeps one unbroken stretch, and one of them more than a single position."""
    if flags.dim() < 2 or flags.shape[-1] < 2:
        return False
    begins = flags[..., 1:] & ~flags[..., :-1]
    stretches = begins.sum(-1) + flags[..., 0]
    return bool((stretches <= 1).all()) and bool((flags.sum(-1) > 1).any())


@functools.lru_cache(maxsize=16)
def _chosen_by(filename):
    """Returns the names of variables, fields and keys by which a file multiplies, picks or inverts."""
    try:
        with open(filename, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    out = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            out.update((_name_of(node.left), _name_of(node.right)))
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Mult):
            out.add(_name_of(node.value))
        elif isinstance(node, ast.Subscript):
            out.add(_name_of(node.slice))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            out.add(_name_of(node.operand))
        elif isinstance(node, ast.Call) and _name_of(node.func) in CHOOSERS:
            out.update(map(_name_of, node.args))
    return frozenset(out - {None})


def _name_of(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("float", "bool", "to", "int"):
        return _name_of(node.func.value)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return getattr(node, "id", getattr(node, "attr", None))


def _last(name):
    """Returns the field or the key in a name: keep of batch.keep and of batch['keep']."""
    return re.findall(r"\w+", name)[-1]
