"""Says whether a plain statistic of a tensor is another number than under a mask that lies near it."""

from .flags import flags_near
from .observe import is_tensor


def masked_otherwise(frame, x, out):
    """Returns what x has for a mean where a mask of the program lets through, None where no mask of its size is near
    or that mean is the one that came out. A spread is compared by the means, too."""
    if not is_tensor(x) or not is_tensor(out) or x.dim() < 1:
        return None
    numbers = x.detach().double().reshape(-1)
    plain = float(numbers.mean())
    for flags in flags_near(frame, numbers.numel()):
        keep = numbers.new_tensor(flags) > 0
        under = float(numbers[keep].mean())
        if abs(under - plain) > 1e-6 * (1 + abs(plain)):
            return {"over_all": plain, "under_the_mask": under, "share": float(keep.double().mean())}
    return None
