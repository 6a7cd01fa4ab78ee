"""Cases: functions of some leaves that can be evaluated again and again.

A case computes from copies: nothing of the program's changes, and every evaluation draws
the same random numbers. It is in double precision where the function allows that, else in
single precision with the steps and the tolerance for that.
"""

import random
import sys
import time

from .shrink import ELEMENTS
from .slopes import DOUBLE, SINGLE

SECONDS = 3.0  # that one comparison may take, as far as the time of one evaluation tells
FEWEST = 8  # elements of a leaf that are looked at however slow forward is

REFUSED = (RuntimeError, TypeError, ValueError, IndexError, KeyError, AttributeError, NotImplementedError, AssertionError, ArithmeticError)


class Untested(Exception):
    """Says why a function cannot be compared."""


class Case:
    """Outputs that are computed from leaves.

    leaves are contiguous tensors that require gradients, names what the program calls
    them, compute() returns the tensors that forward makes of them. weights are incoming
    gradients, as vectors over all outputs.
    """

    def __init__(self, torch, leaves, names, compute, precision):
        self.torch, self.leaves, self.names, self.compute, self.precision = torch, leaves, names, compute, precision
        self.randomness = Randomness(torch)
        self.weights = []
        self.numbers = {}  # arguments that are numbers, by name
        self.arguments, self.given = {}, {}  # of a Function, by name, and their copies of the last evaluation
        self.inputs = ()  # names of the leaves that a module was called with
        self.most = ELEMENTS  # of a leaf that are looked at; fewer where forward is slow

    def outputs(self):
        """Returns the outputs that carry gradients."""
        with self.randomness, self.torch.enable_grad():
            return self.carriers(self.compute())

    def without(self, needed):
        """Leaves out the inputs that are none of those needed; reports whether there are such."""
        kept = [(leaf, name) for leaf, name in zip(self.leaves, self.names) if name not in self.inputs or name in needed]
        if len(kept) == len(self.leaves):
            return False
        if not kept:
            raise Untested("none of its inputs required a gradient in the run")
        self.leaves, self.names = [leaf for leaf, _ in kept], [name for _, name in kept]
        return True

    def carriers(self, out):
        """Returns the tensors of what compute() returned that carry gradients."""
        out = out if isinstance(out, (tuple, list)) else (out,)
        return [o for o in out if isinstance(o, self.torch.Tensor) and o.requires_grad and o.is_floating_point()]

    def values(self):
        """Returns all numbers of the outputs as one vector on the CPU."""
        return self.flat(self.outputs())

    def flat(self, tensors):
        parts = [t.detach().reshape(-1).cpu().double() for t in tensors]
        return self.torch.cat(parts) if parts else self.torch.zeros(0, dtype=self.torch.float64)

    def weigh(self, count=2):
        """Draws incoming gradients: neither ones nor of one size or sign. What is not finite
        gets none, since nothing can be said of its slope."""
        here = self.values()
        total = here.numel()
        drawn = self.torch.Generator().manual_seed(total)
        uniform = self.torch.rand(count, total, generator=drawn, dtype=self.torch.float64) + 0.5
        signs = self.torch.randint(0, 2, (count, total), generator=drawn) * 2 - 1
        self.weights = list(uniform * signs * here.isfinite())

    def gradients(self, weight, leaves=None, create_graph=False):
        """Returns what backward yields for each leaf, None where it yields nothing."""
        outputs = self.outputs()
        with self.randomness:
            return self.torch.autograd.grad(outputs, leaves or self.leaves, self.incoming(outputs, weight), allow_unused=True, create_graph=create_graph)

    def incoming(self, outputs, weight):
        """Splits a weight into a gradient for each output."""
        out, at = [], 0
        for o in outputs:
            part = weight[at : at + o.numel()].detach()
            out.append(part.to(o.device, o.dtype).view(o.shape))
            at += o.numel()
        return out


