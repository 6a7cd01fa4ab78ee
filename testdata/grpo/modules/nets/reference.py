import copy


def frozen_copy(module):
    """Return a copy of module that takes no gradient."""
    clone = copy.deepcopy(module)
    clone.eval()
    clone.requires_grad_(False)
    return clone
