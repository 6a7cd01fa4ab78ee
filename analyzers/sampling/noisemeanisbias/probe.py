"""DIST010: the mean of the noise.

A mean with an element that is not 0 confirms: the action holds that offset already and
gets it twice. Where all are 0 in the whole run, the action space is symmetric and the
finding is refuted as harmless here.
"""

from rlvet_harness import Probe, numbers


class NoiseMeanIsBias(Probe):
    """Watches the mean of a normal draw."""

    def hit(self, hit):
        mean = hit.part("mean", "loc") if {"mean", "loc"} & set(hit.parts) else hit.argument(0)
        seen = numbers(mean)
        if seen is None or seen.count == 0:
            return
        self.show(mean=seen.brief())
        self.plot(mean_of_noise=seen.mean)
        if seen.zeros < seen.count:
            self.confirm("the noise is not centred on 0", mean=seen.brief())

    def holds(self):
        return "the mean of the noise was 0 at every draw"
