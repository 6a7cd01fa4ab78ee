"""ENV066: at which scale a network is given its inputs, at the flagged call and elsewhere.

Each call of a network is noted with the largest number of its input. It confirms if the flagged call gives the network numbers of another size
than the other calls do, by a factor of FAR. The same size in both refutes.
"""

from rlvet_harness import Probe, numbers

FAR = 3.0  # between numbers that are scaled and those that are not
MOST = 4096  # calls that are noted


class InputsScaledDifferently(Probe):
    """Watches a call of a network."""

    enough = 1
    needs = "the same network called at the flagged place and elsewhere, with numbers in its input"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.calls = []  # networks, outputs and the sizes of inputs
        self.here = []  # outputs of the flagged call

    def imported(self, torch):
        call, probe = torch.nn.Module.__call__, self

        def watched(module, *args, **kwargs):
            out = call(module, *args, **kwargs)
            probe.guarded(probe.note, module, args, out)
            return out

        torch.nn.Module.__call__ = watched

    def note(self, module, args, out):
        seen = numbers(args[0]) if args else None
        if seen is not None and seen.count and len(self.calls) < MOST:
            self.calls.append((module, out, max(abs(seen.low), abs(seen.high))))

    def hit(self, hit):
        if len(self.here) < MOST:
            self.here.append(hit.value)

    def end(self):
        flagged = {id(out) for out in self.here}
        whole = {id(out): module for module, out, _ in self.calls}  # the last to yield it has the others in it
        asked = [whole[out] for out in flagged if out in whole]
        if not asked:
            return
        of = [(id(out) in flagged, size) for module, out, size in self.calls if module is asked[0]]
        here, other = max(size for is_here, size in of if is_here), [size for is_here, size in of if not is_here]
        if not other or not here or not max(other):
            return
        factor = max(here / max(other), max(other) / here)
        if factor > FAR:
            self.confirm("the largest input was %.4g here and %.4g at the other calls of the network" % (here, max(other)))
        else:
            self.upheld()

    def holds(self):
        return "its inputs had the same size at the other calls of the network"
