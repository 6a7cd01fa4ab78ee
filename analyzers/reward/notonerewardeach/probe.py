"""RWD003: how many rewards a batch gets."""

from rlvet_harness import Probe


class NotOneRewardEach(Probe):
    """Watches what is returned, or appended to the list."""

    enough = 1
    scores = True

    def hit(self, hit):
        if isinstance(hit.value, (int, float)):
            self.confirm("one number is returned for the whole batch", value=hit.value)
        elif isinstance(hit.part("receiver"), list):
            frame = self.frame()
            for values in frame.f_locals.values():
                if isinstance(values, list) and len(values) > 1 and values is not hit.part("receiver"):
                    self.lengths = (hit.part("receiver"), len(values))

    lengths = None

    def end(self):
        if self.lengths and len(self.lengths[0]) != self.lengths[1]:
            self.confirm("%d rewards for %d completions" % (len(self.lengths[0]), self.lengths[1]))

    def holds(self):
        return "each completion got one reward"
