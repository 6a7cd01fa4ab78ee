"""What the technique of transformers' DebugUnderflowOverflow says of a script.

The technique: a forward hook on every module looks at its weights, inputs and outputs, and
stops the run at the first that holds NaN or infinity. Here the hook is a global one, so
that the script stays as it is and every module it makes is seen. Modules are looked at as
they return, innermost first, as there.

A module is named, not a line. Read generously, the line is found if it lies within the
forward of the module's class: filename, row and end_row are those of it.

Prints one line of JSON: {"how": "tool", "crash" or "", "filename", "row", "end_row", "message"}.
"""

import inspect

import pinned
import torch


class Found(BaseException):
    """A module holds, got or returned NaN or infinity."""


def tensors(value):
    """Yields the tensors of nested tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from tensors(v)
    elif isinstance(value, (tuple, list)):
        for v in value:
            yield from tensors(v)


def bad(value):
    """Names what is wrong in the tensors of a value: nan, inf or nothing."""
    for t in tensors(value):
        if t.is_floating_point() and not bool(torch.isfinite(t).all()):
            return "nan" if bool(torch.isnan(t).any()) else "inf"
    return ""


def look(module, inputs, output):
    for name, parameter in module.named_parameters(recurse=False):
        if bad(parameter.data):
            raise Found(module, "weight %s: %s" % (name, bad(parameter.data)))
    for what, value in (("input", inputs), ("output", output)):
        if bad(value):
            raise Found(module, "%s: %s" % (what, bad(value)))


def watch(args):
    """Returns what the hooks said of one run."""
    torch.nn.modules.module.register_module_forward_hook(look)
    try:
        pinned.run(args)
    except Found as found:
        module, what = found.args
        lines, row = inspect.getsourcelines(type(module).forward)
        return {"how": "tool", "filename": inspect.getsourcefile(type(module).forward), "row": row,
                "end_row": row + len(lines) - 1, "message": "%s: %s" % (type(module).__name__, what)}
    except Exception as error:
        return pinned.crash(error, args)
    return pinned.NOTHING


if __name__ == "__main__":
    pinned.tell(watch(pinned.arguments(__doc__.split("\n")[0])))
