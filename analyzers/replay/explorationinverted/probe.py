"""OFF082: how often actions are random while the rate of exploration is large.

Calls of random.randrange, randint and choice and of spaces are counted between evaluations of the comparison. The rate is the side that varies
less. Confirmed if the share of random actions is nearer to one less the rate.
"""

import random

from rlvet_harness import Probe


class ExplorationInverted(Probe):
    """Watches the comparison with the rate."""

    enough = 30

    def __init__(self, target, run):
        super().__init__(target, run)
        self.compared, self.random, self.since = [], [], 0
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
        self.since = 0
        if not all(isinstance(x, (int, float)) for x in sides):
            self.unsure("the rate was not seen")
            return
        self.compared.append([float(x) for x in sides])
        if len(self.random) >= self.enough:
            self.judge()

    def judge(self):
        spread = [max(s[i] for s in self.compared) - min(s[i] for s in self.compared) for i in range(2)]
        rate = sum(s[spread.index(min(spread))] for s in self.compared) / len(self.compared)
        share = sum(self.random) / len(self.random)
        if rate < 0.7:
            self.unsure("the rate was not large long enough")
        elif abs(share - (1 - rate)) < abs(share - rate):
            self.confirm("few actions are random while the rate is large", share=share, rate=rate)

    def holds(self):
        return "the share of random actions was the rate"
