"""ENV009: whether the observation stays the same object from round to round."""

from rlvet_harness import Probe
from rlvet_harness.flags import flat


class ObsNotAdvanced(Probe):
    """Watches the variable that the actions are chosen from."""

    needs = "an observation with other numbers than the one before"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last, self.same = None, 0
        self.contents = None
        self.stayed = False  # whether it was one object for two rounds

    def hit(self, hit):
        contents = flat(hit.value)
        self.upheld(None not in (contents, self.contents) and contents != self.contents)
        self.stayed = self.stayed or hit.value is self.last
        self.same = self.same + 1 if hit.value is self.last and contents == self.contents else 0
        self.last, self.contents = hit.value, contents
        if self.same >= 3:
            self.confirm("the observation was the same object in four rounds")

    def end(self):
        if self.stayed:
            self.unsure("the observation was the same object in some rounds that follow each other, but not in four")

    def holds(self):
        return "the observation changed from round to round"
