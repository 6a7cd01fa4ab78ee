"""In what way a gradient is wrong: its mistake by name, where one of these explains it.

Each hypothesis must explain the gradient at every element and for every incoming gradient
that was tried. Some are tried by repairing backward: what it saved is replaced, and when
the gradient is right then, that was the mistake.
"""

import itertools
import math

from .linear import is_linear
from .saved import repaired
from .slopes import Comparison, relative


def name(case, comparisons, position):
    """Returns the name of the mistake in the gradient of a leaf, None where none fits."""
    c = comparisons[position]
    if not c.returned:
        return "gradient missing for %s (None)" % c.name
    for hypothesis in (_zero, _not_finite, _ignored, _constant, _swapped, _transposed, _simple_factor, repaired, _threshold, _factor, _pieces, _offset, _affine, _term):
        found = hypothesis(case, comparisons, c)
        if found:
            return found
    return _of_one_output(case, c) or (None if is_linear(case, c) else "not linear in grad_output")


def _of_one_output(case, c):
    """Names the mistake where only the gradient that comes from one of several outputs is
    wrong."""
    count, wrong = len(case.outputs()), []
    for number in range(count if count > 1 else 0):
        with Weights(case, [only(case, w, [number]) for w in case.weights]):
            part = Comparison(case, c.position, c.moves, [case.gradients(w)[c.position] for w in case.weights])
            if part.wrong():
                wrong.append((number, name(case, [part], 0)))
    if len(wrong) == 1:
        return "%s (output %d)" % (wrong[0][1] or "wrong", wrong[0][0])
    return None


def used(case, c):
    """Returns the numbers of the outputs on whose gradient that of a leaf depends."""
    weight, count = case.weights[0], len(case.outputs())
    every = list(range(count))
    changed = [case.gradients(only(case, weight, [i for i in every if i != j]))[c.position] for j in every]
    return [j for j in every if changed[j] is None or not bool((changed[j] == c.gradients[0]).all())]


def only(case, weight, kept):
    """Returns an incoming gradient for some of the outputs."""
    out, at = weight.clone().zero_(), 0
    for number, output in enumerate(case.outputs()):
        if number in kept:
            out[at : at + output.numel()] = weight[at : at + output.numel()]
        at += output.numel()
    return out


class Weights:
    """Gives a case other incoming gradients for a while."""

    def __init__(self, case, weights):
        self.case, self.weights = case, weights

    def __enter__(self):
        self.case.weights, self.weights = self.weights, self.case.weights

    def __exit__(self, *error):
        self.case.weights = self.weights


class Pairs:
    """The numeric and analytic slopes of one leaf at the elements where forward is smooth."""

    def __init__(self, c):
        self.c, self.at = c, c.smooth()
        self.numeric = [[row[k] for k in self.at] for row in c.numeric]
        self.analytic = [[row[k] for k in self.at] for row in c.analytic]

    def agree(self, found, wanted):
        """Reports whether two lists of numbers are the same within the tolerance."""
        scale = max((abs(x) for x in wanted), default=0.0)
        bound = 2 * self.c.case.precision.tolerance
        return scale > 0 and all(relative(a, b, max(1e-12, self.c.case.precision.least * scale)) <= bound for a, b in zip(found, wanted))

    def explained(self, explain):
        """Reports whether explain(numeric, weight number) yields the analytic slopes, for
        every incoming gradient."""
        return all(self.agree(explain(n, j), a) for j, (n, a) in enumerate(zip(self.numeric, self.analytic)))

    def values(self, tensor):
        """Returns a tensor's numbers at the elements, None where it does not fit the leaf."""
        try:
            flat = tensor.detach().double().cpu().expand(self.c.leaf.shape).reshape(-1)
        except RuntimeError:
            return None
        moves = [self.c.moves[k] for k in self.at]
        return [float(flat[m.index]) for m in moves] if all(hasattr(m, "index") for m in moves) else None


def _zero(case, comparisons, c):
    if all(a == 0 for row in c.analytic for a in row):
        return "gradient missing for %s (zero)" % c.name
    return None


def _not_finite(case, comparisons, c):
    bad = [a for row in c.analytic for k, a in enumerate(row) if k in c.wrong() and not math.isfinite(a)]
    return "%s where the slope is finite" % ("NaN" if math.isnan(bad[0]) else "infinite") if bad else None


def _ignored(case, comparisons, c):
    p = Pairs(c)
    first = p.analytic[0]
    return "grad_output ignored" if any(first) and all(row == first for row in p.analytic[1:]) and len(p.analytic) > 1 else None


def _constant(case, comparisons, c):
    """A constant factor, which may be the sign, or an argument that was forgotten."""
    p = Pairs(c)
    pairs = [(n, a) for row in range(len(p.numeric)) for n, a in zip(p.numeric[row], p.analytic[row])]
    square = sum(n * n for n, _ in pairs)
    factor = sum(n * a for n, a in pairs) / square if square else 0.0
    if not factor or not p.explained(lambda n, j: [factor * x for x in n]):
        return None
    if relative(factor, -1.0, 1.0) < 1e-2:
        return "sign"
    left_out = next((n for n, v in case.numbers.items() if v and min(relative(factor, 1 / v, 1e-9), relative(factor, v, 1e-9)) < 1e-2), None)
    return "constant factor %s%s" % (_short(factor), " (%s)" % left_out if left_out else "")


