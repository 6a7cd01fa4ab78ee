"""KL002: the gradient that each term of the loss gives to the log-probs of the actions.

It confirms if a term gives every chosen log-prob the same gradient at several updates,
whatever its distance from the reference: that is the gradient of the mean log-prob alone.
Gradients that differ from action to action refute.
"""

import sys

from rlvet_harness import Probe
from rlvet_harness.graph import leaves, nodes
from rlvet_harness.observe import is_tensor

LOOKED = 8  # evaluations at which gradients are computed
SAME = 3  # of them that must agree


class K1InLoss(Probe):
    """Watches a sum of loss terms."""

    enough = SAME
    needs = "both terms, with gradients to log-probs that were picked from rows"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.constant = {"left": [], "right": []}
        self.looked = 0

    def hit(self, hit):
        if hit.index >= LOOKED:
            return
        differ = 0
        for name in ("left", "right"):
            grads = self.gradients(hit.parts.get(name))
            if grads is None or grads.numel() < 4:
                continue
            self.looked += 1
            low, high = float(grads.min()), float(grads.max())
            self.show(term=name, gradient_low=low, gradient_high=high)
            if high - low <= 1e-5 * max(abs(low), abs(high)):
                self.constant[name].append(low)
                if len(self.constant[name]) >= SAME:
                    self.confirm(
                        "one term gives every log-prob the same gradient, whatever its distance from the reference",
                        gradient=low, log_probs=grads.numel(),
                    )
            else:
                differ += 1
        if differ == 2:
            self.upheld()

    def gradients(self, term):
        """Returns the gradient that a term gives to the log-probs of the chosen actions,
        without the zeros of masks; None if nothing was chosen."""
        torch = sys.modules["torch"]
        if not is_tensor(term) or term.grad_fn is None or not torch.is_grad_enabled():
            return None
        picks = _picks(term.grad_fn)
        got = []
        hooks = [pick.register_hook(lambda down, up: got.append(up[0].detach())) for pick in picks]
        try:
            torch.autograd.grad(term.sum(), list(leaves(term.grad_fn)), retain_graph=True, allow_unused=True)
        finally:
            for hook in hooks:
                hook.remove()
        flat = torch.cat([g.reshape(-1) for g in got]) if got else None
        return None if flat is None else flat[flat != 0]

    def end(self):
        if not self.looked:
            self.unsure("no log-probs of actions were found in the graph of the loss")

    def holds(self):
        return "the gradients of the terms differ from action to action"


def _picks(root):
    """Returns the operations of a graph that pick one log-prob per row."""
    return [node for node in nodes(root) if type(node).__name__.startswith("GatherBackward")]
