"""OBJ025: at which entropy the temperature stays as it is, and which way it is moved.

Where the sum of log-probability and target is flagged, what is added to the log-probability is
the entropy at which the sum is 0. It confirms if actions that Normal draws get one above 0, which a
squashed policy does not reach, or those of a softmax one below 0, which no policy has. Where the product with the temperature
is flagged, the values of the other factor are compared with the log-probabilities that were
computed last. It confirms if the loss rises with the temperature where log-probabilities are
high. The other sign refutes.
"""

from rlvet_harness import Probe, numbers
from rlvet_harness.observe import is_tensor

CLOSELY = 0.8  # the correlation from which the factor is told to be the log-probabilities, and with which sign


class TemperatureLossSign(Probe):
    """Watches the sum, or the product with the temperature."""

    enough = 4
    needs = "a target beside log-probabilities of one kind of actions, or a factor that follows them, a backward and a step"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = None  # the mean of the log-probabilities that were computed last
        self.continuous = self.discrete = False
        self.pairs = []  # of these means, with those of the factor beside the temperature
        self.directed = 0  # gradients whose step told the direction
        self.slopes = []  # of the loss, with respect to the product

    def imported(self, torch):
        normal, functional = torch.distributions.Normal, torch.nn.functional
        normal.log_prob = self.noting(normal.log_prob, "continuous")
        for owner in (torch, torch.Tensor, functional):
            owner.log_softmax = self.noting(owner.log_softmax, "discrete")

    def noting(self, function, kind):
        def note(*args, **kwargs):
            out = function(*args, **kwargs)
            setattr(self, kind, True)
            self.last = numbers(out).mean
            return out

        return note

    def hit(self, hit):
        sides = [hit.parts.get("left"), hit.parts.get("right")]
        alone = [is_tensor(s) and s.requires_grad and s.numel() == 1 for s in sides]
        whole, seen = numbers(hit.value), [numbers(s) for s in sides]
        if whole is None or any(s is None or s.mean is None for s in seen):
            return
        if any(alone):
            self.product(hit.value, seen[0 if alone[1] else 1].mean)
            return
        constant = [s.low == s.high for s in seen]
        if constant[0] == constant[1]:
            self.unsure("neither side is a single number")
            return
        entropy = whole.mean - seen[0 if constant[1] else 1].mean
        self.show(entropy=entropy)
        if self.continuous and not self.discrete and entropy > 0:
            self.confirm("the target is an entropy that a squashed policy does not reach", entropy=entropy)
        elif self.discrete and not self.continuous and entropy < 0:
            self.confirm("the target is an entropy below 0, which no policy has", entropy=entropy)
        elif self.discrete and self.continuous:
            self.unsure("the program has continuous and discrete actions")
        elif self.continuous or self.discrete:
            self.upheld()

    def product(self, value, factor):
        if self.last is not None and value.requires_grad:
            self.pairs.append((self.last, factor))
            self.at_step(value, self.reached)

    def reached(self, gradient):
        self.slopes.append(float(gradient.sum()))
        self.directed += not self.undirected

    def end(self):
        if not self.pairs:
            return
        mean = [sum(p[i] for p in self.pairs) / len(self.pairs) for i in (0, 1)]
        together = sum((a - mean[0]) * (b - mean[1]) for a, b in self.pairs)
        slope = sum(self.slopes)
        spread = [sum((p[i] - mean[i]) ** 2 for p in self.pairs) for i in (0, 1)]
        follows = together**2 > CLOSELY**2 * spread[0] * spread[1]
        if len(self.pairs) < self.enough or not follows or not slope:
            self.unsure("too few evaluations tell how the factor follows the log-probabilities")
        elif together * slope > 0:
            self.confirm("the loss lowers the temperature of a policy with too little entropy", evaluations=len(self.pairs))
        elif not self.directed:
            self.unsure("no step used the gradient of the product")
        else:
            self.upheld(len(self.pairs))

    def holds(self):
        return "the loss moved the temperature towards a target that can be reached"
