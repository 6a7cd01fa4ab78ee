"""Python imports this when it starts, as the harness stands first on its path.

In a process that a watched program started, it lets the harness watch that process, too.
Then it does what the environment's own sitecustomize does, which this one hides.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec

_HERE = os.path.dirname(os.path.abspath(__file__))


def _import_own():
    """Imports the sitecustomize that stands behind this one on the path, if any."""
    behind = [p for p in sys.path if os.path.abspath(p or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", behind)
    if spec is not None and spec.loader is not None:
        module = sys.modules["sitecustomize"] = module_from_spec(spec)
        spec.loader.exec_module(module)


try:
    if os.environ.get("RLVET_REQUEST"):
        from rlvet_harness import children

        children.join()
finally:
    _import_own()
