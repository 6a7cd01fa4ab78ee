"""ENV060: whether a loaded normaliser was still training when the program ended."""

from rlvet_harness import Probe


class NormalisedAtEvaluation(Probe):
    """Keeps the environment that was loaded."""

    enough = 1
    needs = "an environment that is switched to evaluation"
    env = None

    def hit(self, hit):
        self.env = hit.value

    def end(self):
        if self.env is not None and (self.env.training or self.env.norm_reward):
            self.confirm("at the end: training=%s, norm_reward=%s" % (self.env.training, self.env.norm_reward))
        else:
            self.upheld(self.env is not None)

    def holds(self):
        return "it was switched to evaluation"
