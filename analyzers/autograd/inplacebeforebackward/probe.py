"""GRAD017: whether a backward pass fails because a result was modified in place.

It confirms if backward() says so and names the operation whose result the flagged
statement modified. Backward passes that succeed, through what was
modified, refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import nodes

NEAR = 4  # operations behind the change


class InPlaceBeforeBackward(Probe):
    """Watches the change."""

    enough = 3
    needs = "a backward pass through what was modified"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.makers = set()  # names of the operations whose result was modified

    def imported(self, torch):
        backward, probe = torch.autograd.backward, self

        def watched(*args, **kwargs):
            try:
                return backward(*args, **kwargs)
            except RuntimeError as error:
                probe.guarded(probe.broken, str(error))
                raise

        torch.autograd.backward = watched

    def broken(self, message):
        if "modified by an inplace operation" not in message:
            return
        if any("of %s," % name in message for name in self.makers):
            self.confirm("backward() failed: a tensor it needs was modified by an inplace operation")
        else:
            self.unsure("backward() failed: a tensor that it needs was modified in place, here or elsewhere")

    def hit(self, hit):
        if getattr(hit.value, "requires_grad", False):
            reached = []
            self.at_backward(hit.value, reached.append)
            self.run.after_backward.append(lambda: self.upheld(bool(reached)))
        for value in [hit.value, *hit.parts.values()]:
            made_by = getattr(value, "grad_fn", None)
            if made_by is not None:
                self.makers.update(node.name() for node in nodes(made_by, most=NEAR))

    def holds(self):
        return "no backward pass failed because of it"
