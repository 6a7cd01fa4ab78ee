"""advantage: finite, not the same for all, and a constant of the policy's loss: no gradient flows through it.

Source: Sutton et al. 2000, Policy Gradient Methods, theorem 2; Schulman et al. 2016, Generalized Advantage Estimation.
"""

from rlvet_harness.contract import Contract

FEW = 8  # numbers below which an order may be chance
MOST = 64  # values that are followed


class Advantage(Contract):
    """Watches advantages.

    A gradient that grows with the advantage itself is that of a squared error, as the critic's
    loss has it, and breaks nothing; any other comes from a product with log-probabilities.
    """

    needs = "advantages that differ within a batch, and carry no gradient or get one by a backward"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.flat = self.spread = self.followed = 0

    def look(self, hit, seen):
        if seen.count > 1:
            self.flat += seen.high == seen.low
            self.spread += seen.high > seen.low
        if self.flat >= self.enough and not self.spread:
            self.confirm("all advantages of a batch are %.3g, at each of %d evaluations" % (seen.low, self.flat), value=seen.brief())
        elif seen.high > seen.low and not seen.requires_grad:
            self.upheld()
        if seen.requires_grad and seen.count >= FEW and self.followed < MOST:
            self.followed += 1
            self.at_backward(hit.value, lambda gradient, value=hit.value.detach(): self.reached(value, gradient))

    def reached(self, value, gradient):
        in_order = gradient.flatten()[value.flatten().argsort()]
        if float(gradient.abs().max()) > 0 and bool((in_order[1:] < in_order[:-1]).any()):
            self.confirm("the policy's loss sends a gradient through it", largest_gradient=float(gradient.abs().max()))
        elif float(value.max()) > float(value.min()):
            self.upheld()

    def holds(self):
        return "it was finite, differed within a batch, and no policy loss sent a gradient through it"
