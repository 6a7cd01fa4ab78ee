"""RWD007: whether a very long answer gets the largest reward."""

from rlvet_harness import Probe
from rlvet_harness.flags import parts_near

LONG = 10_000  # characters


class LengthWithoutBound(Probe):
    """Watches the rewards."""

    enough = 1
    needs = "the reward of a long answer, which a variable around holds, after that of another"
    scores = True
    least = None

    def hit(self, hit):
        if isinstance(hit.value, (int, float)):
            self.least = hit.value if self.least is None else min(self.least, hit.value)
            if hit.value > 100 * max(1e-3, abs(self.least)) and self.hits > 1:
                self.confirm("a long answer gets %g, a short one %g" % (hit.value, self.least))
            elif self.hits > 1 and self.is_long():
                self.upheld()

    def is_long(self):
        """Reports whether a variable of the program holds a long answer."""
        near = ((name, v) for frame, name, v in parts_near(self.frame()) if self.run.is_program(frame.f_code.co_filename))
        return any(isinstance(v, str) and len(v) > LONG and "[" not in name for name, v in near)

    def holds(self):
        return "long answers got no more than others"
