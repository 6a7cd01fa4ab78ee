"""LOOP060: whether what load returns is another object than the one it is called on."""

from rlvet_harness import Probe


class LoadResultDropped(Probe):
    """Watches the call of load."""

    enough = 1
    needs = "a call that returns nothing, or what it was called on"

    def hit(self, hit):
        if hit.value is not None and hit.value is not hit.part("receiver"):
            self.confirm("load returned a new %s, which nothing keeps" % type(hit.value).__name__)
        else:
            self.upheld()

    def holds(self):
        return "load returned nothing new"
