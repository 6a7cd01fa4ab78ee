"""VAL010: the shapes of rewards and values where they meet.

A column (N, 1) and a vector (N,) of the same number of rows confirm; equal shapes refute.
"""

from rlvet_harness.tables import Table


class GatherNotSqueezed(Table):
    """Watches rewards and values."""

    needs = "two sides of one shape, or of which one has a single number"
