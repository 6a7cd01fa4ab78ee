"""The gradient of {{.Class}} at the inputs at which it was wrong{{with .Pattern}}: {{.}}{{end}}.

Written by `rlvet hunt` ({{.Place}}). It needs torch and pytest; the inputs are recorded in
{{.Record}}.
"""

{{template "head" .}}
RECORD = torch.load(HERE / {{py .Record}}, weights_only=True)
DTYPE = torch.{{.Dtype}}


def recorded(name):
    """Returns what the function was applied to under a name."""
    if name not in RECORD["tensors"]:
        return json.loads(RECORD["others"])[name]
    value = RECORD["tensors"][name]
    return [cast(v) for v in value] if isinstance(value, list) else cast(value)


def cast(tensor):
    """Returns a tensor in the precision in which slopes are compared."""
    if not tensor.is_floating_point():
        return tensor
{{- if .Kinks}}
    noise = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(0), dtype=DTYPE)
    return tensor.to(DTYPE) + 1e-4 * noise  # off the kinks, at which forward has no derivative
{{- else}}
    return tensor.to(DTYPE)
{{- end}}


def test_{{.Snake}}_gradient():
    """What backward returns is the slope of forward."""
    values = {name: recorded(name) for name in RECORD["names"]}
    needed = [name for name in RECORD["needed"] if values[name].is_floating_point()]

    def apply(*tensors):
        torch.manual_seed(0)  # the same random numbers each time
        given = {**values, **dict(zip(needed, (t.clone() for t in tensors)))}
        return {{.Class}}.apply(*[given[name] for name in RECORD["names"]])

    leaves = [values[name].requires_grad_() for name in needed]
    torch.autograd.gradcheck(apply, leaves, {{if eq .Dtype "float32"}}eps=1e-3, atol=1e-2, rtol=2e-2{{else}}eps=1e-6, atol=1e-5, rtol=1e-3{{end}}, check_undefined_grad=False)
