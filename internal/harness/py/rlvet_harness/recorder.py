"""Records what every expression of the program was: the value graph of one short run.

settings: nothing. The files of the project that the program imports are rewritten (sites.py). What
is kept of a site is not each value but what they had in common, so that a record is as large as the
program and not as long as its run: kinds, shapes, whether gradients flow, constants, what was
called, and by the identity of objects *which other site made the value*, through lists, dicts,
buffers and whatever else it went. Tensors, arrays and objects are known again as long as they live;
of lists and dicts that is asked of their elements. What a statement changed in place is another
value. The record is the file recorder.json.
"""

import builtins
import os
import sys
import threading
import types
import weakref

from . import load, names, sites
from .instrument import Instrument

LOOKS = 48  # evaluations of a site that are looked at one by one, before only each 64th is
EVERY = 64
MOST_ORIGINS = 8  # of a site, beyond which its values come from too many places to follow
MOST_KEYS = 24  # of a dict
MOST_FILES = 3000
MOST_OBJECTS = 200000  # that are remembered before it is looked which of them are gone
ENDS = 3  # elements of a list that are looked at, from both ends
KNOWN_AGAIN = ("tensor", "array", "object")  # kinds of values that are, by their identity


class Recorder(Instrument):
    """Is called with the value of every expression of the program."""

    def __init__(self, settings, run):
        super().__init__(settings, run)
        self.paths, self.sites, self.definitions = [], [], {}
        self.makers = {}  # by the id of an object: a reference to it, the site that made it, its version
        self.most = MOST_OBJECTS
        self.categories = {}  # of types
        self.names = {}  # of functions and classes
        self.busy = threading.local()
        setattr(builtins, names.SEE, self.seeing())
        setattr(builtins, names.RAN, self.ran)
        setattr(builtins, names.FORGET, self.forget)

    # Rewriting.

    def files(self):
        """Returns the Python files of the project."""
        out = []
        for folder, folders, files in os.walk(self.run.root):
            folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in ("node_modules", "site-packages", "__pycache__"))
            if "pyvenv.cfg" in files:
                folders[:] = []
                continue
            out += [os.path.join(folder, name) for name in sorted(files) if name.endswith(".py")]
            if len(out) > MOST_FILES:
                break
        return out[:MOST_FILES]

    def rewrite(self, tree, path):
        sites.watch(tree, self.run.shown(path), load.read(path).encode("utf-8"), self)

    def site(self, path, start, end, what):
        if path not in self.paths:
            self.paths.append(path)
        self.sites.append(Site(self.paths.index(path), start, end, what))
        return len(self.sites) - 1

    def defined(self, path, qualname, start):
        self.definitions[path, qualname] = start

    # Called by the rewritten program.

    def seeing(self):
        """Returns the function that all values pass through."""
        all_sites, look, is_tensor = self.sites, self.look, self.is_tensor

        def see(number, value):
            site = all_sites[number]
            site.count += 1
            if site.count <= LOOKS or site.count % EVERY == 0:
                look(number, site, value)
            elif site.made and is_tensor(type(value)):
                look(number, site, value, False)
            return value

        return see

    def ran(self, number):
        self.sites[number].count += 1

    def forget(self, value):
        """A part of a value is overwritten: it is not what any site made any more. Returns it."""
        self.makers.pop(id(value), None)
        return value

    # Looking at values.

    def look(self, number, site, value, closely=True):
        """Notes what a value is and who made it; a mistake of ours is none of the program."""
        if self.broken or getattr(self.busy, "looking", False):
            return
        self.busy.looking = True
        try:
            self.run.instruments.guarded(self, self.note, number, site, value, closely)
        finally:
            self.busy.looking = False

    def note(self, number, site, value, closely):
        kind = self.category(type(value))
        maker = self.maker(number, site, value, kind)
        if closely:
            site.note(kind, maker)
            getattr(self, "look_at_" + kind, self.nothing)(site, value)

    def is_tensor(self, cls):
        return self.category(cls) == "tensor"

    def category(self, cls):
        known = self.categories.get(cls)
        if known is None:
            known = self.categories[cls] = _category(cls)
        return known

    def maker(self, number, site, value, kind):
        """Returns the number of the site that made a value before it came here, None where
        that is not known or it was changed since, and remembers who has it now."""
        if kind not in KNOWN_AGAIN:
            return None
        version = _version(value, kind)
        out = self.known(value, kind, version)
        if out is None or site.made:
            try:
                self.makers[id(value)] = weakref.ref(value), number, version
            except TypeError:
                return None
            if len(self.makers) > self.most:
                self.makers = {k: m for k, m in self.makers.items() if m[0]() is not None}
                self.most = max(MOST_OBJECTS, 2 * len(self.makers))
        return out

    def nothing(self, site, value):
        """There is no more to note."""

    def look_at_tensor(self, site, value):
        site.shape = _common(site.shape, tuple(value.shape))
        site.gradient.add(bool(value.requires_grad))

    def look_at_array(self, site, value):
        site.shape = _common(site.shape, tuple(value.shape))

    def look_at_constant(self, site, value):
        if isinstance(value, str) and len(value) > 64:
            site.constants = None
        elif site.constants is not None and not any(type(c) is type(value) and (c == value or c != c) for c in site.constants):
            site.constants = site.constants + [value] if len(site.constants) < 2 else None

    def look_at_callable(self, site, value):
        site.called.add(self.symbol(value))

    def look_at_object(self, site, value):
        site.classes.add(self.symbol(type(value)))

    def look_at_list(self, site, value):
        ends = value if len(value) <= 2 * ENDS else list(value[:ENDS]) + list(value[-ENDS:])
        site.classes.add("list" if isinstance(value, list) else "tuple")
        if isinstance(value, tuple):
            site.length = len(value) if site.length in (None, len(value)) else -1
        for i, element in enumerate(ends):
            site.element(i if isinstance(value, tuple) and len(value) <= 2 * ENDS else "", self.known_element(element))

    def look_at_dict(self, site, value):
        site.classes.add("dict")
        for key, element in list(value.items())[:MOST_KEYS]:
            site.element(key if type(key) is str else "", self.known_element(element))

    def known(self, value, kind, version):
        """Returns the site that made a value, None where that is not known or it was changed since."""
        reference, number, then = self.makers.get(id(value), (_nobody, None, None))
        return number if reference() is value and then == version else None

    def known_element(self, value):
        """Returns the same for what a list or dict holds."""
        kind = self.category(type(value))
        return self.known(value, kind, _version(value, kind)) if kind in KNOWN_AGAIN else None

    def symbol(self, value):
        """Returns what a function or class is called: "FILE:OFFSET" of its definition in the
        program, else its public name in a library, "" where there is none."""
        value = getattr(value, "__func__", value)
        try:
            return self.names[value]
        except (KeyError, TypeError):
            pass
        name = self.own_name(value) or _public_name(value)
        try:
            self.names[value] = name
        except TypeError:
            pass
        return name

    def own_name(self, value):
        module = sys.modules.get(getattr(value, "__module__", None) or "")
        code = getattr(value, "__code__", None)
        for path in (getattr(module, "__file__", None), getattr(code, "co_filename", None)):
            if path and self.run.is_program(os.path.abspath(path)):
                start = self.definitions.get((self.run.shown(path), getattr(value, "__qualname__", "")))
                if start is not None:
                    return "%s:%d" % (self.run.shown(path), start)
        return ""

    def end(self, status):
        self.keep({"files": self.paths, "sites": [s.plain() for s in self.sites]})


