"""DIST007: the drawn action, followed through the critic to the loss.

The action is followed through arithmetic, concatenation and modules, but not through the
distribution's own ``log_prob``. A loss that is made of it on this way, while it carries no
gradient and the distribution's parameters do, confirms: what the critic says never reaches
the policy. An action that a backward brings a gradient refutes.
"""

import sys
import weakref

from rlvet_harness import Probe
from rlvet_harness.joins import BINARY, wrap
from rlvet_harness.observe import is_tensor, owned_leaf

ONWARD = BINARY + (
    "__neg__", "__pow__", "__getitem__", "tanh", "sigmoid", "clamp", "clip", "neg", "mean", "sum", "min", "max", "minimum", "maximum", "cat", "concat",
    "concatenate", "stack", "hstack", "squeeze", "unsqueeze", "flatten", "view", "reshape", "float", "to", "cpu", "cuda", "pow", "square",
)
MOST = 64  # draws that are followed to a backward


class SampleNotRsample(Probe):
    """Watches a draw from a distribution."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.followed = {}  # references to the actions without gradient, and to what is made of them, by id
        self.scoring = 0  # calls of log_prob that are under way
        self.lost = self.reached = 0

    def imported(self, torch):
        for owner in (torch, torch.Tensor):
            for name in ONWARD:
                wrap(owner, name, self.made)
        wrap(torch.nn.Module, "__call__", lambda args, out: self.made(args[1:], out))
        backward, distributions = torch.Tensor.backward, torch.distributions.Distribution
        wrap(torch.Tensor, "backward", lambda args, out: self.guarded(self.differentiated, args[0]))
        self.pass_over(distributions)

    def pass_over(self, distributions):
        """Does not follow through the log-probability of any distribution."""
        for kind in [distributions] + _below(distributions):
            if "log_prob" in vars(kind):
                kind.log_prob = self.unfollowed(kind.log_prob)

    def unfollowed(self, log_prob):
        def score(*args, **kwargs):
            self.scoring += 1
            try:
                return log_prob(*args, **kwargs)
            finally:
                self.scoring -= 1

        score.__name__, score.__wrapped__ = "log_prob", log_prob
        return score

    def made(self, args, out):
        """Is told of an operation: what is made of an action is followed, too."""
        if self.followed and not self.scoring and is_tensor(out) and any(map(self.follows, args)):
            self.follow(out)

    def follows(self, value):
        if isinstance(value, (tuple, list)):
            return any(map(self.follows, value))
        held = self.followed.get(id(value))
        return held is not None and held() is value

    def follow(self, value):
        self.followed[id(value)] = weakref.ref(value)

    def hit(self, hit):
        torch, action = sys.modules["torch"], hit.value
        if not is_tensor(action) or not torch.is_grad_enabled() or self.lost + self.reached >= MOST:
            return
        if action.requires_grad:
            self.at_backward(action, self.carried)
        elif any(owned_leaf(p, self.run.owned) for p in _parameters(hit.part("receiver"))):
            self.follow(action)

    def carried(self, gradient):
        self.reached += 1
        self.show(largest_gradient=float(gradient.abs().max()))

    def differentiated(self, loss):
        """Looks at a loss after its backward."""
        found, self.followed = self.follows(loss), {}
        if found:
            self.lost += 1
            self.show(loss=float(loss.detach()), largest_gradient=0.0)
            self.confirm("the loss is made of the action, and the action carries no gradient to the parameters of its distribution")

    def end(self):
        if not self.lost + self.reached:
            self.unsure("no loss was seen to be made of the action")

    def holds(self):
        return "a gradient of the loss reached the action at %d backwards" % self.reached


def _below(kind):
    return [k for direct in kind.__subclasses__() for k in [direct] + _below(direct)]


def _parameters(distribution):
    """Yields the tensors of a distribution, and of what it is made of."""
    for value in vars(distribution).values():
        if is_tensor(value):
            yield value
        elif hasattr(value, "log_prob"):
            yield from _parameters(value)
