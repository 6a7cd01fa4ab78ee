"""VAL060: whether a soft update averages.

A parameter is compared with its value after the update before, and with the other tensors of
its shape in the function that updates it. An average lies on the line between the old value and
one of them. It confirms if a new value lies beside all of these lines, or past their ends.
"""

from rlvet_harness.averages import STRAIGHT, ParameterUpdates


class SoftUpdateNoAverage(ParameterUpdates):
    """Watches the update of one parameter."""

    def moved(self, share, beside):
        self.show(share_of_the_way=share, distance_from_it=beside)
        if beside > 10 * STRAIGHT or not -0.01 < share < 1.01:
            self.confirm("the new weights are no average of the old ones and others", share=share, distance=beside)

    def holds(self):
        return "the new weights lay between the old ones and others"
