"""RWD009: whether the key is there."""

from rlvet_harness import Probe


class ColumnNotPassed(Probe):
    """Waits for a KeyError."""

    enough = 1
    scores = True

    def hit(self, hit):
        pass

    def failed(self, error):
        if isinstance(error, KeyError):
            return "the trainer passes no such keyword"
        return None

    def holds(self):
        return "the keyword was passed"
