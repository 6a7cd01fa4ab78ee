"""RWD004: whether all rewards of a batch are the same."""

from rlvet_harness import Probe


class SameRewardForAll(Probe):
    """Watches the list of rewards."""

    enough = 3
    needs = "rewards of a batch that differ"
    scores = True

    def hit(self, hit):
        if isinstance(hit.value, list) and len(hit.value) > 1 and all(x == hit.value[0] for x in hit.value):
            self.confirm("%d different completions all got %s" % (len(hit.value), hit.value[0]))
        elif isinstance(hit.value, list) and len(hit.value) > 1:
            self.upheld()

    def holds(self):
        return "rewards differed"
