"""Probes of soft updates: where a parameter went between two updates."""

from .probe import Probe

STRAIGHT = 1e-4  # of the way: how far beside it a new value may lie


class ParameterUpdates(Probe):
    """Watches the update of one parameter. A subclass looks at how far it went."""

    enough = 1

    def __init__(self, target, run):
        super().__init__(target, run)
        self.before = {}  # by where its numbers lie: what a parameter was after the last update
        self.moves = 0

    def hit(self, hit):
        new = hit.value
        if not hasattr(new, "data_ptr") or not new.numel():
            return
        new, key = new.detach().double(), (new.data_ptr(), tuple(new.shape))
        old = self.before.get(key)
        self.before[key] = new.clone()
        if old is None or bool((old == new).all()):
            return
        ways = [w for w in (self.way(old, new, other) for other in self.others(key)) if w is not None]
        if ways:
            self.moves += 1
            self.moved(*min(ways, key=lambda way: way[1]))

    def others(self, key):
        """Yields the tensors of a shape among the variables of the program, but not the parameter."""
        for value in list(self.frame().f_locals.values()):
            if hasattr(value, "data_ptr") and tuple(value.shape) == key[1] and value.data_ptr() != key[0]:
                yield value.detach().double()

    def way(self, old, new, other):
        """Returns the share of the way to another tensor that was gone, and how far beside it."""
        way = other - old
        length = float((way * way).sum())
        if length == 0:
            return None
        share = float(((new - old) * way).sum()) / length
        return share, (float(((new - old - share * way) ** 2).sum()) / length) ** 0.5

    def moved(self, share, beside):
        """Looks at one update: the share of the way to the nearest line, and the distance from it."""

    def end(self):
        if not self.moves:
            self.unsure("no update was understood")
