"""VAL096: with which sign a loss counts the error of a critic.

Confirmed if a backward pass shows that the loss falls as the second part of the flagged sum grows. Refuted if it rises with it at five.
"""

from rlvet_harness import Probe


class ValueLossSubtracted(Probe):
    """Watches the sum of which the error is a part."""

    enough = 5
    needs = "backward passes, each with a step, that reach an error that is not negative"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.right = 0

    def hit(self, hit):
        part = hit.part("right")
        if getattr(part, "requires_grad", False) and self.confirmed is None:
            error = bool((part.detach() >= 0).all())
            self.at_step(part, lambda gradient: self.reached(float(gradient.sum()), error))

    def reached(self, slope, error):
        if slope < 0:
            self.confirm("the loss falls as the error grows", slope=slope)
        elif slope > 0:
            self.right += 1
            self.upheld(error)

    def end(self):
        if self.right < self.enough:
            self.unsure("too few backward passes reached the error")

    def holds(self):
        return "the loss rose with the error"
