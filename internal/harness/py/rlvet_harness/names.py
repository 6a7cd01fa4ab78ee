"""The names under which the rewritten code finds its probes, among the builtins."""

PREFIX = "__rlvet_"


def value(number):
    return "%s%d__" % (PREFIX, number)


def part(number, name):
    return "%s%d_%s__" % (PREFIX, number, name)
