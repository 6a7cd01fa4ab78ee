"""OBJ028: whether gradients flow through the entropy bonus of the loss."""

from rlvet_harness.terms import LossTerms


class EntropyDetached(LossTerms):
    """Watches a sum of loss terms, of which one may stand alone."""

    needs = "terms whose gradients change a parameter they share, of which each is itself no sum with a constant"
    both = False
