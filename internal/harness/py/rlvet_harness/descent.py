"""Which parameters a program changes with the gradients of a backward pass, and in which direction.

A backward pass tells how a loss depends on a value. Whether the program minimises the loss is told by what
it does with the gradients: an optimizer may maximise, gradients may be turned round before its step, and
parameters may be changed by hand.
"""

import sys
import weakref

from .graph import leaves
from .observe import parameters_of, same_numbers

MOST = 256  # entries that wait
SAMPLE = 1024  # elements of a parameter that are looked at
TURNED = -0.99  # the cosine up to which gradients count as turned round
ALONG = 0.5  # the cosine from which a change by hand follows the gradient
COPIED = 0.9  # the cosine from which a change moves towards another parameter
CERTAIN = 0.99  # the cosine from which a change by hand is made of the gradient
FEW = 8  # elements: fewer have such a cosine by chance

UNCLEAR, COPY, SMALL = 0, "copy", "small"  # what a change by hand may be, beside 1 (it descends) and -1 (it ascends)


class Parameter:
    """A parameter that a gradient reached: what a sample of its elements was when last looked at."""

    __slots__ = ("tensor", "values", "gradient", "changes", "kept")

    def __init__(self, tensor):
        self.tensor, self.gradient = tensor, None
        self.kept = False  # whether a probe asks for its changes at the end
        self.values = _sample(tensor)
        self.changes = set()  # of those that no optimizer made


class Entry:
    """A value that a backward pass reached, until the parameters behind it are changed.

    signs holds for each parameter whose gradient waits to be used 1, -1 if it was turned round, or UNCLEAR.
    votes holds the directions of the changes: 1 where the loss descends. waits says whether an optimizer
    may use the gradient yet.
    """

    __slots__ = ("probe", "look", "gradient", "signs", "votes", "waits")

    def __init__(self, probe, look, gradient, signs):
        self.probe, self.look, self.gradient, self.signs = probe, look, gradient, signs
        self.votes, self.waits = {}, True


