"""OBJ012: checks the sign of the gradient of the loss with respect to the entropy.

The entropies that distributions compute are followed to the backward pass. Confirmed if an
entropy in the flagged term gets a gradient above 0, since minimising the loss then lowers
it. Refuted if the gradient is below 0. An entropy written out as a sum of p log p is
recognised by the softmax or sigmoid in its graph. The entropy of a discrete policy is never negative,
so the sign of the term shows whether it is the entropy or its negative.
"""

import weakref

from rlvet_harness import Probe, numbers
from rlvet_harness.graph import nodes

MOST = 64  # terms that are followed
NODES = 200  # of a term's graph


class EntropySign(Probe):
    """Watches the term of the loss."""

    enough = 5
    needs = "a backward that brings an entropy of the term a gradient, which a step then uses"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.entropies = []  # weak references to the entropies that distributions returned
        self.latest = []  # the last of them: the program keeps a sum over them, not themselves
        self.followed = 0

    def imported(self, torch):
        for kind in list(vars(torch.distributions).values()):
            if isinstance(kind, type) and "entropy" in vars(kind):
                kind.entropy = self.noting(kind.entropy)

    def noting(self, entropy):
        def entropy_and_note(distribution):
            out = entropy(distribution)
            if getattr(out, "requires_grad", False):
                self.entropies = [e for e in self.entropies[-15:] if e() is not None] + [weakref.ref(out)]
                self.latest = [*self.latest[-1:], out]
            return out

        return entropy_and_note

    def hit(self, hit):
        term = hit.value
        seen = numbers(term)
        if not getattr(term, "requires_grad", False) or seen is None or self.followed >= MOST or self.confirmed is not None:
            return
        self.followed += 1
        behind = set(nodes(term.grad_fn, NODES))
        made = [e for e in (ref() for ref in self.entropies) if e is not None and e.grad_fn in behind]
        if made:
            self.at_step(made[-1], lambda gradient: self.reached(float(gradient.sum())))
        elif any(kind in type(n).__name__ for n in behind for kind in ("Softmax", "Sigmoid")) and seen.low is not None and (seen.low >= 0 or seen.high <= 0):
            sign = 1 if seen.mean > 0 else -1
            self.at_step(term, lambda gradient: self.reached(sign * float(gradient.sum())))
        else:
            self.unsure("no entropy was recognised in the term")

    def reached(self, slope):
        self.show(slope_by_entropy=slope)
        self.plot(slope_by_entropy=slope)
        if slope > 0:
            self.confirm("the loss rises with the entropy", slope=slope)
        elif slope < 0:
            self.upheld()

    def holds(self):
        return "the loss fell as the entropy rose"
