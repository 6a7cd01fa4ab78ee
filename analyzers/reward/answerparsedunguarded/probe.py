"""RWD006: whether taking an answer apart raises."""

from rlvet_harness import Probe


class AnswerParsedUnguarded(Probe):
    """Waits for an exception at the flagged expression."""

    enough = 3
    needs = "different answers that are taken apart"
    scores = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.read = set()

    def hit(self, hit):
        read = repr([part for part in hit.parts.values() if isinstance(part, (str, list, tuple))])
        if read not in self.read:
            self.read.add(read)
            self.upheld()

    def failed(self, error):
        if isinstance(error, (AttributeError, IndexError, TypeError, ValueError)):
            return "it raises for an answer in another format"
        return None

    def holds(self):
        return "answers of all formats were read"
