"""The names under which the rewritten code finds its probes, among the builtins.

They end with two underscores, since a class makes other names that begin with two its own.
"""

import builtins
import operator as operators

PREFIX = "__rlvet_"

# What a program is recorded by: sites.py.
SEE, RAN, FORGET = PREFIX + "see__", PREFIX + "ran__", PREFIX + "forget__"


def value(number):
    return "%s%d__" % (PREFIX, number)


def part(number, name):
    return "%s%d_%s__" % (PREFIX, number, name)


def called(number):
    return "%s%d_called__" % (PREFIX, number)


def entered(number, depth):
    return "%s%d_entered%d__" % (PREFIX, number, depth)


def round_of(number, depth):
    return "%s%d_round%d__" % (PREFIX, number, depth)


def reached(number):
    return "%sreached%d__" % (PREFIX, number)


# IN_PLACE are the functions that do what augmented assignments do.
IN_PLACE = {
    "Add": "iadd", "Sub": "isub", "Mult": "imul", "MatMult": "imatmul", "Div": "itruediv", "FloorDiv": "ifloordiv", "Mod": "imod",
    "Pow": "ipow", "LShift": "ilshift", "RShift": "irshift", "BitOr": "ior", "BitXor": "ixor", "BitAnd": "iand",
}


def operator(op):
    """Returns the name of the function for the operator of an augmented assignment."""
    function = IN_PLACE[type(op).__name__]
    name = "%s%s__" % (PREFIX, function)
    setattr(builtins, name, getattr(operators, function))
    return name
