"""RWD010: whether texts differ in the blanks around them alone."""

from rlvet_harness import Probe


class ComparedUntrimmed(Probe):
    """Watches both sides of the comparison."""

    enough = 3
    needs = "different texts on both sides, with something in them"
    scores = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.compared = set()

    def hit(self, hit):
        left, right = hit.part("left"), hit.part("right")
        if isinstance(left, str) and isinstance(right, str) and left != right and left.strip() == right.strip() and left.strip():
            self.confirm("%r and %r are taken for different" % (left, right))
        elif isinstance(left, str) and isinstance(right, str) and (left != left.strip() or right != right.strip()):
            self.confirm("%r is compared with its blanks" % (left if left != left.strip() else right))
        elif isinstance(left, str) and isinstance(right, str) and left and right and (left, right) not in self.compared:
            self.compared.add((left, right))
            self.upheld()

    def holds(self):
        return "no text had blanks around it"
