"""ENV067: whether what the flagged call of an environment returns is given to a network as it is.

It confirms if a network got the very numbers of such an observation, though the checker found that the observations of the other call are
changed. Networks that never got them refute.
"""

from rlvet_harness import Probe
from rlvet_harness.flags import flat

MOST = 4096  # observations and inputs that are kept


class ResetNotTransformed(Probe):
    """Watches a call of reset or step."""

    enough = 1
    needs = "an observation that is not all zeros, and a network that is called afterwards"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.raw = set()  # observations, as they were returned
        self.given = set()  # what networks got since

    def imported(self, torch):
        call, probe = torch.nn.Module.__call__, self

        def watched(module, *args, **kwargs):
            probe.guarded(probe.note, args)
            return call(module, *args, **kwargs)

        torch.nn.Module.__call__ = watched

    def note(self, args):
        numbers = flat(args[0]) if args and self.raw else None
        if numbers and len(self.given) < MOST:
            self.given.add(rounded(numbers))

    def hit(self, hit):
        first = hit.value[0] if isinstance(hit.value, tuple) and hit.value else hit.value
        numbers = flat(first)
        if numbers and any(numbers) and len(self.raw) < MOST:
            self.raw.add(rounded(numbers))

    def end(self):
        both = self.raw & self.given
        if both:
            self.confirm("a network was given %d observations of this call as they were" % len(both))
        else:
            self.upheld(bool(self.raw and self.given))

    def holds(self):
        return "no network was given what this call returned as it was"


def rounded(numbers):
    """Returns numbers as they are after a way through float32."""
    return tuple(float("%.5g" % x) for x in numbers)
