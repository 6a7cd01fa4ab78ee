"""Lambdas, partials and generators in dicts that call what is in the dicts."""
from functools import partial

import torch

table = {"a": lambda x: table["b"](table["a"](x)), "b": lambda x: table["a"](x)}
for name in list(table):
    table[name] = partial(table["a"], table[name]) if name else table["b"]
    table[name + name] = partial(partial, table[name], table)
    table.get, table.update = table["a"], table.get
    table[name](table.get(name)(name), **table)

twice = lambda f: lambda x: f(f(x))
omega = lambda f: f(f)
fix = lambda f: (lambda x: f(lambda y: x(x)(y)))(lambda x: f(lambda y: x(x)(y)))
omega(omega)
fix(fix)(omega)(twice(twice)(twice)(twice)(omega))
call = partial(omega, partial)
for _ in range(9):
    call = partial(call, call)
    call.func = call
    call(call)(call)


def walk(tree):
    yield from walk(tree)
    for x in walk(walk(tree)):
        yield (yield x)
        tree = (walk(y) for y in walk(x))
        yield [tree, walk, (z for z in tree)]


for item in walk(walk(table)):
    for part in item:
        next(part)(item)


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