def _swapped(case, comparisons, c):
    for other in comparisons:
        if other is not c and other.leaf.shape == c.leaf.shape and other.moves and other.name != c.name:
            p = Pairs(c)
            if len(other.moves) == len(c.moves) and p.explained(lambda n, j: [other.numeric[j][k] for k in p.at]):
                return "gradient of another input swapped (it is that of %s)" % other.name
    return None


def _transposed(case, comparisons, c):
    """The gradient of a square matrix, transposed; or that of the transposed map."""
    side = c.leaf.shape[0] if c.leaf.dim() == 2 and c.leaf.shape[0] == c.leaf.shape[1] else 0
    if not side or len(c.moves) != side * side or c.kinks():
        return None
    turned = [m.index % side * side + m.index // side for m in c.moves]
    where = {m.index: k for k, m in enumerate(c.moves)}
    if Pairs(c).explained(lambda n, j: [n[where[t]] for t in turned]):
        return "transposed"
    return None


def _threshold(case, comparisons, c):
    """Right on one side of a number that an input has, wrong on the other."""
    wrong = set(c.wrong())
    p = Pairs(c)
    if len(wrong) < 2 or len(p.at) - len(wrong) < 2:
        return None
    for other in comparisons:
        values = p.values(other.leaf)
        if values is None:
            continue
        for label, number in (("%s", lambda x: x), ("|%s|", abs)):
            bad = [number(v) for k, v in zip(p.at, values) if k in wrong]
            good = [number(v) for k, v in zip(p.at, values) if k not in wrong]
            shown = label % other.name
            if min(bad) > max(good):
                return "wrong only where %s > %s" % (shown, _short(max(good)))
            if max(bad) < min(good):
                return "wrong only where %s < %s" % (shown, _short(min(good)))
    return None


def _simple_factor(case, comparisons, c):
    """A factor that is one simple function of an input or output."""
    p = Pairs(c)
    for said, values in _simple(case, comparisons, p):
        for sign, shown in ((1, said), (-1, "-" + said)):
            if all(p.agree([sign * a * v for a, v in zip(row, values)], n) for n, row in zip(p.numeric, p.analytic)):
                return "missing factor %s" % shown
    return None


def _factor(case, comparisons, c):
    """A factor that is made of two such functions, or that is too many."""
    p = Pairs(c)
    for said, value in _labelled(case, comparisons, p):
        if all(p.agree([a * v for a, v in zip(row, value)], n) for n, row in zip(p.numeric, p.analytic)):
            return "missing factor %s" % said
    for said, value in _labelled(case, comparisons, p):
        if p.explained(lambda n, j: [x * v for x, v in zip(n, value)]):
            return "factor %s too many" % said
    return None


def _pieces(case, comparisons, c):
    """One constant factor on one side of a number that an input has, another on the other."""
    p = Pairs(c)
    ratios = [row_a[k] / row_n[k] if row_n[k] else math.nan for row_n, row_a in zip(p.numeric, p.analytic) for k in range(len(p.at))]
    first = ratios[0] if ratios else math.nan
    high = [relative(r, first, 1e-12) < 2 * c.case.precision.tolerance for r in ratios]
    rest = [r for r, h in zip(ratios, high) if not h]
    if len(rest) < 2 or sum(high) < 2 or any(relative(r, rest[0], 1e-12) >= 2 * c.case.precision.tolerance for r in rest):
        return None
    for other in comparisons:
        values = p.values(other.leaf)
        if values is None:
            continue
        one = [v for v, h in zip(values * len(p.numeric), high) if h]
        two = [v for v, h in zip(values * len(p.numeric), high) if not h]
        if min(one) > max(two) or min(two) > max(one):
            sides = sorted([(min(one), first), (min(two), rest[0])])
            return "constant factor %s where %s is small and %s where it is large" % (_short(sides[0][1]), other.name, _short(sides[1][1]))
    return None


def _term(case, comparisons, c):
    """A term of the chain rule that was left out."""
    p = Pairs(c)
    missing = [[n - a for n, a in zip(rn, ra)] for rn, ra in zip(p.numeric, p.analytic)]
    weights = [p.values(w.view(c.leaf.shape)) if w.numel() == c.leaf.numel() else None for w in case.weights]
    if None in weights:
        return None
    for label, terms in _reduced(case, p):
        for number in NUMBERS:
            if all(p.agree([number * x for x in t], m) for t, m in zip(terms, missing)):
                return "missing chain-rule term %s" % _times(number, label)
        if all(_by_rows(p, t, m) for t, m in zip(terms, missing)):
            return "missing chain-rule term %s, times a factor of each row" % label
    for said, value in _labelled(case, comparisons, p):
        if all(p.agree([w * v for w, v in zip(ws, value)], m) for ws, m in zip(weights, missing)):
            return "missing chain-rule term %s" % said
    return None


def _by_rows(p, term, missing):
    """Reports whether what is missing is a term, times one factor in each row of the leaf."""
    rows, last = {}, p.c.leaf.shape[-1] if p.c.leaf.dim() > 1 else 0
    for k, t, m in zip(p.at, term, missing) if last else ():
        rows.setdefault(p.c.moves[k].index // last, []).append((t, m))
    if not rows or any(len(pairs) < 3 for pairs in rows.values()):
        return False
    for pairs in rows.values():
        factor = sum(t * m for t, m in pairs) / max(sum(t * t for t, _ in pairs), 1e-30)
        if not factor or not p.agree([factor * t for t, _ in pairs], [m for _, m in pairs]):
            return False
    return True


def _offset(case, comparisons, c):
    p = Pairs(c)
    for scaled in (True, False):
        weights = [p.values(w.view(c.leaf.shape)) if w.numel() == c.leaf.numel() else None for w in case.weights] if scaled else [[1.0] * len(p.at)] * len(case.weights)
        if None in weights:
            continue
        surplus = [(a - n) / w for row in range(len(weights)) for a, n, w in zip(p.analytic[row], p.numeric[row], weights[row])]
        mean = sum(surplus) / len(surplus)
        if mean and all(relative(s, mean, abs(mean)) < 1e-2 for s in surplus):
            return "constant %s added%s" % (_short(mean), "" if scaled else " to the gradient")
    return None


def _affine(case, comparisons, c):
    """A term that is there without any incoming gradient."""
    gradient = case.gradients(0 * case.weights[0])[c.position]
    if gradient is not None and bool((gradient != 0).any()):
        return "grad_output ignored in one term"
    return None


def _reduced(case, p):
    """Yields the terms of functions that normalise along the last dimension."""
    outputs = case.outputs()
    if len(outputs) != 1 or outputs[0].shape != p.c.leaf.shape or not p.c.leaf.dim():
        return
    y = outputs[0].detach().double().cpu()
    weights = [w.view(y.shape) for w in case.weights]
    for label, term in (
        ("-y * sum(grad_output * y)", lambda w: -y * (w * y).sum(-1, keepdim=True)),
        ("-exp(y) * sum(grad_output)", lambda w: -y.exp() * w.sum(-1, keepdim=True)),
        ("-mean(grad_output)", lambda w: -w.mean(-1, keepdim=True)),
        ("-y * mean(grad_output * y)", lambda w: -y * (w * y).mean(-1, keepdim=True)),
    ):
        yield label, [p.values(term(w)) for w in weights]


FUNCTIONS = (
    ("%s", lambda x: x), ("%s^2", lambda x: x * x), ("1/%s", lambda x: 1 / x), ("1/%s^2", lambda x: 1 / (x * x)), ("(1 - %s)", lambda x: 1 - x), ("(1 - %s^2)", lambda x: 1 - x * x),
    ("exp(%s)", math.exp), ("exp(-%s)", lambda x: math.exp(-x)), ("sigmoid(%s)", lambda x: 1 / (1 + math.exp(-x))),
    ("(1 - sigmoid(%s))", lambda x: 1 / (1 + math.exp(x))), ("tanh(%s)", math.tanh), ("(1 - tanh(%s)^2)", lambda x: 1 - math.tanh(x) ** 2),
    ("cos(%s)", math.cos), ("sin(%s)", math.sin), ("sign(%s)", lambda x: math.copysign(1.0, x)), ("log(%s)", math.log), ("sqrt(%s)", math.sqrt), ("(%s > 0)", lambda x: float(x > 0)),
)
NUMBERS = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)


def _labelled(case, comparisons, p):
    """Yields what a factor may be, in words, and its values: one simple function, also
    with a small number, then products of two, also with a sign."""
    single = list(_simple(case, comparisons, p))
    for said, values in single:
        for number in NUMBERS:
            yield _times(number, said), [number * v for v in values]
    for (said, values), (other, others) in itertools.combinations_with_replacement(single, 2):
        product = [a * b for a, b in zip(values, others)]
        yield "%s * %s" % (said, other), product
        yield "-%s * %s" % (said, other), [-v for v in product]


def _times(number, said):
    if said.startswith("-"):
        number, said = -number, said[1:]
    return {1.0: said, -1.0: "-" + said}.get(number, "%s * %s" % (_short(number), said))


def _simple(case, comparisons, p):
    tensors = [(c.name, c.leaf) for c in comparisons]
    tensors += [("y" if i == 0 else "y%d" % i, o) for i, o in enumerate(case.outputs())]
    fitting = [(label, values) for label, values in ((n, p.values(t)) for n, t in tensors) if values is not None]
    for said, function in FUNCTIONS:
        for label, values in fitting:
            try:
                found = [function(v) for v in values]
            except (ValueError, OverflowError, ZeroDivisionError):
                continue
            if any(found) and not all(f == 1 for f in found):
                yield said % label, found


def _short(x):
    return "%.3g" % x
