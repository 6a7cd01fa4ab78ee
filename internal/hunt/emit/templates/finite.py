"""{{.Called}} returns finite numbers, and a finite gradient, for the inputs with which training failed.

Written by `rlvet hunt` ({{.Place}}). It needs torch and pytest; the inputs are recorded in
{{.Record}}, with the modules and objects among them.
"""

{{template "head" .}}
RECORD = torch.load(HERE / {{py .Record}}, weights_only=True)
CALL = json.loads(RECORD["call"])
MADE = {"parameter": {}, "leaf": {}, "tensor": {}, "object": {}}  # what is rebuilt already, by number


def named(module, name):
    """Returns a function or class by its module and qualified name."""
    found = {{.Alias}} if module == {{py .Module}} else importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def rebuilt(value):
    """Returns a recorded value. Modules and objects are made without their constructors."""
    if isinstance(value, list):
        return [rebuilt(v) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(rebuilt(v) for v in content)
    if kind == "dict":
        return {rebuilt(k): rebuilt(v) for k, v in content}
    if kind == "name":
        return named(*content)
    if content not in MADE[kind]:
        return rebuilt_object(content) if kind == "object" else rebuilt_tensor(kind, content)
    return MADE[kind][content]


def rebuilt_tensor(kind, number):
    tensor = RECORD["tensors"][number]
    if kind == "parameter":
        tensor = torch.nn.Parameter(tensor)
    MADE[kind][number] = tensor.requires_grad_() if kind == "leaf" else tensor
    return MADE[kind][number]


def rebuilt_object(number):
    cls, attributes = CALL["objects"][number]
    cls = named(*cls)
    made = MADE["object"][number] = cls.__new__(cls)
    if isinstance(made, torch.nn.Module):
        torch.nn.Module.__init__(made)
    for name, value in attributes:
        vars(made)[name] = rebuilt(value)
    return made


def tensors_in(value):
    """Yields the tensors of numbers in what a function returned."""
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors_in(v)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))


def test_{{.Snake}}_is_finite():
    """Neither what it returns nor its gradient holds NaN or infinity."""
    torch.manual_seed(0)
    function = named(*CALL["function"])
    arguments = [rebuilt(value) for _, value in CALL["arguments"]] + rebuilt(CALL["more"])
    outputs = list(tensors_in(function(*arguments, **{name: rebuilt(value) for name, value in CALL["keywords"]})))
    for output in outputs:
        assert torch.isfinite(output).all(), "it returns %s" % output
    carriers = [output.double().sum() for output in outputs if output.requires_grad]
    if carriers:
        sum(carriers).backward()
    for kind in ("leaf", "parameter"):
        for number, tensor in MADE[kind].items():
            assert tensor.grad is None or torch.isfinite(tensor.grad).all(), "the gradient of %s %s is %s" % (kind, number, tensor.grad)
