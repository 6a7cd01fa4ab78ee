"""OFF012: whether gradients flow through the critic's term of the actor's loss."""

from rlvet_harness.terms import LossTerms


class CriticDetachedInActorLoss(LossTerms):
    """Watches a sum of loss terms, of which one may stand alone."""

    needs = "a sum whose terms all have gradients that change a parameter they share"
    both = False
