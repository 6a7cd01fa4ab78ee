"""A program on which watching is not easy: threads of control, values that are no numbers, a crash."""
import torch

scale = torch.ones(3)
scale /= 2
for name in ("a", "b"):
    text = name * 3
    wide = torch.full((2, 3), float("nan"))
    never = None
    if name == "z":
        never = scale.sum()


def last(x): return x * 2


class Holder:
    kept = last(scale)


total = sum(last(scale)[i] for i in range(3))
with torch.no_grad():
    while total < 100:
        total = total * 3
both = (scale, "a text")
first, count = scale, 7
raise ValueError("after ten steps")
