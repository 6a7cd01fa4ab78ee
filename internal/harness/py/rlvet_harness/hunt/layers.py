"""Keeps, for the steps before a failure, what comes out of each layer and what gradient
reaches its parameters: two norms a layer and step."""

from . import backward, modules, tensors


class Layers:
    """The modules that are running, and their norms from step ``since`` on."""

    def __init__(self, run, since):
        self.run, self.since = run, since
        self.running = []  # modules whose forward is under way, outermost first
        self.norms = {}  # by path: the activation's and the gradient's norm, by step
        self.named = {}  # by path: the module
        self.tagging = False

    def install(self, torch):
        register = torch.nn.modules.module
        register.register_module_forward_pre_hook(self.begin)
        register.register_module_forward_hook(self.finish)

    def path(self):
        """Returns the path of the innermost module that is running, or None."""
        return self.running[-1][1] if self.running else None

    def begin(self, module, inputs):
        self.running.append((module, modules.path_of(module) or type(module).__name__))

    def finish(self, module, inputs, output):
        path = None
        while self.running:  # what an exception left behind goes, too
            running, path = self.running.pop()
            if running is module:
                break
        if path is None:
            return
        if self.tagging:
            backward.tag(module, path, inputs, output)
        if self.run.steps >= self.since:
            self.named.setdefault(path, module)
            norms = self.norms.setdefault(path, {}).setdefault(self.run.steps, [None, None])
            if norms[0] is None:
                norms[0] = next((_norm(t) for t in tensors.tensors_in(output)), None)

    def gradients(self):
        """Notes the norms of the gradients, before a step."""
        for path, module in self.named.items():
            own = [p.grad for p in module.parameters(recurse=False) if p.grad is not None]
            norms = self.norms[path].get(self.run.steps)
            if own and norms is not None:
                norms[1] = sum(_norm(g) ** 2 for g in own) ** 0.5

    def table(self):
        """Returns the norms, a row a layer in the order in which the layers ran first."""
        return [
            {
                "module": path, "steps": sorted(rows), "activation": [rows[s][0] for s in sorted(rows)],
                "gradient": [rows[s][1] for s in sorted(rows)], "bad_step": next((s for s in sorted(rows) if any(map(_is_bad, rows[s]))), None),
            }
            for path, rows in self.norms.items()
        ]


def _norm(tensor):
    return float(tensor.detach().float().norm()) if tensor.is_floating_point() else None


def _is_bad(norm):
    return norm is not None and norm - norm != 0
