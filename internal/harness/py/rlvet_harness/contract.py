"""Probes of what a quantity has to be, by whoever names it: a ratio, a mask, a target."""

from .observe import no_numbers, numbers
from .probe import Probe


class Contract(Probe):
    """Watches a quantity of which somebody says that something is wrong with it.

    A subclass says in :meth:`look` what its values have to be: it confirms where they are not, and calls
    :meth:`upheld` where they are and need not have been.
    Values that are not finite break every contract but those that set finite to False.
    """

    enough = 3
    finite = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.looked, self.other = 0, "it was never evaluated"
        self.held = self.broken = 0

    def hit(self, hit):
        seen = numbers(hit.value)
        if seen is None or not seen.count:
            self.other = no_numbers(hit.value, "claim one of them, on a line where it has a name")
            return
        self.looked += 1
        self.show(value=seen.brief())
        self.plot(mean=seen.mean, low=seen.low, high=seen.high)
        if self.finite and seen.bad:
            self.confirm("%d of %d numbers are NaN or infinite" % (seen.bad, seen.count), value=seen.brief())
        if seen.mean is not None:
            self.look(hit, seen)

    def look(self, hit, seen):
        """Looks at one evaluation and its Numbers, which are finite in part at least."""

    def always(self, true):
        """Reports whether something was true of each evaluation so far, and of enough of them:
        what is seen once may be chance."""
        self.held += bool(true)
        self.broken += not true
        return self.held >= self.enough and not self.broken

    def end(self):
        if not self.looked:
            self.unsure(self.other)


def rows_sum_to_one(value, room=1e-3):
    """Reports whether a value of torch or numpy holds numbers from 0 to 1 whose rows, along the
    last axis, sum to 1; False where it has one number a row."""
    if getattr(value, "ndim", 0) < 1 or value.shape[-1] < 2:
        return False
    value = value.detach().double() if hasattr(value, "detach") else value
    return bool((value >= 0).all()) and bool((abs(value.sum(-1) - 1) < room).all())
