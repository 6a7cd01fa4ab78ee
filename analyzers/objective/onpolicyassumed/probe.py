"""OBJ024: compares log-probabilities of the same samples before and after optimizer steps.

Samples are told apart by their weights: a weight that belongs to a single sample and is seen
again with no action sampled in between is the same sample of the same rollout. Confirmed if
its log-probability has moved by more than 0.01 on average since its first use: the gradient
is then that of an older policy. Refuted if no sample was used again after a step.
Inconclusive if samples share weights.

Of a log-ratio of the policy to itself, it counts the steps: confirmed if it is 0 and an optimizer
has made a step since it was last evaluated, with no action sampled in between.
"""

import ast

from rlvet_harness import Probe

MOVED = 0.01
MOST = 4096  # samples of a rollout that are remembered


class OnPolicyAssumed(Probe):
    """Watches log-probability times weight, or a log-ratio of the policy to itself."""

    needs = "new samples at each evaluation, or the same ones whose log-probabilities are what they were"
    draws = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.rollout = None  # the number of draws at its start
        self.first = {}  # by weight of a sample: its first log-probability, and the step then
        self.repeated = set()  # weights of more than one sample
        self.told = 0
        self.is_difference = isinstance(getattr(self.expression(), "op", None), ast.Sub)
        self.seen = None  # the draws and steps when it was last evaluated
        self.strange = False  # whether samples of one rollout came after a step that were not known by their weights

    def hit(self, hit):
        if self.is_difference:
            self.compare_to_itself(hit.value)
            return
        logp, weights = self.sides(hit)
        if logp is None or logp.numel() > MOST:
            self.unsure("the product is not of log-probabilities and weights, sample by sample")
            return
        fresh = self.rollout != self.run.draws
        if fresh:
            self.rollout, self.first = self.run.draws, {}
            self.repeated = set()
        stepped, self.seen = self.seen is not None and self.seen[1] != self.run.steps, (self.run.draws, self.run.steps)
        moves = list(self.moves(weights.detach().flatten().tolist(), logp.detach().flatten().tolist()))
        told = len(set(weights.flatten().tolist())) > 1
        self.told += told
        if told and fresh:
            self.upheld()
        if not moves:
            self.strange = self.strange or stepped and not fresh
            return
        mean = sum(abs(now - before) for now, before in moves) / len(moves)
        self.show(samples=len(moves), mean_move=mean)
        self.plot(mean_move=mean)
        if mean > MOVED:
            self.confirm("samples were used again after the policy had moved", samples=len(moves), mean_move_of_log_probability=mean)
        elif told and not fresh:
            self.upheld()

    def compare_to_itself(self, log_ratio):
        """Asks whether a log-ratio is 0 although the policy has moved since the rollout."""
        before, self.seen = self.seen, (self.run.draws, self.run.steps)
        self.told += 1
        if before is None or before[0] != self.run.draws or before[1] == self.run.steps:
            return
        largest = float(log_ratio.detach().abs().max())
        self.show(steps=self.run.steps - before[1], largest_log_ratio=largest)
        if largest == 0:
            self.confirm("the ratio was 1 although the policy had moved since the rollout")
        else:
            self.upheld()

    def sides(self, hit):
        """Returns the factor with gradients and the one without, if they have one shape."""
        left, right = hit.part("left", "receiver"), hit.part("right", "arg0")
        for logp, weights in ((left, right), (right, left)):
            if getattr(logp, "requires_grad", False) and hasattr(weights, "numel") and not weights.requires_grad:
                if weights.shape == logp.shape and logp.numel() > 1:
                    return logp, weights
        return None, None

    def moves(self, weights, logps):
        """Yields the current and the first log-probability of samples used before a step."""
        now = {}
        for weight, logp in zip(weights, logps):
            if weight in now:
                self.repeated.add(weight)
            now[weight] = logp
        for weight, logp in now.items():
            if weight in self.repeated:
                self.first.pop(weight, None)
                continue
            before, step = self.first.setdefault(weight, (logp, self.run.steps))
            if step < self.run.steps:
                yield logp, before

    def end(self):
        if self.told < self.enough:
            self.unsure("samples share weights and cannot be told apart")
        elif self.strange:
            self.unsure("between steps no action was drawn, and the samples were not recognised")

    def holds(self):
        return "no sample was used again after the policy had moved by %.2g" % MOVED
