"""Compares backward with forward on one set of recorded inputs, and judges.

First along random directions of each input, at what the run computed. Only where a direction
differs, or crosses too many kinks, is it asked element by element, which takes a hundred times as long.

right          it is the slope of forward at every element where there is one
wrong          it is not, or backward overwrites a tensor that others need
surrogate      it is not, and looks deliberate: it is linear in the incoming gradient, and forward is
               flat where they differ, as under rounding, or forward is the identity, or only
               large incoming gradients differ, or it is an approximation
not-differentiable  forward has a kink or an edge at every element
untested       nothing can be said, with the reason
"""

import math

from ..graph import nodes
from . import cases, patterns, replay, shrink
from .cuts import Cuts
from .linear import is_linear
from .slopes import SMOOTH, Comparison, Direction, Element, Joint, relative

ORDER = ("untested", "not-differentiable", "right", "surrogate", "wrong")
CHANGES = "changes "  # how the name of a mistake begins: backward is right, and overwrites a tensor of others
DIRECTIONS = 3  # along which large inputs are compared as a whole
SUSPECTS = 8  # elements that are looked for where a direction is wrong,
PARTS = 512  # and parts of a leaf that are asked for them: around kinks of a large one all would be
CLOSE = 5e-3  # of the upper quartile of slopes: what the usual approximations of erf and exp differ by
SMALL = (3e-2, 1e-4)  # of the largest gradient: elements that are also moved without the larger ones
BESIDE = 1e-2  # how far from kinks directions are asked again, beside 1 and beside the number
SEARCHED = 512  # elements of a module, of large leaves some, that are looked at though a Function says where it is wrong
LARGE = 1 << 22  # elements of all inputs up to which they are also compared as a whole


class Result:
    """What came of one comparison. position says which leaf is worst; args are the arguments
    that were used, as they were recorded or cut down: then whole holds their shapes before, and places
    which were left of dimensions, by their size."""

    def __init__(self, verdict, reason=None, case=None, comparisons=(), position=None):
        self.verdict, self.reason, self.case, self.comparisons, self.position = verdict, reason, case, list(comparisons), position
        self.args = self.named = None
        self.places, self.whole = {}, {}

    @property
    def pattern(self):
        """The mistake by its name, which takes a while to find; None where none fits."""
        if self.verdict == "wrong" and self.named is None:
            self.named = patterns.name(self.case, self.comparisons, self.position) or ""
        return self.named or None

    def rank(self):
        """Returns what makes a result worth more than another."""
        return ORDER.index(self.verdict), self.pattern is not None, sum(len(c.moves) for c in self.comparisons)

    def error(self):
        return max((c.largest()[0] for c in self.comparisons), default=0.0)


def check(torch, apply, names, args, needed=()):
    """Checks what backward of a Function returns at recorded arguments.

    apply is its apply, names those of forward's parameters, needed the places of the arguments that
    required gradients in the run: only of those a gradient may not be missing.
    """
    needed = [names[i] for i in needed]
    seen = glance(torch, apply, names, args, needed)
    if seen is not None:
        return seen
    small = _first(torch, apply, names, args, needed)
    if small is not None and (small.verdict not in ("right", "wrong") or _count(torch, args) > LARGE):
        return small
    try:
        return _weigh(small, examine(torch, apply, names, args, needed))
    except replay.Untested as why:
        return small or Result("untested", str(why))
    except replay.REFUSED as error:
        return small or Result("untested", "replaying it failed: %s" % _brief(error))


def glance(torch, apply, names, args, needed):
    """Returns the result along directions of whole arguments where that is right; None where it
    takes a closer look."""
    if _count(torch, args) > LARGE:
        return None
    try:
        case = replay.precisely(lambda precision: cases.of_function(torch, apply, names, args, precision))
        result = along(case, needed)
        if result is None or changed(case):
            return None
    except replay.REFUSED + (replay.Untested,):
        return None
    result.args = args
    return result


def along(case, needed=None):
    """Returns that the gradients of all leaves are right along directions, or None.

    Where forward has kinks, as at zeros of a mask, some elements must be right where it has none, and
    the directions at a point beside it.
    """
    comparisons = _directed(case, needed)
    if not comparisons or any(c.wrong() for c in comparisons):
        return None
    if any(c.kinks() for c in comparisons):
        gradients = [case.gradients(w) for w in case.weights]
        here = [Comparison(case, i, _some(case.leaves[i]), [g[i] for g in gradients]) for i in _asked(case, gradients, needed)]
        with replay.Elsewhere(case, BESIDE, BESIDE):
            beside = _directed(case, needed)
        if any(c.wrong() for c in here + beside) or any(c.kinks() for c in beside) or not all(c.smooth() for c in here):
            return None
        comparisons = here
    return Result("right", None, case, comparisons)


