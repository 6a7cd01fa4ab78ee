"""DIST004: the shapes of log-probabilities and weights where they meet.

A column (N, 1) and a vector (N,) of the same number of rows confirm; equal shapes refute.
"""

from rlvet_harness.tables import Table


class LogpBroadcast(Table):
    """Watches log-probabilities and weights."""

    needs = "two sides of one shape, or of which one has a single number"
