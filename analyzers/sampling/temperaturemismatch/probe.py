"""DIST014: compares the weights from which tokens were drawn with the log-probabilities by which they are scored.

The logarithm of a weight is the log-probability over the temperature, up to a constant for each position. The slope of
one against the other, over all tokens that could be drawn, is 1 where both are at the same temperature. Confirmed if it
differs from 1 by more than 1 %, else refuted. Open if the two are not on a line: they are of different models or positions.

Where a distribution is asked for the log-probability, its logits are compared in the same way with those of the distributions that were asked without
gradients since the last time, one below another. Confirmed too if actions have hardly any probability there, and some here.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import nodes
from rlvet_harness.joins import wrap
from rlvet_harness.observe import is_tensor

MOST = 64  # draws that are kept, and nodes of the graph that are looked at
KEPT = 4096  # distributions
TOLERANCE = 1e-2
MASKED = -1e3  # a log-probability that no unmasked action has
SCATTER = 1e-3  # the share of the variance that a line leaves open


class TemperatureMismatch(Probe):
    """Watches where the scores of sampled tokens are picked."""

    enough = 1
    needs = "draws of tokens, and the scores that they came from"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.draws, self.fits = [], 0
        self.acted = []  # the logits of distributions that were asked without gradients

    def imported(self, torch):
        wrap(torch.distributions.Categorical, "log_prob", lambda args, out: self.asked(args[0].logits))

    def asked(self, logits):
        if not logits.requires_grad and len(self.acted) < KEPT:
            self.acted.append(logits.detach().float())

    def drawn(self, weights, how, dimension):
        if how == "multinomial" and weights.dim() == 2:
            self.draws.append(weights.detach().float().log())
            del self.draws[:-MOST]

    def hit(self, hit):
        logits = getattr(hit.parts.get("receiver"), "logits", None)
        if is_tensor(logits):
            self.compare(logits.detach().float())
            return
        scores = saved_scores(getattr(hit.value, "grad_fn", None))
        if scores is None or not self.draws:
            return
        (rows, tokens), draws = self.draws[-1].shape, self.draws
        if scores.shape[-1] != tokens or scores.numel() % (rows * tokens):
            return
        self.draws = []
        slope = slope_of(scores.detach().float().reshape(rows, -1, tokens), [d for d in draws if d.shape == (rows, tokens)])
        if slope is None:
            return
        self.fits += 1
        self.show(temperature=1 / slope)
        if abs(slope - 1) > TOLERANCE:
            self.confirm("tokens were drawn at a temperature of %.3g, of which their log-probabilities know nothing" % (1 / slope), temperature=1 / slope)
        else:
            self.upheld()

    def compare(self, logits):
        """Compares the logits of a distribution with those of all that were asked before the first step on them."""
        acted, self.acted = self.acted, []
        count = logits.shape[-1]
        if not acted or any(x.shape[-1] != count for x in acted) or sum(x.numel() for x in acted) != logits.numel():
            return
        then = logits.new_tensor([row for x in acted for row in x.reshape(-1, count).tolist()])
        now = logits.reshape(-1, count)
        if bool(((then < MASKED) & (now > MASKED)).any()):
            self.confirm("actions that were masked when the policy acted are scored as if they were not")
            return
        slope = slope_of(now.unsqueeze(1), [then.where(then > MASKED, then.new_full((), -float("inf")))])
        if slope is None:
            return
        self.fits += 1
        if abs(slope - 1) > TOLERANCE:
            self.confirm("actions were drawn at a temperature of %.3g, of which their log-probabilities know nothing" % (1 / slope), temperature=1 / slope)
        else:
            self.upheld()

    def end(self):
        if not self.fits:
            self.unsure("no draws were seen of whose scores these log-probabilities are")

    def holds(self):
        return "tokens were drawn from the distribution by which they are scored"


def saved_scores(root):
    """Returns what the log_softmax behind a value yielded, None where there is none."""
    for node in nodes(root, MOST) if root is not None else ():
        if type(node).__name__.startswith("LogSoftmaxBackward"):
            return node._saved_result
    return None


def slope_of(scores, draws):
    """Returns the slope of the draws against the scores of the last positions, (rows, positions, tokens); None where they lie on no line."""
    xy = xx = yy = 0.0
    for back in range(1, min(len(draws), scores.shape[1]) + 1):
        y, x = draws[-back], scores[:, -back]
        kept = y.isfinite() & x.isfinite()
        count = kept.sum(-1, keepdim=True).clamp(min=1)
        x, y = x.where(kept, x.new_zeros(())), y.where(kept, y.new_zeros(()))
        x, y = (x - x.sum(-1, keepdim=True) / count) * kept, (y - y.sum(-1, keepdim=True) / count) * kept
        xy, xx, yy = xy + float((x * y).sum()), xx + float((x * x).sum()), yy + float((y * y).sum())
    if not (xx > 0 and yy > 0 and xy > 0) or 1 - xy * xy / (xx * yy) > SCATTER:
        return None
    return xy / xx
