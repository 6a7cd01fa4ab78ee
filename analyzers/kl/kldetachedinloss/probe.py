"""KL004: whether gradients flow through the KL term of the loss."""

from rlvet_harness.terms import LossTerms


class KLDetachedInLoss(LossTerms):
    """Watches a sum of loss terms."""
