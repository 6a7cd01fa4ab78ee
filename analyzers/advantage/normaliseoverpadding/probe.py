"""ADV010: whether a statistic over all positions is another number than under a mask near it."""

from rlvet_harness.padding import PlainStatistic


class NormaliseOverPadding(PlainStatistic):
    """Watches a mean or spread that values are normalised by."""

    needs = "a look at where the mask enters, which the probe does not have"
