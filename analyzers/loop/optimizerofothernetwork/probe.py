"""LOOP070: whether the parameters of an optimizer ever have gradients.

Confirmed if the optimizer has stepped and no gradient of its parameters was other than 0. One that was refutes.
"""

from rlvet_harness import Probe


class OptimizerOfOtherNetwork(Probe):
    """Watches an optimizer from where it is made."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.made = []
        self.idle = self.used = 0

    def hit(self, hit):
        self.made.append(hit.value)

    def stepped(self, optimizer):
        if not any(optimizer is o for o in self.made):
            return
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if any(bool((g != 0).any()) for g in grads):
            self.used += 1
        else:
            self.idle += 1

    def end(self):
        if not self.idle + self.used:
            self.unsure("the optimizer did not step")
        elif not self.used:
            self.confirm("the optimizer stepped, and none of its parameters had a gradient", steps=self.idle)

    def holds(self):
        return "parameters of the optimizer had gradients"
