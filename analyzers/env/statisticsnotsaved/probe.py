"""ENV061: whether the statistics of a normaliser were saved."""

from rlvet_harness import Probe


class StatisticsNotSaved(Probe):
    """Counts how often the environment is saved."""

    enough = 1
    needs = "a call of save"
    env, saved = None, 0

    def hit(self, hit):
        self.env = hit.value
        own = self.env.save

        def save(path):
            self.saved += 1
            return own(path)

        self.env.save = save

    def end(self):
        if self.env is not None and not self.saved:
            self.confirm("the run ended, and the statistics were never saved")
        self.upheld(self.saved)

    def holds(self):
        return "the statistics were saved"
