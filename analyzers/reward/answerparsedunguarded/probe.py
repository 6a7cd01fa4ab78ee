"""RWD006: whether taking an answer apart raises."""

from rlvet_harness import Probe


class AnswerParsedUnguarded(Probe):
    """Waits for an exception at the flagged expression."""

    enough = 3
    scores = True

    def hit(self, hit):
        pass

    def failed(self, error):
        if isinstance(error, (AttributeError, IndexError, TypeError, ValueError)):
            return "it raises for an answer in another format"
        return None

    def holds(self):
        return "answers of all formats were read"
