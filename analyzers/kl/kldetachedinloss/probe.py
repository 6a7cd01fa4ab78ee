"""KL004: whether gradients flow through the KL term of the loss."""

from rlvet_harness.terms import LossTerms


class KLDetachedInLoss(LossTerms):
    """Watches a sum of loss terms."""

    needs = "a sum whose terms all have gradients that change a parameter they share, and no term is itself a sum with a constant"
