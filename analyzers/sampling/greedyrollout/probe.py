"""DIST017: the samples of each prompt.

Samples of one prompt that are the same for all prompts of the run confirm; two that differ
refute. Where no prompt has two samples, the call is made again under another state of the
random generators, which is put back. A call that refuses a temperature of 0 confirms.
"""

import ast
import sys

from rlvet_harness import Probe
from rlvet_harness.rollouts import of_tensors

MOST_AGAIN = 3  # calls that are made again


class GreedyRollout(Probe):
    """Watches a call that generates, or the configuration of a trainer that does."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.trainer = None  # the package of the trainer whose calls count, where a configuration is watched
        self.calling = False
        self.prompts = self.differing = self.again = 0

    def generated(self, written):
        if written.asked_by == self.trainer:
            self.compare(written)

    def refused(self, error):
        if self.trainer is not None and "temperature" in str(error):
            self.confirm("the call that generates raised: %s" % str(error).splitlines()[0])

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
        """Compares the samples of each prompt; reports whether there were any to compare."""
        groups = {}
        for written in filter(None, calls):
            for prompt, samples in written.by_prompt().items():
                groups.setdefault(prompt, []).extend(samples)
        several = [samples for samples in groups.values() if len(samples) > 1]
        differing = sum(len(set(samples)) > 1 for samples in several)
        self.prompts, self.differing = self.prompts + len(several), self.differing + differing
        if several:
            self.show(prompts=len(several), with_different_samples=differing)
        return bool(several)

    def repeated(self, hit):
        """Makes the flagged call once more; returns what it wrote, or None."""
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
            self.unsure("no prompt was seen to be sampled twice")
        elif not self.differing:
            self.confirm("all samples of a prompt were the same", prompts=self.prompts)

    def holds(self):
        return "%d of %d times the samples of a prompt differed" % (self.differing, self.prompts)
