"""Probes of sums of loss terms: whether gradients flow through each of them."""

import functools
import sys

from .graph import nodes
from .observe import is_tensor, numbers
from .probe import Probe


class LossTerms(Probe):
    """Watches a sum of loss terms.

    While gradients are recorded, a term that requires no gradient, stands beside one that does
    and changes from one evaluation to the next confirms: it is a constant for the optimizer.
    Terms refute whose gradients all change the same parameter: those of a reference that nobody trains, or of a critic in
    the actor's step, hold nothing back.
    """

    enough = 1
    both = True  # whether a side that was not seen leaves open where gradients flow

    def __init__(self, target, run):
        super().__init__(target, run)
        self.constant = {}  # the values of a side that requires no gradient
        self.flows = 0
        self.apart = 0  # sums whose terms had gradients that changed no parameter in common
        self.idle = {}  # sums in which a side had a gradient that changed nothing, by the side

    def hit(self, hit):
        torch = sys.modules["torch"]
        sides = {name: hit.parts.get(name) for name in ("left", "right")}
        if not self.both:
            sides = {name: s for name, s in sides.items() if s is not None}
        if not torch.is_grad_enabled() or not any(is_tensor(s) and s.requires_grad for s in sides.values()):
            return
        stuck = {name: numbers(s) for name, s in sides.items() if not (is_tensor(s) and s.requires_grad)}
        if not stuck and "right" in sides and not any(has_constant_term(s.grad_fn) for s in sides.values()):
            self.follow(sides)
        for name, seen in stuck.items():
            if seen is not None and seen.mean is not None:
                self.constant.setdefault(name, set()).add(seen.mean)
                self.show(term=name, value=seen.mean)
                self.plot(term=seen.mean)
                if len(self.constant[name]) > 1:
                    self.confirm("a term of the loss changes but has no gradient", value=seen.mean)

    def follow(self, sides):
        """Looks which parameters are changed with the gradients of each side."""
        seen, count, plain = {}, len(sides), not any(is_sum(s.grad_fn) for s in sides.values())

        def told(name, entry):  # which holds none of the sides: each would keep itself
            seen[name] = entry
            if len(seen) < count or any(e.waits and not e.votes for e in seen.values()):
                return
            if set.intersection(*(set(e.votes) for e in seen.values())):
                self.flows += 1
                self.upheld()
                return
            self.apart += 1
            if plain and any(e.votes for e in seen.values()):
                for side in (n for n, e in seen.items() if not e.votes):
                    self.idle[side] = self.idle.get(side, 0) + 1

        for name, side in sides.items():
            self.run.descent.follow(self, side, functools.partial(told, name))

    def end(self):
        if not self.flows and self.apart > 1 and self.apart in self.idle.values():
            self.confirm("a term of the loss has a gradient, which changed no parameter", times=self.apart)
        elif self.apart:
            self.unsure("a term was seen whose gradient changed no parameter that the others change")
        elif not self.flows:
            self.unsure("no sum was observed whose terms all require gradients or whose constant term changed")

    def holds(self):
        return "gradients flow through all terms"


SUMS = ("AddBackward", "SubBackward")
SCALED = SUMS + ("MulBackward", "DivBackward", "NegBackward")


def is_sum(root):
    """Reports whether a value is a sum, scaled or not."""
    return any(node.name().startswith(SUMS) for node in nodes(root, beyond=lambda node: node.name().startswith(SCALED)))


def has_constant_term(root):
    """Reports whether a value is a sum, scaled or not, with a term through which no gradient flows."""
    below = nodes(root, beyond=lambda node: node.name().startswith(SCALED))
    return any(node.name().startswith(SUMS) and any(fn is None for fn, _ in node.next_functions) for node in below)