class Randomness:
    """Makes what happens within it draw what it drew the first time, and leaves the
    generators as they were. What drew nothing twice is taken to draw nothing: the states are large."""

    def __init__(self, torch):
        self.torch, self.numpy = torch, sys.modules.get("numpy")
        self.first = self.state()
        self.still = 0  # times that nothing was drawn, since something was

    def state(self):
        cuda = self.torch.cuda.is_available() and self.torch.cuda.is_initialized()
        return (
            self.torch.get_rng_state(), self.torch.cuda.get_rng_state_all() if cuda else None,
            self.numpy.random.get_state() if hasattr(self.numpy, "random") else None, random.getstate(),
        )

    def set(self, state):
        torch_state, cuda, numpy_state, python = state
        self.torch.set_rng_state(torch_state)
        if cuda is not None:
            self.torch.cuda.set_rng_state_all(cuda)
        if numpy_state is not None:
            self.numpy.random.set_state(numpy_state)
        random.setstate(python)

    def __enter__(self):
        if self.still < 2:
            self.before = self.state()
            self.set(self.first)

    def __exit__(self, *error):
        if self.still < 2:
            self.still = self.still + 1 if _alike(self.state(), self.first) else 0
            self.set(self.before)


def _alike(a, b):
    """Reports whether two states of the generators are the same."""
    if isinstance(a, (tuple, list)):
        return isinstance(b, (tuple, list)) and len(a) == len(b) and all(map(_alike, a, b))
    same = a == b
    return bool(same.all()) if hasattr(same, "all") else bool(same)


def ready(case):
    """Tries a case out and draws its weights.

    Raises Untested where it says nothing: no output has a gradient, or what is evaluated twice
    differs. What the function itself raises passes through.
    """
    begun = time.monotonic()
    here = case.values()
    case.most = bounded(time.monotonic() - begun, len(case.leaves))
    if not case.leaves:
        raise Untested("none of its inputs is a floating-point tensor")
    if not here.numel():
        raise Untested("no output carries a gradient")
    if not bool(here.isfinite().any()):
        raise Untested("forward is never finite at the inputs of the run")
    if not bool(((case.values() == here) | here.isnan()).all()):
        raise Untested("forward gives another result the second time: it draws random numbers that cannot be repeated, or keeps state")
    case.weigh()
    for weight in case.weights[:1]:
        case.gradients(weight)
    return case


def bounded(seconds, leaves):
    """Returns how many elements of each leaf there is time for, at three evaluations each."""
    return max(FEWEST, min(ELEMENTS, int(SECONDS / (3 * max(1, leaves) * max(seconds, 1e-6)))))


def precisely(make):
    """Returns a case from make(precision) in double precision, or in single precision
    where the function does not run in double or computes in single anyway."""
    try:
        case = ready(make(DOUBLE))
    except REFUSED:
        return ready(make(SINGLE))
    return ready(make(SINGLE)) if _rounds(case) else case


def _rounds(case):
    """Reports whether double inputs come out with the digits of single precision."""
    with Elsewhere(case, 1e-7):
        here = case.values()
    seen = here[here.isfinite() & (here != here.round())]
    return seen.numel() > 0 and bool((seen.float().double() == seen).all())


class Elsewhere:
    """Evaluates a case within it at other leaves: each is scaled by up to 1 + far, and moved up or
    down by up to aside, at least by a third of that."""

    def __init__(self, case, far, aside=0.0):
        self.case, self.far, self.aside = case, far, aside

    def __enter__(self):
        torch = self.case.torch
        self.old = [leaf.detach().clone() for leaf in self.case.leaves]
        drawn = torch.Generator().manual_seed(7)
        for leaf in self.case.leaves:
            noise = torch.rand(leaf.shape, generator=drawn, dtype=torch.float64)
            leaf.detach().mul_((1 + self.far * noise).to(leaf.device))
            if self.aside:
                signs = torch.randint(0, 2, leaf.shape, generator=drawn) * 2 - 1
                leaf.detach().add_((self.aside * signs * (1 + 2 * noise) / 3).to(leaf.device))

    def __exit__(self, *error):
        for leaf, x in zip(self.case.leaves, self.old):
            leaf.detach().copy_(x)
