"""ENV009: whether the observation stays the same object from round to round."""

from rlvet_harness import Probe


class ObsNotAdvanced(Probe):
    """Watches the variable that the actions are chosen from."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last, self.same = None, 0

    def hit(self, hit):
        self.same = self.same + 1 if hit.value is self.last else 0
        self.last = hit.value
        if self.same >= 3:
            self.confirm("the observation was the same object in four rounds")

    def holds(self):
        return "the observation changed from round to round"
