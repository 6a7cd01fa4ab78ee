"""DIST025: checks the sums of the probabilities where actions are taken from them.

Confirmed if there are rows, one at least, and they do not sum to 1 along the dimension from which a
draw, a Categorical or gather takes the action. Refuted if they do, or by vectors where no
softmax of the run was of several rows.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.trace import same_memory

ACTS = ("multinomial", "gather", "Categorical", "logits")


class SoftmaxWrongDim(Probe):
    """Watches a softmax, and what is drawn from its result."""

    enough = 1
    needs = "actions that are taken from these probabilities, of several states where they are of several"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = None
        self.logarithmic = False
        self.taken = self.tables = self.vectors = 0

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is not None and seen.count:
            self.last = hit.value
            self.tables += len(seen.shape) > 1
            self.logarithmic = seen.negative > 0

    def drawn(self, tensor, how, dimension):
        """Checks a tensor from which actions are taken along a dimension."""
        if self.last is None or how not in ACTS or dimension is None or not same_memory(tensor, self.last):
            return
        weights = tensor.detach().double()
        weights = weights.exp() if self.logarithmic else weights
        if any(_off(weights, d) < 1e-3 for d in range(dimension % weights.dim() + 1, weights.dim())):
            return  # a distribution for each action, from which that of one action is taken
        self.taken += 1
        sums, worst = weights.sum(dimension), _off(weights, dimension)
        self.show(taken_by=how, sums_low=float(sums.min()), sums_high=float(sums.max()))
        self.plot(distance_of_sums_from_1=worst)
        if weights.dim() > 1 and worst > 1e-3:
            self.confirm(
                "the probabilities of a state do not sum to 1 where %s takes an action" % how,
                sums_low=float(sums.min()), sums_high=float(sums.max()), states=sums.numel(),
            )
        elif weights.dim() > 1:
            self.upheld()
        else:
            self.vectors += 1

    def end(self):
        if self.taken == 0:
            self.unsure("no action was taken from these probabilities")
        elif not self.tables:
            self.upheld(self.vectors)

    def holds(self):
        return "the probabilities of each state summed to 1 wherever an action was taken"


def _off(weights, dimension):
    """Returns the largest distance from 1 of a sum along a dimension."""
    return float((weights.sum(dimension) - 1).abs().max())
