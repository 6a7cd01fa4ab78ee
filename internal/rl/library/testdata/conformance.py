"""Checks what the library tables claim against the libraries themselves.

Reads one JSON object from stdin: {"names": [...], "signatures": [...],
"cases": [...]}. Writes one JSON object: library versions, problems, and for
every case whether its result reached zero. Uses torch and numpy as they are
installed; a library that is missing is reported, never imitated.
"""

import builtins
import copy
import importlib
import inspect
import json
import math
import operator
import random
import statistics
import sys
import warnings

import numpy
import torch

warnings.simplefilter("ignore")
TOLERANCE = 1e-5
SIGNED = [-1000.0, -30.0, -1.0, -0.5, 0.0, 0.5, 1.0, 30.0, 1000.0]
EDGES = {
    "prob": [0.0, 1e-30, 0.25, 0.5, 1.0],
    "unit": [0.0, 1e-30, 0.25, 0.5, 1.0],
    "binary": [0.0, 1.0, 1.0, 0.0],
    "positive": [0.0, 1e-30, 0.5, 1.0, 30.0],
    "away": [1e-6, 0.5, 1.0, 30.0],
    "int": [0.0, 1.0, 2.0, 1.0],
    "negative": [-1000.0, -30.0, -1.0, -1e-6, 0.0],
    "equal": [2.0],
    "zero": [0.0],
}


def numbers(domain, count):
    """Numbers of a domain, the edges first, then random ones inside it."""
    edges = EDGES.get(domain, SIGNED)
    return [edges[i % len(edges)] for i in range(count)]


def T(domain, shape, grad=False):
    """A tensor with elements of a domain; `int` is a tensor of integers, `bool` of truth values."""
    values = torch.tensor(numbers(domain, math.prod(shape))).reshape(shape).clone()
    if domain == "int":
        return values.long()
    if domain == "bool":
        return values > 0
    return values.requires_grad_(grad)


def A(domain, shape):
    """The same as a numpy array."""
    return T(domain, shape).numpy()


def resolve(name):
    """The object of a dotted name; the longest importable prefix is the module."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def release(text):
    return tuple(int(p) for p in text.split("+")[0].split("a")[0].split(".")[:2])


def check_name(entry):
    """A name exists, or is marked as newer than the library that is installed."""
    root = entry["name"].split(".")[0]
    try:
        module = importlib.import_module(root)
    except ImportError:
        return None, root
    since = entry.get("since")
    newer = since and release(since) > release(module.__version__)
    try:
        resolve(entry["name"])
    except (AttributeError, ImportError):
        if newer:
            return None, None
        return f"{entry['name']} does not exist in {root} {getattr(module, '__version__', '')}", None
    if newer:
        return f"{entry['name']} is marked since {since} but exists in {root} {module.__version__}", None
    return None, None


def check_signature(entry):
    """Every named parameter stands where the table says, under one of its names."""
    try:
        found = resolve(entry["name"])
        params = [p for p in inspect.signature(found).parameters.values() if p.name != "self"]
    except (AttributeError, ImportError, ValueError, TypeError):
        return None
    if any(p.kind == p.VAR_POSITIONAL for p in params[:1]):
        return None
    if entry["receiver"] and entry["name"].startswith("torch.Tensor."):
        entry["params"] = entry["params"][1:]
    for i, wanted in enumerate(entry["params"]):
        if not wanted:
            continue
        names = [p.name for p in params]
        keyword_only = any(p.name in wanted and p.kind == p.KEYWORD_ONLY for p in params)
        if i >= len(names) and not entry["canonical"]:
            continue  # an alias may lack what the row's own function has
        if not keyword_only and (i >= len(names) or names[i] not in wanted):
            return f"{entry['name']}: parameter {i} is one of {wanted}, but the signature is {names}"
    return None


def as_tensor(result):
    if isinstance(result, torch.Tensor):
        return result.detach().double()
    if isinstance(result, (list, tuple)):
        return torch.tensor(numpy.asarray(result, dtype=float))
    return torch.tensor(numpy.asarray(result, dtype=float)).double()


def check_value(result, claim):
    """The first claim that the result breaks, or None; and whether the result has a zero."""
    if isinstance(result, (list, tuple)) and result and isinstance(result[0], torch.Tensor):
        wanted = {k for k, v in claim.items() if v not in (None, "")}
        return (f"a {type(result).__name__} of tensors, claimed {claim}" if wanted else None), False
    values = as_tensor(result)
    shape = claim.get("shape")
    if shape is not None:
        got = list(values.shape)
        if len(got) != len(shape) or any(w not in (-1, g) for g, w in zip(got, shape)):
            return f"shape {got}, claimed {shape}", False
    known = values[~values.isnan()]
    zero = bool((known == 0).any())
    if known.numel():
        low, high = float(known.min()), float(known.max())
        if claim.get("lo") is not None and low < claim["lo"] - TOLERANCE:
            return f"minimum {low}, claimed at least {claim['lo']}", zero
        if claim.get("hi") is not None and high > claim["hi"] + TOLERANCE:
            return f"maximum {high}, claimed at most {claim['hi']}", zero
        if claim.get("nonzero") and zero:
            return "0 in a result that is claimed to be bounded away from 0", zero
    attached = isinstance(result, torch.Tensor) and result.requires_grad
    if claim.get("grad") == "attached" and not attached:
        return "no gradient, claimed attached", zero
    if claim.get("grad") == "detached" and attached:
        return "requires grad, claimed detached", zero
    return None, zero


def check_case(case):
    """Evaluates one call and compares the result, or its elements, with the claims."""
    torch.manual_seed(0)
    numpy.random.seed(0)
    try:
        result = eval(case["code"])
    except (ValueError, OverflowError, ZeroDivisionError) as e:
        if case.get("scalar"):
            return None, False, True  # math.log(-1): Python raises, nothing is claimed
        return f"{type(e).__name__}: {e}", False, False
    except Exception as e:
        return f"{type(e).__name__}: {e}", False, False
    elements = case.get("elements")
    if not elements:
        if case.get("opaque"):
            return None, False, False
        if isinstance(result, tuple) and not case.get("scalar"):
            return f"a tuple of {len(result)}, claimed a single value", False, False
        problem, zero = check_value(result, case["claim"])
        return problem, zero, False
    if not isinstance(result, tuple) or len(result) != len(elements):
        return f"{type(result).__name__}, claimed a tuple of {len(elements)}", False, False
    for i, claim in enumerate(elements):
        name = claim.get("name")
        if name and type(result) is not tuple and getattr(result, name, None) is not result[i]:
            return f"element {i} is not called {name}", False, False
        if claim.get("opaque"):
            continue
        problem, _ = check_value(result[i], claim)
        if problem:
            return f"element {i}: {problem}", False, False
    return None, False, False


def main():
    request = json.load(sys.stdin)
    problems, missing, zeros, raised = [], set(), [], 0
    for entry in request["names"]:
        problem, absent = check_name(entry)
        if problem:
            problems.append(problem)
        if absent:
            missing.add(absent)
    for entry in request["signatures"]:
        problem = check_signature(entry)
        if problem:
            problems.append(problem)
    for case in request["cases"]:
        problem, zero, refused = check_case(case)
        raised += refused
        if problem:
            problems.append(f"{case['row']}: {case['code']}: {problem}")
        zeros.append(zero)
    json.dump(
        {
            "versions": {"python": sys.version.split()[0], "torch": torch.__version__, "numpy": numpy.__version__},
            "missing": sorted(missing),
            "problems": problems,
            "zeros": zeros,
            "raised": raised,
        },
        sys.stdout,
    )


main()
