"""Cuts the inputs of a function down to a few elements.

Dimensions of one size are taken to be one thing (the batch, the features of both a
layer's input and its weight), and are cut together, so that what fitted still fits. Kept
are the places that hold the largest number, the smallest, and the one nearest to 0, since
gradients are often wrong beyond a threshold, or at a kink, only. Whether the function takes the result, trying tells.
"""

ELEMENTS = 64  # of a floating input that is looked at element by element
ROWS = 4  # of the leading dimension that stay before others are cut
LEAST = 3  # places of a dimension that stay: two numbers, normalised, are always 1 and -1


def ways(torch, args):
    """Yields lists of smaller arguments, the smallest first, with the places that are left of
    dimensions, by their size; nothing where all are small.

    Then all dimensions are cut, or only those that are as long as the leading one.
    """
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    floats = [t for t in tensors if t.is_floating_point()]
    if not floats or max(t.numel() for t in floats) <= ELEMENTS:
        return
    largest = max(floats, key=lambda t: t.numel())
    for sizes in (_sizes(floats), {largest.shape[0]: min(ROWS, largest.shape[0])}):
        if any(kept < size for size, kept in sizes.items()):
            chosen = {n: places(torch, tensors, n, k) for n, k in sizes.items() if k < n}
            yield cut(torch, args, chosen), chosen


def _sizes(tensors):
    """Returns how many places each size of a dimension keeps, so that no tensor has more
    than ELEMENTS elements; no two sizes become one, which would hide a transposition."""
    sizes = {n: n for t in tensors for n in t.shape}
    for t in tensors:
        while _count(t, sizes) > ELEMENTS:
            longest = t.shape[0] if sizes[t.shape[0]] > ROWS else max(t.shape, key=lambda n: sizes[n])
            if sizes[longest] <= LEAST:
                break
            sizes[longest] -= max(1, sizes[longest] // 4)
    taken = set()
    for n in sorted(sizes, key=lambda n: -sizes[n]):
        while sizes[n] in taken and sizes[n] > LEAST:
            sizes[n] -= 1
        taken.add(sizes[n])
    return sizes


def _count(tensor, sizes):
    count = 1
    for n in tensor.shape:
        count *= sizes[n]
    return count


def places(torch, tensors, size, kept):
    """Returns which places of all dimensions of a size are kept, in their order: those of the
    extremes of the first tensor that has one, and others spread evenly."""
    chosen = []
    for t in tensors:
        if size in t.shape and t.is_floating_point() and not chosen:
            other = [d for d, n in enumerate(t.shape) if d != t.shape.index(size)]
            rows = t.detach().permute(t.shape.index(size), *other).reshape(size, -1)
            rows = torch.nan_to_num(rows.float())
            chosen = [int(rows.amax(1).argmax()), int(rows.amin(1).argmin()), int(rows.abs().amin(1).argmin())]
    spread = [int(i * size / kept) for i in range(kept)]
    unique = list(dict.fromkeys(chosen + spread + list(range(size))))
    return sorted(unique[:kept])


def cut(torch, args, places):
    """Returns the arguments with every dimension of a size in places cut down to these."""
    out = []
    for a in args:
        if isinstance(a, torch.Tensor):
            for d, n in enumerate(a.shape):
                if n in places:
                    a = a.index_select(d, torch.tensor(places[n], device=a.device))
        out.append(a)
    return out
