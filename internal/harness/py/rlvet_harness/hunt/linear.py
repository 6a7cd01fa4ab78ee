"""Whether what backward returns is linear in the gradient that comes in."""

import math

from .replay import REFUSED


def is_linear(case, c, small=1e-4):
    """Reports whether the gradient of a leaf is linear in the incoming ones, as every derivative is and
    every surrogate of one; a penalty on the leaf itself may be added. It is asked of small incoming
    gradients, since backward may clip large ones.

    A gradient that takes nothing of the incoming ones is that of a loss on the side, if
    forward does not depend on the leaf; else they were forgotten.
    """
    a, b = (small * w for w in case.weights[:2])
    found = [case.gradients(w)[c.position] for w in (a, b, a + b, 0 * a)]
    if any(g is None for g in found) or not c.leaf.numel():
        return True
    one, other, both, none = (g.double() for g in found)
    none = none.where(none.isfinite(), none.new_zeros(()))
    scale, bound = float((one - none).abs().max() + (other - none).abs().max()), 10 * case.precision.tolerance
    if scale <= bound * small * float(none.abs().max()):
        return not _depends(case, c)
    apart = float((both - one - other + none).abs().max())
    return not math.isfinite(apart) or apart <= bound * scale


def _depends(case, c):
    """Reports whether forward gives something else where a leaf has the other sign."""
    here, leaf, old = case.values(), c.leaf.detach(), c.leaf.detach().clone()
    try:
        leaf.copy_(-old)
        there = case.values()
    except REFUSED:
        return True
    finally:
        leaf.copy_(old)
    return here.shape != there.shape or not bool(((here == there) | here.isnan()).all())