class Descent:
    """Follows values from their backward pass to the change of the parameters behind them."""

    def __init__(self, run):
        self.run = run
        self.parameters, self.entries = {}, []
        self.directions = weakref.WeakKeyDictionary()  # 1 or -1, by optimizers of the program's own
        self.users = set()  # the probes that ask
        self.installed = self.within = False

    def become_child(self):
        self.parameters, self.entries = {}, []

    def keep(self, probe, tensor):
        """Returns what is known of a parameter, whose changes are noted from now on."""
        self.users.add(probe)
        known = self.known(tensor)
        known.kept = True
        return known

    def by_hand(self, probe, tensors):
        """Says whether the program changes parameters by hand along their gradients: True, False, or None where
        they are changed in a way that is not known. To follow other parameters is no training."""
        changes = set().union(*(self.keep(probe, t).changes for t in tensors))
        return True if changes & {1, -1} else None if UNCLEAR in changes or changes == {SMALL} else False

    def known(self, tensor):
        found = self.parameters.get(id(tensor))
        if found is None:
            found = self.parameters[id(tensor)] = Parameter(tensor)
            self.install()
        return found

    def install(self):
        """Watches backward passes from now on."""
        if self.installed:
            return
        self.installed = True
        autograd = sys.modules["torch"].autograd
        backward = autograd.backward

        def watched(*args, **kwargs):
            if self.within:  # a pass within a pass, as of a checkpoint of activations
                return backward(*args, **kwargs)
            self.told(self.check)
            self.within = True
            try:
                return backward(*args, **kwargs)
            finally:
                self.within = False
                self.told(self.passed)

        autograd.backward = watched

    def told(self, look, *args):
        """Looks at what the program does; a mistake of ours must not be one of the program."""
        if not self.parameters:
            return
        with self.run.lock:
            try:
                look(*args)
            except Exception as error:
                for probe in self.users:
                    probe.failed_by(error)

    def follow(self, probe, value, look):
        """Calls look with the Entry of a value once the parameters behind it are changed; without votes if their
        gradients are thrown away, or at the end."""
        self.users.add(probe)
        self.install()
        behind = list(leaves(value.grad_fn)) if value.grad_fn is not None else [value]

        def reached(gradient):
            with self.run.lock:
                probe.guarded(self.reached, Entry(probe, look, gradient.detach(), {id(p): 1 for p in behind}), behind)

        value.register_hook(reached)

    def reached(self, entry, behind):
        for p in behind:
            self.known(p)
        self.entries.append(entry)
        if len(self.entries) > MOST:
            self.deliver(self.entries.pop(0))

    # What the program does, told by the run.

    def passed(self):
        """Keeps the gradients that a backward pass left."""
        for known in self.parameters.values():
            known.gradient = _sample(known.tensor.grad)

    def stepping(self, optimizer):
        self.check()
        self.used(optimizer)

    def stepped(self, optimizer):
        if _of_torch(optimizer):
            self.used(optimizer)  # of passes within the step
        else:
            self.check(optimizer)

    def end(self):
        self.check()
        waiting, self.entries = self.entries, []
        for entry in waiting:
            self.deliver(entry)

    def check(self, optimizer=None):
        """Looks at what became of gradients and parameters since the last look; optimizer is one of the program's
        own that has just stepped."""
        held = set(map(id, parameters_of(optimizer))) if optimizer is not None else ()
        wanted = {key for entry in self.entries for key in entry.signs}
        self.parameters = {key: known for key, known in self.parameters.items() if known.kept or key in wanted}
        for key, known in self.parameters.items():
            gradient = _sample(known.tensor.grad)
            gone = gradient is None or not bool(gradient.any())
            if key in held or key not in self.run.owned or gone and key in wanted:
                values = _sample(known.tensor)
                if not same_numbers(values, known.values):
                    self.changed(key, known, values, optimizer if key in held else None)
            if gone:
                factor = None
            elif known.gradient is None:
                factor = UNCLEAR  # nobody saw where it comes from
            elif same_numbers(gradient, known.gradient):
                factor = 1
            else:
                alike = _cosine(known.gradient, gradient)
                factor = 1 if alike > 0 else -1 if alike < TURNED else UNCLEAR
            for entry in self.entries:
                if key not in entry.signs:
                    continue
                if factor is not None:
                    entry.signs[key] *= factor
                elif known.gradient is not None:
                    del entry.signs[key]  # thrown away
            known.gradient = gradient
        self.settle()

    def changed(self, key, known, values, optimizer):
        """Notes a change of a parameter that no optimizer of torch made."""
        move, known.values, before = values - known.values, values, known.values
        along = _cosine(move, known.gradient) if known.gradient is not None else 0.0
        towards = self.towards_another(known, before, move) if optimizer is None else 0
        if towards > max(COPIED, abs(along)):
            known.changes.add(COPY)
            return
        sign = (1 if along < 0 else -1) if abs(along) > ALONG else UNCLEAR
        if optimizer is not None:  # later steps follow older gradients, too
            sign = self.directions.setdefault(optimizer, sign) or sign
        known.changes.add(SMALL if move.numel() < FEW else sign if abs(along) > CERTAIN else UNCLEAR)
        for entry in self.entries:
            if key in entry.signs:
                entry.votes[key] = sign * entry.signs.pop(key)

    def towards_another(self, known, before, move):
        """Returns how much a parameter was moved towards another of its shape, as a target network is: a cosine."""
        others = {id(p): p for o in list(self.run.optimizers) for p in parameters_of(o)}
        others.update((k, p.tensor) for k, p in self.parameters.items() if p is not known)
        alike = (p for p in others.values() if p.shape == known.tensor.shape and p is not known.tensor)
        return max((_cosine(_sample(p).to(move.device) - before, move) for p in alike), default=0)

    def used(self, optimizer):
        """Notes the gradients that a step of an optimizer of torch uses."""
        if not _of_torch(optimizer) or not self.entries:
            return
        for group in optimizer.param_groups:
            sign = -1 if bool(group.get("maximize")) != (float(group.get("lr", 1)) < 0) else 1
            for p in group["params"]:
                if p.grad is None:
                    continue
                for entry in self.entries:
                    if id(p) in entry.signs:
                        entry.votes[id(p)] = sign * entry.signs.pop(id(p))
        self.settle()

    def settle(self):
        """Delivers the entries whose gradients are all used or thrown away."""
        waiting, self.entries = self.entries, []
        for entry in waiting:
            entry.waits = any(key in self.run.owned for key in entry.signs)
            if (entry.votes or not entry.signs) and not entry.waits:
                self.deliver(entry)
            else:
                self.entries.append(entry)

    def deliver(self, entry):
        entry.probe.guarded(entry.look, entry)


def _of_torch(optimizer):
    return getattr(type(optimizer).step, "__module__", "").startswith("torch.")


def _sample(tensor):
    """Returns some elements of a tensor, in a copy; None for None."""
    if tensor is None:
        return None
    flat = tensor.detach()
    flat = (flat.to_dense() if flat.is_sparse else flat).reshape(-1)
    return flat[:: max(1, flat.numel() // SAMPLE)].clone()


def _cosine(one, other):
    if one.shape != other.shape:
        return 0.0
    one, other = one.double().to("cpu"), other.double().to("cpu")
    length = float(one.norm() * other.norm())
    return float(one @ other) / length if length else 0.0
