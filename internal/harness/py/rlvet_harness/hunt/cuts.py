"""What cuts a graph on purpose, or changes its gradients: detach, no_grad, reading a number, hooks."""


class Cuts:
    """Notes within it by what names a graph is cut, in seen."""

    def __init__(self, torch):
        self.torch, self.seen, self.own = torch, [], []

    def __enter__(self):
        torch = self.torch
        for name in ("detach", "detach_", "item", "tolist", "numpy", "register_hook"):
            self.replace(torch.Tensor, name, self.noting(getattr(torch.Tensor, name), name))
        for mode in ("no_grad", "inference_mode", "set_grad_enabled"):
            owner = getattr(torch, mode)
            self.replace(owner, "__enter__", self.noting(owner.__enter__, mode))
        data = torch.Tensor.data
        self.replace(torch.Tensor, "data", property(self.noting(data.__get__, "data"), data.__set__))
        return self

    def noting(self, function, name):
        def note(*args, **kwargs):
            self.seen.append(name)
            return function(*args, **kwargs)

        return note

    def replace(self, owner, name, value):
        self.own.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, value)

    def __exit__(self, *error):
        for owner, name, own in self.own:
            if own is None:  # it was inherited
                delattr(owner, name)
            else:
                setattr(owner, name, own)
