"""VAL009: the shapes of predictions and targets where they meet.

A column (N, 1) and a vector (N,) of the same number of rows confirm; equal shapes refute.
"""

from rlvet_harness.tables import Table


class ShapeBroadcastLoss(Table):
    """Watches predictions and targets."""

    needs = "two sides of one shape, or of which one has a single number"
