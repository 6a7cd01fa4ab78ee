"""SEED002: whether the call that makes or seeds an environment gets the same arguments twice."""

from rlvet_harness import Probe


class SameSeedForAll(Probe):
    """Watches the call that passes the seed."""

    needs = "calls whose whole numbers all differ from those before"

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.seen = []

    def hit(self, hit):
        given = {k: v for k, v in hit.parts.items() if k != "receiver" and isinstance(v, int)}
        if given and given in self.seen:
            self.confirm("two environments got the seed %s" % ", ".join(str(v) for v in given.values()))
        self.upheld(bool(given) and bool(self.seen) and all(v not in before.values() for before in self.seen for v in given.values()))
        self.seen.append(given)

    def holds(self):
        return "every environment got another seed"
