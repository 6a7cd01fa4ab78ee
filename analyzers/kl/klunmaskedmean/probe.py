"""KL007: whether a statistic over all positions is another number than under a mask near it."""

from rlvet_harness.padding import PlainStatistic


class KlUnmaskedMean(PlainStatistic):
    """Watches the mean of a KL penalty."""

    needs = "a look at where the mask enters, which the probe does not have"
