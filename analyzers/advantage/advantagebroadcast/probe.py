"""ADV040: the shapes of returns and values where they meet.

A column (N, 1) and a vector (N,) of the same number of rows confirm; equal shapes refute.
"""

from rlvet_harness.tables import Table


class AdvantageBroadcast(Table):
    """Watches returns and values."""

    needs = "two sides of one shape, with several rows"
