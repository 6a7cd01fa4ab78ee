"""GRAD017: whether a backward pass fails because a result was modified in place.

It confirms if backward() says so and names the operation whose result the flagged
statement modified. Backward passes that succeed refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import nodes

NEAR = 4  # operations behind the change


class InPlaceBeforeBackward(Probe):
    """Watches the change."""

    enough = 3

    def __init__(self, target, run):
        super().__init__(target, run)
        self.makers = set()  # names of the operations whose result was modified

    def imported(self, torch):
        backward, probe = torch.Tensor.backward, self

        def watched(self, *args, **kwargs):
            try:
                return backward(self, *args, **kwargs)
            except RuntimeError as error:
                probe.guarded(probe.broken, str(error))
                raise

        torch.Tensor.backward = watched

    def broken(self, message):
        if "modified by an inplace operation" in message and any("of %s," % name in message for name in self.makers):
            self.confirm("backward() failed: a tensor it needs was modified by an inplace operation")

    def hit(self, hit):
        for value in [hit.value, *hit.parts.values()]:
            made_by = getattr(value, "grad_fn", None)
            if made_by is not None:
                self.makers.update(node.name() for node in nodes(made_by, most=NEAR))

    def holds(self):
        return "no backward pass failed because of it"
