"""KL017: the coefficient, and a second run in which it is doubled (rlvet_harness/settings.py).

The same losses and trained parameters, bit for bit, confirm. Different ones refute.
"""

from rlvet_harness.settings import Setting


class KLCoefUnused(Setting):
    """Watches a coefficient at its definition."""

    what = "coefficient"
    needs = "a second run with another coefficient that came to other losses or parameters"
