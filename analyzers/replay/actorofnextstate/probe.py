"""OFF021: the states of critic and actor.

The last inputs of all layers and networks are kept. It confirms if the critic's first argument is
not among what networks were called with for its second one.
"""

import ast
import inspect
import textwrap

from rlvet_harness import Probe


class ActorOfNextState(Probe):
    """Watches the call of the critic."""

    enough = 1
    deep = True

    def hit(self, hit):
        state = hit.part("arg0")
        inner = self.inner()
        if not hasattr(state, "shape") or inner is None:
            self.unsure("the states were not seen")
            return
        local = self.frame()
        seen = local.f_locals.get(inner, local.f_globals.get(inner))
        if not hasattr(seen, "shape"):
            self.unsure("the state of the actor was not seen")
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
