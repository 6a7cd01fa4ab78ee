"""Properties, __getattr__, __call__, __getitem__ and __iter__ in a circle."""
import torch
from functools import cached_property


class Hall:
    @property
    def left(self):
        return self.right.left

    @property
    def right(self):
        return self.left.right

    @cached_property
    def both(self):
        return [self.both, self.left, self.right, {"more": self.both}]

    def __getattr__(self, name):
        return getattr(self, name + "_", getattr(self.left, name))

    def __call__(self, *args, **kwargs):
        return self(self, *args, **kwargs)(self)

    def __getitem__(self, i):
        return self[self[i]][self.both[i]]

    def __iter__(self):
        for x in self:
            yield from x
        return iter(self)

    def __enter__(self):
        with self as x, x as y:
            return y

    __len__ = __add__ = __call__
    forward = property(__call__)


h = Hall()
for k in h:
    h = h(k)[h.left][h.missing.thing(k)] + h.both
with h as k:
    print(k.forward.forward(k), len(k), *k, **k)


def advantages(rewards):
    r = torch.tensor(rewards)
    return (r - r.mean()) / r.std()  # bug: ADV009


print(advantages([1.0, 0.0, 2.0]))
