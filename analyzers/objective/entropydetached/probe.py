"""OBJ028: whether gradients flow through the entropy bonus of the loss."""

from rlvet_harness.terms import LossTerms


class EntropyDetached(LossTerms):
    """Watches a sum of loss terms, of which one may stand alone."""

    both = False
