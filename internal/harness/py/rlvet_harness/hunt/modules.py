"""What the program calls its modules: the name of a variable, and the path below it.

A module is looked for among the variables of the frames that are running, from the
innermost function of the program to its main file: local and global variables, and the
attributes and elements of the objects in them. Of several names the one of the largest
module counts (``policy.gate`` rather than ``gate``), and among those the outermost frame's.
"""

import sys
import weakref

MOST = 512  # variables of a frame that are looked at
LIBRARIES = ("torch.", "rlvet_harness.", "importlib.", "runpy.")
WRAPPERS = ("module", "_orig_mod", "_module")  # what DataParallel and compilers put between

_found = weakref.WeakKeyDictionary()  # the name and the path below it of each module asked for


def path_of(module):
    """Returns what the running program calls a module, such as ``policy.blocks.2.gate``;
    None where no variable leads to it. To ask again is cheap."""
    found = _find(module, sys._getframe(1))
    return found and ".".join([found[0]] + [p for p in found[1].split(".") if p and p not in WRAPPERS])


def is_outermost(module):
    """Reports whether a variable leads to the module itself, and it is part of no other
    that has a name."""
    found = _find(module, sys._getframe(1))
    return found is not None and not found[1]


def _find(module, frame):
    if module not in _found:
        _found[module] = _best(module, frame)
    return _found[module]


def _best(module, frame):
    best, most = None, 0
    while frame is not None:
        if not _is_library(frame):
            size, name, below = max(_namings(frame, module), key=lambda n: n[0], default=(0, "", ""))
            if size >= max(most, 1):
                best, most = (name, below), size
        frame = frame.f_back
    return best


def _namings(frame, module):
    """Yields how the variables of a frame lead to a module: the size of the outermost
    module on the way, its name, and the path below it."""
    for name, root in _roots(frame):
        members = list(root.named_modules())
        for path, member in members:
            if member is module:
                yield len(members), name, path


def _is_library(frame):
    return ((frame.f_globals.get("__name__") or "") + ".").startswith(LIBRARIES)


def _roots(frame):
    """Yields the names and modules to which the variables of a frame lead."""
    module_class = sys.modules["torch"].nn.Module
    for variables in (frame.f_locals, frame.f_globals):
        for name, value in list(variables.items())[:MOST]:
            if name.startswith("_"):
                continue
            if not isinstance(value, module_class):
                yield from _members(name, value, module_class)
            elif name != "self":  # which is no name of it
                yield name, value


def _members(name, value, module_class):
    """Yields the modules in a container, or among the attributes of an object."""
    if isinstance(value, (list, tuple)):
        members = (("%s[%d]" % (name, i), v) for i, v in enumerate(value[:MOST]))
    elif isinstance(value, dict):
        members = (("%s[%r]" % (name, k), v) for k, v in list(value.items())[:MOST])
    else:
        prefix = "" if name == "self" else name + "."
        members = ((prefix + k, v) for k, v in list(_attributes(value).items())[:MOST])
    return ((path, member) for path, member in members if isinstance(member, module_class))


def _attributes(value):
    """Returns the attributes that an object of the program holds; nothing is computed."""
    kind = type(value)
    if isinstance(value, type) or kind.__module__ in ("builtins", "types") or (kind.__module__ + ".").startswith(LIBRARIES):
        return {}
    attributes = getattr(value, "__dict__", None)
    return attributes if isinstance(attributes, dict) else {}
