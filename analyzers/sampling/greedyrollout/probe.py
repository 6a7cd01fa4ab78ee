"""DIST017: compares the samples of each prompt.

Confirmed if the samples of every prompt of the run are equal, or if the call rejects a
temperature of 0. Refuted if two samples of a prompt differ. If no prompt has two samples, the
call is repeated under another random seed, and the random generators are restored.
"""

import ast
import sys

from rlvet_harness import Probe
from rlvet_harness.rollouts import of_tensors

MOST_AGAIN = 3  # calls that are repeated


class GreedyRollout(Probe):
    """Watches a call of `generate`, or the configuration of a trainer that makes such calls."""

    enough = 1
    needs = "a prompt with two samples"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.trainer = None  # if a configuration is watched: the package of the trainer whose calls count
        self.calling = False
        self.prompts = self.differing = self.again = 0

    def generated(self, written):
        if written.asked_by == self.trainer:
            self.compare(written)

    def refused(self, error):
        if self.trainer is not None and "temperature" in str(error):
            self.confirm("generation raised: %s" % str(error).splitlines()[0])

    def hit(self, hit):
        if self.calling:
            return
        if not hasattr(getattr(hit.value, "sequences", hit.value), "tolist"):
            self.trainer = type(hit.value).__module__.partition(".")[0]
            return
        prompts = hit.argument(1, "inputs", "input_ids")
        if not hasattr(prompts, "tolist"):
            return
        written = of_tensors(prompts, hit.value)
        if not self.compare(written) and self.again < MOST_AGAIN:
            self.again += 1
            self.compare(written, self.repeated(hit))

    def compare(self, *calls):
        """Compares the samples of each prompt. Reports whether there were any to compare."""
        groups = {}
        for written in filter(None, calls):
            for prompt, samples in written.by_prompt().items():
                groups.setdefault(prompt, []).extend(samples)
        several = [samples for samples in groups.values() if len(samples) > 1]
        differing = sum(len(set(samples)) > 1 for samples in several)
        self.upheld(differing)
        self.prompts, self.differing = self.prompts + len(several), self.differing + differing
        if several:
            self.show(prompts=len(several), with_different_samples=differing)
        return bool(several)

    def repeated(self, hit):
        """Repeats the flagged call. Returns what it generated, or None."""
        call, torch = self.expression(), sys.modules["torch"]
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return None
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        args = [hit.parts["arg%d" % i] for i in range(len(call.args))]
        named = {k.arg: hit.parts[k.arg] for k in call.keywords}
        self.calling = True
        try:
            with torch.random.fork_rng(), torch.no_grad():
                torch.manual_seed(self.again)
                out = getattr(hit.part("receiver"), call.func.attr)(*args, **named)
        finally:
            self.calling = False
        return of_tensors(hit.argument(1, "inputs", "input_ids"), out)

    def end(self):
        if not self.prompts:
            self.unsure("no prompt was sampled twice")
        elif not self.differing:
            self.confirm("all samples of each prompt were the same", prompts=self.prompts)

    def holds(self):
        return "the samples of a prompt differed in %d of %d groups" % (self.differing, self.prompts)
