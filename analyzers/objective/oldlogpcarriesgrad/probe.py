"""OBJ007: checks whether the old log-probability carries gradients.

Confirmed if a trained parameter can be reached from it and a backward pass brings it a
gradient that is not zero, or one that is always zero, since it is the new log-probability
and the two gradients cancel. Refuted if it needs no gradient, or reaches only parameters that
nothing trains.
"""

from rlvet_harness.gradients import CarriesGradient


class OldLogpCarriesGrad(CarriesGradient):
    """Watches the log-probability under the old policy."""

    needs = "log-probabilities in numbers that carry no gradient, or none to what is trained"
    confirmed_as = "the loss sends a gradient through the old log-probability into trained parameters"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.cancelled = 0

    def reached(self, owned, gradient, behind=()):
        super().reached(owned, gradient, behind)
        if owned and not bool(gradient.any()):
            self.cancelled += 1

    def end(self):
        if self.cancelled and self.cancelled == self.carried and not self.waiting:
            self.confirm("every gradient that came to it had cancelled that of the new log-probability", times=self.cancelled)
        super().end()
