"""What becomes of gradients: computed by a backward pass, used by a step, added to, thrown away."""

import ast

from .observe import is_gone, is_tensor, parameters_of
from .probe import Probe


class Entry:
    """The gradient of one parameter."""

    __slots__ = ("parameter", "passes", "used")

    def __init__(self, parameter):
        self.parameter = parameter
        self.passes = 0  # backward passes since it was set to zero
        self.used = False  # whether a step has used it since


class Ledger(Probe):
    """Follows the gradients of all parameters that optimizers hold."""

    def __init__(self, target, run):
        super().__init__(target, run)
        self.entries = {}

    def imported(self, torch):
        backward, probe = torch.autograd.backward, self

        def watched(*args, **kwargs):
            before = probe.guarded(probe.before) or {}
            out = backward(*args, **kwargs)
            probe.guarded(probe.after, before)
            return out

        torch.autograd.backward = watched

    def before(self):
        self.settle()
        return {id(p): p.grad.clone() for p in self.parameters() if p.grad is not None}

    def after(self, before):
        computed = []
        for p in self.parameters():
            old = before.get(id(p))
            if p.grad is not None and (old is None or not bool((old == p.grad).all())):
                computed.append(self.entry(p))
        stale = [e.parameter for e in computed if e.used]
        for e in computed:
            e.passes += 1
        self.computed([e.parameter for e in computed])
        if stale:
            self.added(stale)

    def stepped(self, optimizer):
        self.settle()
        fresh = []
        for p in parameters_of(optimizer):
            e = self.entry(p)
            if e.passes and not e.used:
                fresh.append(p)
            e.used = e.used or e.passes > 0
        self.used(optimizer, fresh)

    def settle(self):
        """Notes which gradients are gone."""
        gone = [e for e in list(self.entries.values()) if e.passes and is_gone(e.parameter)]
        thrown, cleared = [[e.parameter for e in gone if e.used is used] for used in (False, True)]
        for e in gone:
            e.passes, e.used = 0, False
        if thrown:
            self.thrown(thrown)
        if cleared:
            self.cleared(cleared)

    def entry(self, parameter):
        return self.entries.setdefault(id(parameter), Entry(parameter))

    def parameters(self):
        return [p for o in list(self.run.optimizers) for p in parameters_of(o)]

    # What rules override.

    def computed(self, parameters):
        """Is called after a backward pass with the parameters whose gradients it changed."""

    def added(self, parameters):
        """Is called when a backward pass added to gradients that a step had used."""

    def used(self, optimizer, fresh):
        """Is called after a step with the parameters whose gradients nobody had used before."""

    def thrown(self, parameters):
        """Is called when gradients are gone that no step has used."""

    def cleared(self, parameters):
        """Is called when gradients are gone that a step has used."""


def optimizer_at(hit):
    """Returns the optimizer that a call of step(), zero_grad() or scaler.step() is about, or None."""
    for name in ("receiver", "arg0"):
        if hasattr(hit.part(name), "param_groups"):
            return hit.part(name)
    return None


def clipped_at(probe, hit):
    """Returns the parameters that a call clips, none where that was not seen: the generator that it took is used up by now."""
    given, call = hit.part("parameters", "arg0"), probe.expression()
    if is_tensor(given):
        return [given]
    if isinstance(given, (list, tuple)):
        return [p for p in given if is_tensor(p)]
    owner = hit.part("arg0_receiver", "parameters_receiver")
    asked = [a.func for a in ast.walk(call) if isinstance(a, ast.Call) and isinstance(a.func, ast.Attribute)] if call is not None else ()
    if not any(a.attr == "parameters" for a in asked) or not hasattr(owner, "parameters"):
        return []
    return list(owner.parameters())
