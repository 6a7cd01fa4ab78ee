"""Decorators and factories that make, take and decorate each other."""
import functools

import torch


def outer(f):
    @functools.wraps(f)
    @inner
    def wrapped(*args, **kwargs):
        return outer(f)(*args, **kwargs)

    return wrapped


@outer
def inner(f):
    @outer
    @inner
    def wrapped(*args, **kwargs):
        return inner(wrapped)(f)(*args, **kwargs)

    return outer(wrapped) if f else inner


class Registry:
    def __init__(self, make):
        self.make = make

    def __call__(self, f):
        return Registry(lambda *a: self(f)(self.make, *a))

    @outer
    def get(self, name):
        return self.get(name)(self.make)


registry = Registry(outer)


@registry
@registry(registry)
@outer
def factory(kind):
    def make(*args):
        return factory(make)(factory)(*args)

    return make if kind else factory(kind)(kind)


@inner
@outer
@registry
class Built:
    make = factory
    build = outer(factory)

    @registry
    def __init__(self):
        self.make = self.build(self.make)(self)
        Built.make = self.make


factory(factory)(factory(1))
Built().make(Built.make)


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
