"""OBJ028: whether gradients flow through the entropy bonus of the loss."""

from rlvet_harness.terms import LossTerms


class EntropyDetached(LossTerms):
    """Watches a sum of loss terms, of which one may stand alone."""

    needs = "a term in which gradients flow, and which is itself no sum with a constant"
    both = False
