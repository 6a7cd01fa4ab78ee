"""RWD003: how many rewards a batch gets."""

from rlvet_harness import Probe
from rlvet_harness.flags import parts_near


class NotOneRewardEach(Probe):
    """Watches what is returned, or appended to the list."""

    enough = 1
    needs = "a batch of several answers in a list around, and as many rewards"
    scores = True

    def hit(self, hit):
        if isinstance(hit.value, (int, float)):
            self.confirm("one number is returned for the whole batch", value=hit.value)
        elif isinstance(hit.part("receiver"), list):
            for frame, _, values in parts_near(self.frame()):
                if self.run.is_program(frame.f_code.co_filename) and isinstance(values, list) and len(values) > 1 and values is not hit.part("receiver"):
                    self.lengths = (hit.part("receiver"), len(values))
                    break

    lengths = None

    def end(self):
        if self.lengths and len(self.lengths[0]) != self.lengths[1]:
            self.confirm("%d rewards for %d completions" % (len(self.lengths[0]), self.lengths[1]))
        elif self.lengths:
            self.upheld()

    def holds(self):
        return "each completion got one reward"
