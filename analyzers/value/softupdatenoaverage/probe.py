"""VAL060: whether a soft update averages.

A parameter is compared with its value after the update before, and with the other tensors of
its shape in the function that updates it. An average lies on the line between the old value and
one of them. It confirms if a new value lies beside all of these lines, or past their ends. Of a value
that goes into a dict, the lines are those between what two dicts have under one key.
"""

from itertools import combinations

from rlvet_harness.averages import STRAIGHT, ParameterUpdates


class SoftUpdateNoAverage(ParameterUpdates):
    """Watches the update of one parameter."""

    needs = "an update whose old weights and others are in sight"

    def hit(self, hit):
        ways = self.ways(hit.value, self.entries(hit.value))
        if not ways:
            # A sum that is still to be stored lies in memory that another one may have had before: then what is averaged is in sight.
            ways = [(share, beside) for share, beside in self.ways(hit.value, self.in_sight(hit.value)) if beside < STRAIGHT and 0 <= share <= 1]
        if not ways:
            super().hit(hit)
            return
        self.moves += 1
        self.moved(*min(ways, key=lambda way: way[1]))

    def ways(self, value, pairs):
        """Returns how a value lies to the lines between pairs of tensors."""
        return [way for way in (self.way(a, value.detach().double(), b) for a, b in pairs) if way is not None]

    def in_sight(self, value):
        """Yields the pairs of the function's tensors of a value's shape that are not the value itself."""
        if hasattr(value, "data_ptr"):
            yield from combinations(list(self.others((value.data_ptr(), tuple(value.shape)))), 2)

    def entries(self, value):
        """Yields the pairs of tensors of a value's shape that two dicts of the program have under one key."""
        if not hasattr(value, "data_ptr"):
            return
        dicts = [v for v in list(self.frame().f_locals.values()) if isinstance(v, dict)]
        for one, other in combinations(dicts, 2):
            for key in one.keys() & other.keys():
                pair = one[key], other[key]
                if all(hasattr(x, "data_ptr") and x.shape == value.shape for x in pair):
                    yield tuple(x.detach().double() for x in pair)

    def moved(self, share, beside):
        self.show(share_of_the_way=share, distance_from_it=beside)
        if beside > 10 * STRAIGHT or not -0.01 < share < 1.01:
            self.confirm("the new weights are no average of the old ones and others", share=share, distance=beside)
        else:
            self.upheld(beside < STRAIGHT and share < 1 - 1e-6)  # a copy has no average in it

    def holds(self):
        return "the new weights lay between the old ones and others"
