"""LOOP014: whether the schedule steps before its optimizer has."""

from rlvet_harness import Probe


class ScheduledBeforeStep(Probe):
    """Watches the step of the schedule."""

    enough = 2
    needs = "a schedule whose optimizer is known"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.began = set()

    def stepped(self, optimizer):
        self.began.add(id(optimizer))

    def hit(self, hit):
        optimizer = getattr(hit.part("receiver"), "optimizer", None)
        if optimizer is None:
            self.unsure("the optimizer of the schedule was not seen")
        elif id(optimizer) not in self.began:
            self.confirm("the optimizer had taken no step yet")
        else:
            self.upheld()

    def holds(self):
        return "the optimizer had stepped before"