class Site:
    """What the values of one place had in common."""

    __slots__ = ("at", "what", "made", "count", "kinds", "shape", "gradient", "constants", "called", "classes", "origins", "elements", "length")

    def __init__(self, path, start, end, what):
        self.at, self.what, self.made = [path, start, end], what, what == sites.MADE
        self.count, self.shape, self.length = 0, None, None
        self.kinds, self.gradient, self.called, self.classes = set(), set(), set(), set()
        self.constants, self.origins, self.elements = [], set(), {}

    def note(self, kind, maker):
        self.kinds.add(kind)
        _add(self.origins, maker)

    def element(self, key, maker):
        _add(self.elements.setdefault(key, set()), maker)

    def plain(self):
        out = {"at": self.at, "what": self.what, "count": self.count}
        for name in ("kinds", "gradient", "called", "classes"):
            if getattr(self, name):
                out[name] = sorted(getattr(self, name))
        if self.shape is not None:
            out["shape"] = list(self.shape) if self.shape is not _MIXED else [-2]
        if self.constants and self.kinds == {"constant"}:
            out["constants"] = [{"type": type(c).__name__, "text": str(c)} for c in self.constants]
        if self.origins and None not in self.origins:
            out["origins"] = sorted(self.origins)
        if self.length is not None:
            out["length"] = self.length
        elements = {str(k): sorted(o) for k, o in self.elements.items() if None not in o}
        if elements:
            out["elements"] = elements
        return out


_MIXED = (-2,)  # shapes of different ranks


def _nobody():
    """Stands for the reference to an object that nobody has seen."""


def _version(value, kind):
    """Returns how often a tensor was changed in place, 0 where nobody counts that."""
    return value._version if kind == "tensor" and not value.is_inference() else 0


def _common(known, shape):
    """Returns what two shapes have in common: -1 for a size that differs."""
    if known is None or known == shape:
        return shape
    if len(known) != len(shape) or known is _MIXED:
        return _MIXED
    return tuple(a if a == b else -1 for a, b in zip(known, shape))


def _add(origins, maker):
    """Adds who made a value; None, once it is there, says that somebody else did, too."""
    if None in origins:
        return
    origins.add(maker)
    if len(origins) > MOST_ORIGINS:
        origins.add(None)


def _category(cls):
    """Returns what the values of a class are to us."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and hasattr(torch, "Tensor") and issubclass(cls, torch.Tensor):
        return "tensor"
    if numpy is not None and hasattr(numpy, "ndarray") and issubclass(cls, numpy.ndarray):
        return "array"
    if cls in (int, float, bool, str, type(None)):
        return "constant"
    if issubclass(cls, (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
        return "callable"
    if issubclass(cls, (list, tuple)):
        return "list"
    if issubclass(cls, dict):
        return "dict"
    if issubclass(cls, types.ModuleType):
        return "module"
    return "object"


def _public_name(value):
    """Returns the shortest dotted name under which a library offers a function or class."""
    name = getattr(value, "__name__", None)
    module = getattr(value, "__module__", None)
    if not isinstance(name, str):
        return ""
    places = ["torch", "torch.nn.functional", "numpy"]
    if isinstance(module, str):
        parts = module.split(".")
        places = [".".join(parts[: i + 1]) for i in range(len(parts))] + places
    for place in places:
        if vars(sys.modules.get(place, types)).get(name) is value and place in sys.modules:
            return "%s.%s" % (place, name)
    return ""