def _directed(case, needed):
    gradients = [case.gradients(w) for w in case.weights]
    return [Comparison(case, i, directions(case, i, gradients[0][i]), [g[i] for g in gradients]) for i in _asked(case, gradients, needed)]


def directions(case, i, gradient):
    """Returns moves along random directions of a leaf, and of its elements whose gradient is so
    small that what is wrong with them would be lost among the others."""
    leaf, drawn = case.leaves[i], case.torch.Generator().manual_seed(i)
    if leaf.numel() <= DIRECTIONS:
        return [Element(leaf, k) for k in range(leaf.numel())]
    vectors = [_drawn(case.torch, leaf, drawn) for _ in range(DIRECTIONS)]
    if gradient is not None:
        size = gradient.detach().abs().to(leaf.dtype)
        vectors += [_drawn(case.torch, leaf, drawn) * (size <= share * size.max()) for share in SMALL]
    return [Direction(leaf, v) for v in vectors if bool((v != 0).any())]


def _some(leaf):
    """Returns moves of some elements of a leaf, evenly spread."""
    count = min(leaf.numel(), replay.FEWEST)
    return [Element(leaf, j * (leaf.numel() - 1) // max(1, count - 1)) for j in range(count)]


def _first(torch, apply, names, args, needed):
    """Returns the result at cut arguments, None where there are none that the function takes."""
    for smaller, places in shrink.ways(torch, args):
        try:
            result = examine(torch, apply, names, smaller, needed)
            result.places, result.whole = places, {n: a.shape for n, a in zip(names, args) if isinstance(a, torch.Tensor)}
            return result
        except replay.REFUSED + (replay.Untested,):
            continue
    return None


def _weigh(small, whole):
    """Chooses between the results at cut and at whole arguments: a mistake must show at
    what the run computed. Of that the small result tells more, but for a factor, which may be
    the size of the batch."""
    if small is None or small.verdict == "right" and whole.verdict == "wrong":
        return whole
    if small.verdict == "wrong" and whole.verdict == "right":
        whole.reason = "it differs only at reduced inputs"
        return whole
    if small.verdict == whole.verdict == "wrong" and (small.pattern or "").startswith("constant factor"):
        whole.args = small.args
        return whole
    return small


def examine(torch, apply, names, args, needed):
    """Compares at exactly these arguments."""
    case = replay.precisely(lambda precision: cases.of_function(torch, apply, names, args, precision))
    result = compare(case, needed)
    overwritten = changed(case) if result.verdict != "wrong" else None
    if overwritten:
        position = case.names.index(overwritten) if overwritten in case.names else 0
        result = Result("wrong", None, case, result.comparisons, position)
        result.named = CHANGES + "%s in place" % overwritten
    result.args = args
    return result


def changed(case):
    """Returns the name of an argument or an output that backward overwrites, None where there is
    none: its own gradient may be right, but whoever else needs the tensor gets another one."""
    torch = case.torch
    with case.randomness, torch.enable_grad():
        outputs = case.compute()
    watched = {n: t for n, t in case.given.items() if isinstance(t, torch.Tensor) and _same(t, case.arguments[n])}
    watched.update(("output %d" % i, o) for i, o in enumerate(outputs if isinstance(outputs, (tuple, list)) else (outputs,)) if isinstance(o, torch.Tensor))
    before = {n: t.detach().clone() for n, t in watched.items()}
    carriers = case.carriers(outputs)
    with case.randomness:
        torch.autograd.grad(carriers, case.leaves, case.incoming(carriers, case.weights[0]), allow_unused=True)
    return next((n for n, t in watched.items() if not _same(t, before[n])), None)


def _same(a, b):
    a, b = a.detach(), b.detach()
    return a.shape == b.shape and bool(((a == b) | (a.isnan() & b.isnan())).all())


def compare(case, needed=None):
    """Compares all leaves of a case; needed names those that must have a gradient, None
    stands for all."""
    gradients = [case.gradients(w) for w in case.weights]
    asked = _asked(case, gradients, needed)
    shapes = {case.leaves[i].shape for i in asked}  # of gradients that another one may have been taken for
    chosen = [moves(case, i, gradients) if i in asked or leaf.shape in shapes else [] for i, leaf in enumerate(case.leaves)]
    comparisons = [Comparison(case, i, m, [g[i] for g in gradients]) for i, m in enumerate(chosen)]
    return judge(case, comparisons, needed)


def _asked(case, gradients, needed):
    """Returns the places of the leaves whose gradient can be wrong: they have one, or need one."""
    return [i for i, g in enumerate(gradients[0]) if g is not None or needed is None or case.names[i] in needed]


def moves(case, i, gradients):
    """Returns the moves of a leaf: all elements, or of a large one those that differ along
    random directions, the extremes, and some more."""
    leaf = case.leaves[i]
    if leaf.numel() <= case.most:
        return [Element(leaf, k) for k in range(leaf.numel())]
    found = suspects(case, i, gradients[0][i]) if gradients[0][i] is not None else []
    flat = leaf.detach().reshape(-1)
    found += [int(flat.argmax()), int(flat.argmin())]
    found += [j * (leaf.numel() - 1) // (case.most - 1) for j in range(case.most)]
    return [Element(leaf, k) for k in sorted(list(dict.fromkeys(found))[: case.most])]


def suspects(case, i, gradient):
    """Returns elements at which a gradient is not the slope: along random directions over
    the whole leaf, then over halves of what differs, down to single elements."""
    parts, found = [(0, case.leaves[i].numel())] * DIRECTIONS, []
    drawn = case.torch.Generator().manual_seed(i)
    kinked = []  # parts that may hide a mistake behind a kink: they come last
    for _ in range(PARTS):
        if len(found) == SUSPECTS or not parts and not kinked:
            break
        start, end = parts.pop() if parts else kinked.pop()
        wrong, kinks = _asked_of(case, i, gradient, start, end, drawn)
        if wrong and end - start == 1:
            found.append(start)
        elif end - start > 1 and (wrong or kinks):
            middle = (start + end) // 2
            (parts if wrong else kinked).extend([(start, middle), (middle, end)])
    return list(dict.fromkeys(found))


def _asked_of(case, i, gradient, start, end, drawn):
    """Returns whether a gradient differs from the slope along a random direction of a part of a leaf, and whether that crosses kinks."""
    leaf = case.leaves[i]
    vector = case.torch.zeros(leaf.numel(), dtype=leaf.dtype, device=leaf.device)
    vector[start:end] = case.torch.randn(end - start, generator=drawn).to(leaf.device, leaf.dtype)
    c = Comparison(case, i, [Direction(leaf, vector.view(leaf.shape))], [gradient])
    return bool(c.wrong()), c.kinks() > 0


def judge(case, comparisons, needed):
    """Makes one verdict of the comparisons of all leaves."""
    wrong, surrogate = [], None
    for i, c in enumerate(comparisons):
        if not c.wrong() or not c.returned and needed is not None and c.name not in needed:
            continue
        why = deliberate(case, c) if c.returned else None
        if why:
            surrogate = surrogate or (i, why)
        else:
            wrong.append(i)
    if surrogate and not any(comparisons[i].returned for i in wrong):  # the usual pair: one goes forward, the other back
        return Result("surrogate", "not the derivative of forward: deliberate? " + surrogate[1], case, comparisons, surrogate[0])
    if wrong:
        worst = max(wrong, key=lambda i: (comparisons[i].returned, comparisons[i].largest()[0]))
        return Result("wrong", None, case, comparisons, worst)
    if not any(c.smooth() for c in comparisons):
        return Result("not-differentiable", _edges(comparisons), case, comparisons, 0)
    return Result("right", None, case, comparisons)


def deliberate(case, c):
    """Returns why a gradient that is not the slope may be meant, else None."""
    wrong, slopes = c.wrong(), c.slopes
    if not all(math.isfinite(row[k]) for row in c.analytic for k in wrong) or not is_linear(case, c):
        return None
    steepest = max((float(s.vector.abs().max()) for s in slopes if s.state == SMOOTH), default=0.0)
    if all(float(slopes[k].vector.abs().max()) <= 1e-7 * max(steepest, 1e-3) for k in wrong):
        return "forward is flat in %s where they differ" % c.name
    if _is_identity(case, c):
        return "forward is the identity in %s" % c.name
    if _only_large(case, c):
        return "it differs only for large incoming gradients"
    dropped = _dropped(case, c)
    if dropped is not None:
        return "the gradient that comes from output %d is dropped" % dropped
    if _is_close(c):
        return "it approximates the derivative"
    return None


def _dropped(case, c):
    """Returns the number of an output of whose gradient backward makes nothing, though it is
    right for the others; None where there is none."""
    kept = patterns.used(case, c)
    if not kept or len(kept) == len(case.outputs()):
        return None
    with patterns.Weights(case, [patterns.only(case, w, kept) for w in case.weights]):
        rest = Comparison(case, c.position, c.moves, [case.gradients(w)[c.position] for w in case.weights])
    return None if rest.wrong() else next(j for j in range(len(case.outputs())) if j not in kept)


def _is_close(c):
    """Reports whether the gradient differs nowhere by more than a little of the usual slope."""
    slopes = sorted(abs(row[k]) for row in c.numeric for k in c.smooth() if row[k])
    furthest = max(abs(a[k] - n[k]) for a, n in zip(c.analytic, c.numeric) for k in c.smooth())
    return bool(slopes) and furthest <= CLOSE * slopes[len(slopes) * 3 // 4]


def _is_identity(case, c):
    with replay.Elsewhere(case, 0.1):
        return any(o.shape == c.leaf.shape and bool((o == c.leaf).all()) for o in case.outputs())


def _only_large(case, c, small=1e-4):
    """Reports whether the gradient is right for small incoming gradients: it is clipped."""
    for weight, numeric in zip(case.weights, c.numeric):
        gradient = case.gradients(small * weight)[c.position]
        scale = max((abs(numeric[k]) for k in c.smooth()), default=0.0)
        for k in c.smooth():
            if relative(c.moves[k].along(gradient) / small, numeric[k], max(1e-9, c.case.precision.least * scale)) > c.case.precision.tolerance:
                return False
    return True


def _edges(comparisons):
    bad = [c.name for c in comparisons if c.returned and not all(math.isfinite(a) for row in c.analytic for a in row)]
    if bad:
        return "forward has a kink or an edge at every input seen, and backward returns NaN or an infinite gradient for %s there" % bad[0]
    return "forward has a kink, a jump or an edge at every input seen"


def _count(torch, args):
    return sum(a.numel() for a in args if isinstance(a, torch.Tensor))


def _brief(error):
    lines = str(error).strip().splitlines()
    return "%s: %s" % (type(error).__name__, lines[0][:200] if lines else "")


def check_second(case):
    """Checks what double backward makes of a Function whose backward is right."""
    try:
        second = replay.ready(cases.of_gradients(case))
        return along(second) or compare(second)
    except replay.Untested as why:
        return Result("untested", str(why))
    except replay.REFUSED as error:
        return Result("untested", "backward cannot be differentiated: %s" % _brief(error))


def check_module(torch, module, args, kwargs, judged, needed, search=True):
    """Checks the gradients of a module's outputs for its inputs and its parameters.

    First along directions of all of them together; only where that differs, one by one.
    judged are the verdicts on Functions: a large module that applies a wrong one is wrong by that; one
    that applies a surrogate, or that cuts its graph somewhere, differs on purpose. needed are the names of the
    inputs that required gradients in the run: what is wrong for others, such as a mask, hurts nobody. search says whether
    to look for the element where a Function says already what is wrong: one of the runs that share the work is enough.
    """
    try:
        case = replay.precisely(lambda precision: cases.of_module(torch, module, args, kwargs, precision))
        together = all_together(case)
        if together.wrong() and case.without(needed):
            together = all_together(case)
        if not together.wrong():
            return judge(case, [together], None)
        with Cuts(torch) as cuts:
            applied = functions(case)
        broken = [f.__name__ for f in applied if str(judged.get(f)).startswith(CHANGES)]
        if broken:
            return Result("untested", "it applies %s, whose backward changes a tensor in place" % broken[0])
        wrong = any(judged.get(f) == "wrong" for f in applied)
        if wrong and (not search or sum(min(leaf.numel(), shrink.ELEMENTS) for leaf in case.leaves) > SEARCHED):
            result = Result("wrong", None, case, [together], 0)
            result.named = ""  # the Function's row has its name
            return result
        why = None if wrong else purpose(applied, cuts, judged)
        if why:
            return Result("surrogate", "not the derivative of forward: deliberate? " + why, case, [together], 0)
        result = compare(case)
        return result if result.verdict == "wrong" else judge(case, [together], None)
    except replay.Untested as why:
        return Result("untested", str(why))
    except replay.REFUSED as error:
        return Result("untested", "replaying it failed: %s" % _brief(error))


def purpose(applied, cuts, judged):
    """Returns by what a module that applies some Functions, none of them wrong, changes its gradient on
    purpose; None where it does by mistake."""
    surrogates = [f.__name__ for f in applied if judged.get(f) == "surrogate"]
    if surrogates:
        return "it applies %s" % surrogates[0]
    return "forward cuts its graph by %s" % cuts.seen[0] if cuts.seen else None


def functions(case):
    """Returns the Functions that a module applies, None for each operation of PyTorch's own."""
    return [getattr(type(n), "_forward_cls", None) for o in case.outputs() for n in nodes(o.grad_fn)]


def all_together(case):
    """Compares along random directions of all leaves."""
    drawn = case.torch.Generator().manual_seed(3)
    moves = [Joint(case.leaves, [_drawn(case.torch, leaf, drawn) for leaf in case.leaves]) for _ in range(DIRECTIONS)]
    together = Comparison(case, 0, moves, [case.gradients(w) for w in case.weights])
    together.name = "all inputs and parameters"
    return together


def _drawn(torch, leaf, drawn):
    return torch.randn(leaf.shape, generator=drawn).to(leaf.device, leaf.dtype)
