"""VAL006: how far each soft update takes a parameter.

A parameter is compared with its value after the update before, and with the other tensors of
its shape in the function that updates it: the one on the way to which it moved is the online
network's. It confirms if an update went nine tenths of that way or more and stopped short of
its end. Updates that went less far refute.
"""

from rlvet_harness.averages import STRAIGHT, ParameterUpdates

FAR, END = 0.9, 1 - 1e-6


class PolyakWeightsSwapped(ParameterUpdates):
    """Watches the update of one parameter."""

    needs = "an update on the straight way to a tensor in sight"

    def moved(self, share, beside):
        self.show(share_of_the_way=share)
        if FAR <= share < END and beside < STRAIGHT:
            self.confirm("one update took the target almost all of the way to the online network", share=share)
        else:
            self.upheld(beside < STRAIGHT and 0 < share < FAR)

    def holds(self):
        return "the target moved a small part of the way"
