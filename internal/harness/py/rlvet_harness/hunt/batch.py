"""Records the call of one function of the program, for a test that replays it.

The function is the innermost one that holds a line; the call is the first that returns what
is not finite, else the last one of the steps that are looked at.

settings: file and row, the line, file relative to the project; from and to, optimizer steps;
max_record, bytes.

batch.json is {"function", "module", "filename", "record": "batch.pt" or null, "reason": why
null, "bad": whether it returned what is not finite}. batch.pt is a dictionary that torch.save
wrote on the CPU and that torch.load reads with weights_only=True:

    format   "rlvet-batch-1"
    tensors  the tensors of the call, by number
    call     JSON of {"function": [module, qualified name], "arguments": [[name, value]..],
             "more": [value..] of *args, "keywords": [[name, value]..] of **kwargs,
             "objects": [[[module, class], [[attribute, value]..]]..]}

A value is a number, a text, true, false, null, a list, or one of {"tensor": n}, {"leaf": n}
that requires a gradient, {"parameter": n}, {"tuple": [..]}, {"dict": [[k, v]..]}, {"object": n},
{"name": [module, qualified name]}. "__main__" is the script. Attributes that a file cannot
hold are left out.
"""

import dis
import inspect
import json
import os
import sys

from ..instrument import Instrument
from .tensors import is_bad, tensors_in

BYTES = 16 << 20
OBJECTS = 2000  # of one call


