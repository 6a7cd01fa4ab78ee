"""DIST010: checks the mean of the noise.

Confirmed if an element of the mean is not 0: the action includes that offset already.
Refuted if all are 0 over the run: the action space is symmetric, and the mistake is harmless
there.
"""

from rlvet_harness import Probe, numbers


class NoiseMeanIsBias(Probe):
    """Watches the mean of a normal draw."""

    needs = "a mean of numbers"

    def hit(self, hit):
        mean = hit.part("mean", "loc") if {"mean", "loc"} & set(hit.parts) else hit.argument(0)
        seen = numbers(mean)
        if seen is None or seen.count == 0:
            return
        self.show(mean=seen.brief())
        self.plot(mean_of_noise=seen.mean)
        if seen.zeros < seen.count:
            self.confirm("the noise is not centred on 0", mean=seen.brief())
        else:
            self.upheld()

    def holds(self):
        return "the mean of the noise was 0 at every draw"
