"""Writes the inputs at which a gradient was wrong, for a test that replays them.

A file is a dictionary that torch.save wrote on the CPU and that torch.load reads with
weights_only=True:

    format    "rlvet-record-1"
    function  its qualified name, such as "layers.gates.Gate"
    module    the module that defines it; "__main__" for the script itself
    filename  relative to the project
    names     forward's parameters behind ctx
    tensors   the tensors that it was applied to, by the name of the parameter; also lists of tensors
    others    its other arguments by name, a text of JSON: torch 1.13 would not load a float
    needed    the names of the arguments that required gradients
    dtype     "float64" or "float32": in which the gradient was seen to be wrong
    input     the input whose gradient is wrong
"""

import json
import re

BYTES = 16 << 20  # of all files, where settings say nothing


class Recorder:
    """Writes the files of one run."""

    def __init__(self, instrument):
        self.instrument, self.torch = instrument, instrument.torch
        self.left = instrument.settings.get("max_record", BYTES) if instrument.settings.get("record") else 0

    def write(self, row, cls, names, args, needed):
        """Writes a file and returns its name; None where that is not asked for or not possible,
        which an event says."""
        if not self.instrument.settings.get("record"):
            return None
        try:
            tensors, others = _parted(self.torch, dict(zip(names, args)))
        except TypeError as why:
            return self.refuse(row, "a file cannot hold an argument: %s" % why)
        size = sum(t.numel() * t.element_size() for v in tensors.values() for t in (v if isinstance(v, list) else [v]))
        if size > self.left:
            return self.refuse(row, "its inputs take %d bytes, and only %d are left" % (size, self.left))
        self.left -= size
        name = "record/%s.pt" % re.sub(r"\W+", "_", row["function"])
        self.torch.save({
            "format": "rlvet-record-1", "function": row["function"], "module": cls.__module__, "filename": row["filename"], "names": list(names),
            "tensors": tensors, "others": others, "needed": [names[i] for i in needed], "dtype": row["dtype"], "input": (row["worst"] or {}).get("input"),
        }, self.instrument.kept(name))
        return name

    def refuse(self, row, why):
        self.instrument.send("not-recorded", function=row["function"], reason=why)
        return None


def _parted(torch, named):
    """Returns the tensors among arguments, and the others as JSON."""
    tensors, others = {}, {}
    for name, value in named.items():
        if isinstance(value, torch.Tensor):
            tensors[name] = value.detach().cpu().clone()
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, torch.Tensor) for v in value):
            tensors[name] = [v.detach().cpu().clone() for v in value]
        else:
            others[name] = value
    return tensors, json.dumps(others)
