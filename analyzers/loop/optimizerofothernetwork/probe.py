"""LOOP070: whether the parameters of an optimizer ever have gradients.

Confirmed if the optimizer has stepped and no gradient of its parameters was other than 0. One that was refutes, unless another optimizer holds
the same parameters, for which it may be.
"""

from rlvet_harness import Probe
from rlvet_harness.observe import parameters_of


class OptimizerOfOtherNetwork(Probe):
    """Watches an optimizer from where it is made."""

    enough = 1
    needs = "a step with gradients of parameters that no other optimizer holds"

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
            held = set(map(id, parameters_of(optimizer)))
            others = [p for o in list(self.run.optimizers) if o is not optimizer for p in parameters_of(o)]
            self.upheld(not any(id(p) in held for p in others))
        else:
            self.idle += 1

    def end(self):
        if not self.idle + self.used:
            self.unsure("the optimizer did not step")
        elif not self.used:
            self.confirm("the optimizer stepped, and none of its parameters had a gradient", steps=self.idle)

    def holds(self):
        return "parameters of the optimizer had gradients"
