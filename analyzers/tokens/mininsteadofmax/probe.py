"""TOK009: whether a divisor was kept at 1 though more was counted."""

from rlvet_harness import Probe, numbers


class MinInsteadOfMax(Probe):
    """Watches a bounded divisor."""

    needs = "more than 1 that is counted, and what comes of it"

    def hit(self, hit):
        out = numbers(hit.value)
        counts = [numbers(part) for name, part in hit.parts.items() if name == "receiver" or name.startswith("arg")]
        largest = max((c.high for c in counts if c is not None and c.high is not None), default=None)
        if out is None or out.high is None or largest is None:
            return
        self.show(counted=largest, divisor=out.high)
        if out.high <= 1 < largest:
            self.confirm("more than 1 was counted, and the divisor is 1", counted=largest, divisor=out.high)
        elif largest > 1:
            self.upheld()

    def holds(self):
        return "the divisor was what was counted"
