"""RWD009: whether the key is there."""

from rlvet_harness import Probe


class ColumnNotPassed(Probe):
    """Waits for a KeyError."""

    enough = 1
    needs = "a dict that the trainer passes, with the key in it"
    scores = True

    def hit(self, hit):
        if type(hit.part("value", "receiver")) is dict:  # rows of a stand-in have every key
            self.upheld()

    def failed(self, error):
        if isinstance(error, KeyError):
            return "the trainer passes no such keyword"
        return None

    def holds(self):
        return "the keyword was passed"
