"""OFF082: how often actions are random while the rate of exploration is large.

Calls of random.randrange, randint and choice and of spaces are counted between evaluations of the comparison. The rate is the side that varies
less. Confirmed if the share of random actions is nearer to one less the rate. Refuted if it is nearer to the rate, and more is drawn after one outcome
of the comparison than after the other: what is drawn in all rounds may be anything.
"""

import random

from rlvet_harness import Probe


class ExplorationInverted(Probe):
    """Watches the comparison with the rate."""

    enough = 30
    needs = "random actions after one outcome of the comparison, and fewer or none after the other"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.compared, self.random, self.since = [], [], 0
        self.after = {True: [], False: []}  # draws behind the comparison, by its outcome
        self.last = None
        for name in ("randrange", "randint", "choice"):
            setattr(random, name, self.counted(getattr(random, name)))

    def counted(self, function):
        def call(*args, **kwargs):
            self.since += 1
            return function(*args, **kwargs)

        return call

    def hit(self, hit):
        sides = hit.part("left"), hit.part("right", "right0", "comparator0")
        if self.compared:
            self.random.append(self.since > 0)
            self.after[self.last].append(self.since)
        self.since = 0
        if not all(isinstance(x, (int, float)) for x in sides):
            self.unsure("the rate was not seen")
            return
        self.last = bool(hit.value)
        self.compared.append([float(x) for x in sides])
        if len(self.random) >= self.enough:
            self.judge()

    def judge(self):
        spread = [max(s[i] for s in self.compared) - min(s[i] for s in self.compared) for i in range(2)]
        rate = sum(s[spread.index(min(spread))] for s in self.compared) / len(self.compared)
        share = self.share()
        if rate < 0.7:
            self.unsure("the rate was not large long enough")
        elif abs(share - (1 - rate)) < abs(share - rate):
            self.confirm("few actions are random while the rate is large", share=share, rate=rate)
        elif self.differ():
            self.upheld(len(self.random) - self.upholds)

    def share(self):
        """Returns how often actions were random: after the outcome of the comparison after which more is drawn, if that is plain."""
        if not self.differ():
            return sum(self.random) / len(self.random)
        means = {outcome: sum(drawn) / len(drawn) for outcome, drawn in self.after.items()}
        return len(self.after[max(means, key=means.get)]) / len(self.random)

    def differ(self):
        """Reports whether more is drawn after one outcome of the comparison than after the other."""
        each = [sum(drawn) / len(drawn) for drawn in self.after.values() if drawn]
        return len(each) == 2 and abs(each[0] - each[1]) > 0.5

    def holds(self):
        return "the share of random actions was the rate"