class Batch(Instrument):
    """Looks at the calls of one function, while the steps last."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.torch = None
        self.file = os.path.join(run.root, settings["file"])
        self.codes = {}  # whether a code is the function's
        self.open = {}  # calls under way, by frame
        self.found, self.over = None, False

    def imported(self, torch):
        self.torch = torch
        self.watch()

    def stepped(self, optimizer):
        self.watch()

    def watch(self):
        """Looks at calls while the steps last, and at none before and after."""
        if self.over or not self.settings["from"] <= self.run.steps <= self.settings["to"]:
            sys.setprofile(None)
        else:
            sys.setprofile(self.profile)

    def profile(self, frame, event, value):
        if event == "call" and self.is_wanted(frame.f_code):
            self.open[frame] = _record(self.torch, frame, self.settings.get("max_record", BYTES))
        elif event == "return" and frame in self.open:
            call = self.open.pop(frame)
            call["bad"] = any(map(is_bad, tensors_in(value)))
            self.found = call
            if call["bad"]:
                self.over = True
                sys.setprofile(None)

    def is_wanted(self, code):
        if code not in self.codes:
            self.codes[code] = not code.co_name.startswith("<") and os.path.realpath(code.co_filename) == os.path.realpath(self.file) and self.settings["row"] in _rows(code)
        return self.codes[code]

    def end(self, status):
        sys.setprofile(None)
        call = self.found
        if call is None:
            if self.torch is not None and not self.run.name:
                self.keep({"record": None, "reason": "no function of the program that contains the line was called in these steps"})
            return
        if call["reason"] is None:
            call["record"] = "batch.pt"
            self.torch.save({"format": "rlvet-batch-1", "tensors": call["tensors"], "call": json.dumps(call["call"])}, self.kept("batch.pt"))
        self.keep({k: call.get(k) for k in ("function", "module", "filename", "record", "reason", "bad")})


def _rows(code):
    """Returns the lines of a code, and of the comprehensions and lambdas in it."""
    rows = {row for _, row in dis.findlinestarts(code) if row}
    for inner in code.co_consts:
        if inspect.iscode(inner) and inner.co_name.startswith("<"):
            rows |= _rows(inner)
    return rows - {code.co_firstlineno}


def _record(torch, frame, most):
    """Returns what is known of a call that begins."""
    out = {"function": frame.f_code.co_name, "module": frame.f_globals.get("__name__"), "filename": frame.f_code.co_filename, "reason": None}
    try:
        module, name = _function(frame)
        out["function"] = name
        writer = _Writer(torch, most)
        out["call"] = writer.call(module, name, frame)
        out["tensors"] = writer.tensors
    except _Refused as why:
        out["reason"] = str(why)
    return out


class _Refused(Exception):
    """Says why a call cannot be recorded."""


def _function(frame):
    """Returns the module and the qualified name by which a test finds the function."""
    code, module = frame.f_code, frame.f_globals.get("__name__")
    for value in list(frame.f_globals.values()):
        if getattr(inspect.unwrap(value) if inspect.isfunction(value) else value, "__code__", None) is code:
            return module, code.co_name
        if inspect.isclass(value) and value.__module__ == module:
            for name, member in vars(value).items():
                if getattr(getattr(member, "__func__", member), "__code__", None) is code:
                    return module, "%s.%s" % (value.__qualname__, name)
    raise _Refused("%s is defined inside another function" % code.co_name)


class _Writer:
    """Turns the arguments of a call into JSON and tensors."""

    def __init__(self, torch, most):
        self.torch, self.left = torch, most
        self.tensors, self.objects = {}, []
        self.known = {}  # numbers of tensors and objects, by id
        self.alive = []  # so that an id stays what it is
        self.own = set(vars(torch.nn.Module())) - {"_parameters", "_buffers", "_modules", "training"}

    def call(self, module, name, frame):
        code, values = frame.f_code, frame.f_locals
        count = code.co_argcount
        names = code.co_varnames
        only = names[count : count + code.co_kwonlyargcount]
        at = count + len(only)
        more = values[names[at]] if code.co_flags & inspect.CO_VARARGS else ()
        keywords = values[names[at + bool(code.co_flags & inspect.CO_VARARGS)]] if code.co_flags & inspect.CO_VARKEYWORDS else {}
        return {
            "function": [module, name], "arguments": [[n, self.plain(values[n])] for n in names[:count]], "more": [self.plain(v) for v in more],
            "keywords": [[n, self.plain(values[n])] for n in only] + [[n, self.plain(v)] for n, v in keywords.items()], "objects": self.objects,
        }

    def plain(self, value):
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, self.torch.Tensor):
            return self.tensor(value)
        if isinstance(value, tuple) and type(value) in (tuple, self.torch.Size):
            return {"tuple": [self.plain(v) for v in value]}
        if type(value) is list:
            return [self.plain(v) for v in value]
        if isinstance(value, dict):
            return {"dict": [[self.plain(k), self.plain(v)] for k, v in value.items()]}
        if isinstance(value, self.torch.dtype):
            return {"name": ["torch", str(value).partition(".")[2]]}
        if isinstance(value, self.torch.device):
            return "cpu"
        if callable(value) and not inspect.ismethod(value) and getattr(value, "__module__", None) and "<" not in getattr(value, "__qualname__", "<"):
            return {"name": [value.__module__, value.__qualname__]}
        return self.object(value)

    def tensor(self, value):
        kind = "parameter" if isinstance(value, self.torch.nn.Parameter) else "leaf" if value.requires_grad else "tensor"
        if id(value) not in self.known:
            self.left -= value.numel() * value.element_size()
            if self.left < 0:
                raise _Refused("its tensors take more bytes than --max-record allows")
            self.known[id(value)] = str(len(self.tensors))
            self.alive.append(value)
            self.tensors[self.known[id(value)]] = value.detach().cpu().clone()
        return {kind: self.known[id(value)]}

    def object(self, value):
        cls = type(value)
        if not hasattr(value, "__dict__") or cls.__module__ == "builtins" or "<" in cls.__qualname__ or isinstance(value, (self.torch.optim.Optimizer, type(sys))):
            raise _Refused("an argument is a %s, which a file cannot hold" % cls.__name__)
        if id(value) in self.known:
            return {"object": self.known[id(value)]}
        if len(self.objects) >= OBJECTS:
            raise _Refused("an argument holds more than %d objects" % OBJECTS)
        self.known[id(value)] = len(self.objects)
        self.alive.append(value)
        attributes = []
        self.objects.append([[cls.__module__, cls.__qualname__], attributes])
        for name, v in vars(value).items():
            if isinstance(value, self.torch.nn.Module) and name in self.own:
                continue
            try:
                attributes.append([name, self.plain(v)])
            except _Refused:
                if self.left < 0:
                    raise
        return {"object": self.known[id(value)]}
