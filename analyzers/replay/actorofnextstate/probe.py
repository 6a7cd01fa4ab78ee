"""OFF021: the states of critic and actor.

The state of the actor is that of the variable that is the innermost argument of the action. It confirms if that is another one than the
critic's. It refutes if a layer in the graph of the action got the critic's state, and none got another of that shape.
"""

import ast
import inspect
import textwrap

from rlvet_harness import Probe
from rlvet_harness.graph import nodes
from rlvet_harness.observe import is_tensor

ASKED = "rlvet_asked"  # in the metadata of an operation: what the layers were called with whose output it made
MOST = 2000  # operations of a graph that are looked at


class ActorOfNextState(Probe):
    """Watches the call of the critic."""

    enough = 1
    deep = True
    needs = "an action with a graph, in which a layer got the state"

    def imported(self, torch):
        def after(module, given, out):
            node = getattr(out, "grad_fn", None)
            if node is not None:
                node.metadata.setdefault(ASKED, []).extend(x.detach() for x in given if is_tensor(x))

        torch.nn.modules.module.register_module_forward_hook(after)

    def same(self, action, state):
        """Reports whether layers in the graph of an action got a state, and none got another of its shape."""
        if not is_tensor(state) or getattr(action, "grad_fn", None) is None:
            return False
        given = [x for node in nodes(action.grad_fn, MOST) for x in node.metadata.get(ASKED, ()) if x.shape == state.shape]
        return bool(given) and all(bool((x == state).all()) for x in given)

    def hit(self, hit):
        state = hit.part("arg0")
        inner = self.inner()
        if self.same(hit.part("arg1"), state):
            self.upheld()
            return
        local = self.frame()
        seen = local.f_locals.get(inner, local.f_globals.get(inner))
        if not hasattr(seen, "shape") or not hasattr(state, "shape"):
            self.unsure("the state of the actor, or that of the critic, was not seen")
        elif seen.shape != state.shape or not bool((seen == state).all()):
            self.confirm("the actor chose in another state than the critic sees", elements=int(state.numel()))

    def inner(self):
        """Returns the name that is the innermost first argument of the second one."""
        node = self.expression()
        node = node.args[1] if isinstance(node, ast.Call) and len(node.args) > 1 else None
        if isinstance(node, ast.Name):
            node = self.assigned(node.id)
        while isinstance(node, ast.Call) and node.args:
            node = node.args[0]
        return node.id if isinstance(node, ast.Name) else None

    def assigned(self, name):
        """Returns what a variable of the function was last set to above the flagged line."""
        code = self.frame().f_code
        try:
            lines, first = inspect.getsourcelines(code)
            tree = ast.parse(textwrap.dedent("".join(lines)))
        except (OSError, SyntaxError, ValueError):
            return None
        last = self.frame().f_lineno - max(first, 1) + 1
        found = None
        for statement in ast.walk(tree):
            if isinstance(statement, ast.Assign) and statement.lineno < last:
                names = [n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name)]
                found = statement.value if name in names else found
        return found

    def holds(self):
        return "actor and critic saw the same state"
