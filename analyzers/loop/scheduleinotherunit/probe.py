"""LOOP075: how far a schedule comes.

A schedule that steps on beyond its own total, a rate of zero in most steps of optimizers, and a count that goes back to its
beginning again and again, confirm. How far a count would have come in the whole run is not known, so nothing refutes.
"""

from rlvet_harness import Probe

TOTALS = ("T_max", "total_iters", "total_steps")


class ScheduleInOtherUnit(Probe):
    """Watches the step of the schedule, or the count that is read."""

    needs = "a schedule that steps beyond its total, or a count that begins anew"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.last = self.first = None
        self.again = self.off = self.steps = 0

    def stepped(self, optimizer):
        self.steps += 1
        self.off += not any(group.get("lr", 1) for group in optimizer.param_groups)

    def hit(self, hit):
        schedule = hit.part("receiver")
        if schedule is not None:
            self.scheduled(schedule)
        elif isinstance(hit.value, (int, float)):
            self.counted(hit.value)

    def scheduled(self, schedule):
        total = next((getattr(schedule, name) for name in TOTALS if hasattr(schedule, name)), None)
        steps = getattr(schedule, "last_epoch", None)
        if isinstance(total, (int, float)) and isinstance(steps, int) and steps >= 1.5 * total:
            self.confirm("the schedule has %d steps, and was made for %d" % (steps, total))

    def counted(self, value):
        if self.first is None:
            self.first = value
        elif self.last is not None and value < self.last and value <= self.first:
            self.again += 1
            if self.again == 2:
                self.confirm("the count went back to %g twice" % value)
        self.last = value

    def end(self):
        if self.off > 0.5 * self.steps:
            self.confirm("the learning rate was zero in %d of %d steps" % (self.off, self.steps))
        self.unsure("how far the schedule would come in the whole run was not seen")
