"""OBJ006: how many elements of the clipped ratio lie at its bound.

The clamp hands on no gradient there. Confirmed if several elements of the factor with a gradient are equal to its largest or
smallest, and others are not: these actions train nothing, whatever their advantage. Factors that are all different at five
evaluations refute.
"""

from rlvet_harness import Probe
from rlvet_harness.graph import nodes
from rlvet_harness.observe import is_tensor

MOST = 200  # operations behind a factor that are looked at
CLIPS = ("Clamp", "Minimum", "Maximum", "Min", "Max", "Where", "Clip")


class ClippedRatioAlone(Probe):
    """Watches a product of the advantage and the clipped ratio."""

    enough = 5
    needs = "a factor with a gradient whose graph has an exponential, and no clamp behind it"

    def hit(self, hit):
        for side in (hit.parts.get("left"), hit.parts.get("right")):
            if not is_tensor(side) or not side.requires_grad or side.numel() < 4:
                continue
            x = side.detach().flatten()
            for bound in (x.max(), x.min()):
                stuck = int((x == bound).sum())
                if 1 < stuck < x.numel():
                    self.confirm("%d of %d actions lie at the bound and have no gradient" % (stuck, x.numel()), bound=float(bound))
            behind = [node.name() for node in nodes(side.grad_fn, MOST, beyond=lambda node: not node.name().startswith("Exp"))]
            if any(name.startswith("Exp") for name in behind) and not any(name.startswith(CLIPS) for name in behind):
                self.upheld()

    def holds(self):
        return "no actions lay at a bound"
