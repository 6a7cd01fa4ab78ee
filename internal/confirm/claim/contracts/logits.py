"""logits: unnormalised log-probabilities: any numbers, but not probabilities, which a softmax would flatten.

Source: torch.distributions.Categorical, logits.
"""

from rlvet_harness.contract import Contract, rows_sum_to_one


class Logits(Contract):
    """Watches logits; an action that is not allowed has minus infinity."""

    finite = False
    needs = "rows of several numbers each"

    def look(self, hit, seen):
        if seen.nan:
            self.confirm("%d of %d numbers are NaN" % (seen.nan, seen.count), value=seen.brief())
        probabilities = rows_sum_to_one(hit.value)
        if self.always(probabilities):
            self.confirm("its rows sum to 1: these are probabilities", value=seen.brief())
        elif not probabilities and seen.shape and seen.shape[-1] > 1:
            self.upheld()

    def holds(self):
        return "it was no probability"
