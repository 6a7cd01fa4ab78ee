"""DIST007: follows the drawn action through the critic to the loss.

The action is followed through arithmetic, concatenation and modules, but not through the
distribution's own ``log_prob``. Confirmed if a loss depends on it this way while the action
carries no gradient and the distribution's parameters do: the gradient of the critic never
reaches the policy. Refuted if a backward pass brings a gradient to the action.
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
MOST = 64  # draws that are followed to a backward pass


class SampleNotRsample(Probe):
    """Watches a draw from a distribution."""

    enough = 1
    needs = "a gradient that a backward pass brings to the action"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.followed = {}  # references to the actions without gradient and to what depends on them, by id
        self.scoring = 0  # calls of log_prob in progress
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
        """Stops following at the log-probability of any distribution."""
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
        """Receives an operation: follows its result if it depends on an action."""
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
        self.upheld(bool(gradient.any()))
        self.show(largest_gradient=float(gradient.abs().max()))

    def differentiated(self, loss):
        """Checks a loss after its backward pass."""
        found, self.followed = self.follows(loss), {}
        if found:
            self.lost += 1
            self.show(loss=float(loss.detach()), largest_gradient=0.0)
            self.confirm("the loss depends on the action, but no gradient flows through the action to its distribution")

    def end(self):
        if not self.lost + self.reached:
            self.unsure("no loss was seen that depends on the action")

    def holds(self):
        return "a gradient of the loss reached the action in %d backward passes" % self.reached


def _below(kind):
    return [k for direct in kind.__subclasses__() for k in [direct] + _below(direct)]


def _parameters(distribution):
    """Yields the tensors of a distribution and of its base distributions."""
    for value in vars(distribution).values():
        if is_tensor(value):
            yield value
        elif hasattr(value, "log_prob"):
            yield from _parameters(value)
