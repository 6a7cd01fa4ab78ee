"""TOK014: whether a statistic over all positions is another number than under a mask near it."""

from rlvet_harness.padding import PlainStatistic


class StatsIncludePads(PlainStatistic):
    """Watches a mean of all positions."""

    needs = "a look at where the mask enters, which the probe does not have"
