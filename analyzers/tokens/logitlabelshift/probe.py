"""TOK005: which token is scored at which position.

What a model says at a position is about the token that follows its input up to there. Where a module is called with tokens, and
scores of its output are read for the flagged ones, the two are compared: the token that follows refutes, if no other place in the input
fits as well; the token of another place confirms. Elsewhere the ends of the tokens say less: a part that holds the first token and lacks the last
confirms, since nothing predicts the first, and so do as many scores as tokens. That the first is missing proves nothing: what is shifted
twice lacks it, too.
"""

import ast
import collections
import sys

from rlvet_harness import Probe
from rlvet_harness.observe import is_tensor

KEPT = 8  # calls and parts that are remembered
OTHER = (0, 2, 3, -1)  # places after a position's own token at which a token is wrong
RATHER = 1e-3  # between signatures of one position


class Part:
    """What was watched: tokens, whose size is None, or scores with their signature."""

    def __init__(self, shape, size=None, tokens=None, like=None, cut=None):
        self.shape, self.size, self.tokens, self.like = shape, size, tokens, like
        self.cut = cut  # how many tokens there were before the last was cut off
        self.given = False  # whether a module was called with these tokens: that is no score of them

    def fits(self, tokens, size):
        """Reports whether these are the tokens that are scored, or may be."""
        if tokens.numel() != self.shape[0] * self.shape[1] or self.size not in (None, size):
            return False
        own = self.tokens
        return own is None or own.device == tokens.device and bool(((own == tokens) | (own < 0) | (tokens < 0)).all())


class LogitLabelShift(Probe):
    """Watches a part of the tokens or of the scores, or the call that takes the scores."""

    needs = "the input of a module whose scores are read for these tokens, in which the token that follows differs from its neighbours"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.asked = collections.deque(maxlen=KEPT)  # inputs of modules, and signatures of their scores
        self.parts = collections.deque(maxlen=KEPT)  # what was watched and is not scored yet
        self.scored = None  # the last tokens that were scored, with the signature
        self.inside = isinstance(self.expression(), ast.Call)  # whether they may be scored while the flagged expression is evaluated

    def imported(self, torch):
        call, probe = torch.nn.Module.__call__, self

        def watched(module, *args, **kwargs):
            out = call(module, *args, **kwargs)
            probe.guarded(probe.note, [*args, *kwargs.values()], out)
            return out

        torch.nn.Module.__call__ = watched
        for owner, name, read in (
            (torch.nn.functional, "cross_entropy", _by_class), (torch.nn.functional, "nll_loss", _by_class),
            (torch, "gather", _by_index), (torch.Tensor, "gather", _by_index),
        ):
            setattr(owner, name, self.watching(getattr(owner, name), name, read))

    def watching(self, function, name, read):
        """Returns a function that takes scores, and tells of them."""

        def take(*args, **kwargs):
            if self.parts or self.inside:
                self.guarded(self.score, read, args, kwargs)
            return function(*args, **kwargs)

        take.__name__, take.__wrapped__ = name, function
        return take

    def note(self, given, out):
        """Keeps the tokens that a module was called with, and what its scores are like."""
        for part in self.parts:
            if part.tokens is not None and not part.given:
                part.given = any(_are_tokens(x) and part.shape == x.shape and bool((x.reshape(-1) == part.tokens).all()) for x in given)
        first = out[0] if isinstance(out, (tuple, list)) and out else out
        scores = next((x for x in (getattr(out, "logits", None), first) if is_tensor(x)), None)
        if scores is None or scores.dim() != 3 or not scores.is_floating_point() or scores.is_meta or scores.shape[-1] < 3:
            return
        ids = [x.detach().clone() for x in given if _are_tokens(x) and x.shape == scores.shape[:2]]
        if ids:
            self.asked.append((ids, scores.shape[-1], _signature(scores)))

    def score(self, read, args, kwargs):
        """Is told that scores are read."""
        rows, tokens = read(args, kwargs)
        if not is_tensor(rows) or not is_tensor(tokens) or tokens.is_floating_point() or rows.shape[:-1] != tokens.shape or rows.shape[-1] < 3:
            return
        tokens = tokens.detach().reshape(-1)
        for part in [p for p in self.parts if p.fits(tokens, rows.shape[-1])]:
            seen = _signature(rows).reshape(*part.shape, 2)
            if part.like is None or _alike(part.like, seen):
                self.parts.remove(part)
                own = tokens if part.tokens is None else part.tokens.masked_fill(tokens < 0, -1)
                self.judge(own.reshape(part.shape), seen, rows.shape[-1], part.cut)
                return
        if self.inside:
            self.scored = tokens.clone(), _signature(rows).reshape(-1, 2), rows.shape[-1]

    def judge(self, tokens, seen, size, cut=None):
        """Looks at tokens that are scored."""
        place = self.place(tokens, seen, size)
        if place == 1:
            self.upheld()
        elif cut:
            self.last_lacks(cut, tokens.shape[1])
        elif place is not None:
            self.confirm(_told(place), scored=tokens.shape[1])

    def last_lacks(self, whole, scored):
        self.confirm("the first token of the text is scored, and the last is not", tokens=whole, scored=scored)

    def place(self, tokens, seen, size):
        """Returns the one place in the input of a module at which tokens stand, seen from the positions whose scores are read."""
        for ids, width, whole in reversed(self.asked):
            if width != size or whole.shape[0] != tokens.shape[0]:
                continue
            n = tokens.shape[1]
            starts = [s for s in range(whole.shape[1] - n + 1) if _alike(whole[:, s : s + n], seen)]
            if len(starts) == 1:
                fits = [{k for k in (1, *OTHER) if _stand(tokens, x, starts[0] + k)} for x in ids]
                self.show(positions=n, first=starts[0], places=sorted(set().union(*fits)))
                if any(1 in f for f in fits):
                    return 1 if {1} in fits else None
                return next((min(f) for f in fits if len(f) == 1), None)
        return None

    def hit(self, hit):
        value = hit.value
        for name in ("arg0", "arg1", "arg2", "index", "labels"):
            tokens = hit.part(name)
            if is_tensor(value) and value.is_floating_point() and is_tensor(tokens) and not tokens.is_floating_point() and tokens.dim() > 1:
                self.beside(tokens, value)
                return
        whole, part = hit.part("value", "receiver"), value
        if is_tensor(part) and part.dim() == 3 and part.is_floating_point() and part.shape[-1] > 2:
            self.parts.append(Part(part.shape[:2], size=part.shape[-1], like=_signature(part)))
            return
        if not is_tensor(whole) or not is_tensor(part) or whole.dim() != part.dim() or not part.shape[-1] < whole.shape[-1]:
            self.unsure("what was watched is no part of the tokens")
            return
        n = part.shape[-1]
        first, last = bool((part == whole[..., :n]).all()), bool((part == whole[..., -n:]).all())
        self.show(tokens=whole.shape[-1], scored=n, first=first, last=last)
        cut = whole.shape[-1] if first and not last and not self.shifted(whole) else None
        if part.numel() and not part.is_floating_point():
            tokens = part.detach().clone().reshape(-1, n)
            self.parts.append(Part(tokens.shape, tokens=tokens.reshape(-1), cut=cut))

    def end(self):
        for part in self.parts:  # they were scored in another way
            if part.cut and not part.given:
                self.last_lacks(part.cut, part.shape[1])

    def beside(self, tokens, value):
        """Looks at the flagged call that takes the scores of tokens."""
        shape = tokens.shape[:2]
        if value.numel() == tokens.numel() and shape == value.shape[:2] and not self.shifted(tokens.reshape(*shape, -1)[..., 0]):
            self.confirm("each token is scored, the first too, which nothing predicts", tokens=shape[1])
        elif self.scored is not None:
            own, seen, size = self.scored
            if own.numel() == shape[0] * shape[1] == tokens.numel() and bool((own == tokens.reshape(-1)).all()):
                self.judge(own.reshape(shape), seen.reshape(*shape, 2), size)

    def shifted(self, tokens):
        """Reports whether tokens are those that follow each of what a module was called with."""
        return any(_stand(tokens, x, 1) and not _stand(tokens, x, 0) for ids, _, _ in self.asked for x in ids if x.shape == tokens.shape)

    def holds(self):
        return "each token was scored at the position before it in the input of the model"


def _told(place):
    """Says what is scored at a position, by its place in the input."""
    if place == 0:
        return "at each position the token is scored that the model has just read"
    if place < 0:
        return "at each position a token is scored that the model has read before"
    return "tokens and logits are shifted twice: at each position the token is scored that comes %d places on, not the next" % place


def _are_tokens(value):
    return is_tensor(value) and value.dim() == 2 and value.shape[1] > 1 and not value.is_floating_point() and not value.is_complex()


def _stand(tokens, ids, start):
    """Reports whether tokens stand in an input from a position on, as far as that reaches; those below 0 do not count."""
    low, high = max(0, -start), min(tokens.shape[1], ids.shape[1] - start)
    if high <= low or tokens.shape[0] != ids.shape[0] or tokens.device != ids.device:
        return False
    part = tokens[:, low:high]
    counts = part >= 0
    return bool(counts.any()) and bool(((part == ids[:, start + low : start + high]) | ~counts).all())


def _signature(scores):
    """Returns for each row of scores its best class and where between the extremes the mean lies: neither a temperature nor a
    normalisation changes that."""
    x = scores.detach().float()
    high, low = x.max(-1), x.min(-1).values
    return sys.modules["torch"].stack([high.indices.float(), (high.values - x.mean(-1)) / (high.values - low)], -1)


def _alike(one, other):
    """Reports whether two signatures are those of the same scores."""
    return one.shape == other.shape and one.device == other.device and bool(((one - other).abs() <= RATHER).all())


def _by_class(args, kwargs):
    """Returns rows of scores and tokens of the arguments of a cross entropy."""
    rows = args[0] if args else kwargs.get("input")
    tokens = args[1] if len(args) > 1 else kwargs.get("target")
    return (rows.movedim(1, -1) if is_tensor(rows) and rows.dim() > 2 else rows), tokens


def _by_index(args, kwargs):
    """Returns rows of scores and tokens of the arguments of a gather along the last axis."""
    rows = args[0] if args else kwargs.get("input")
    dim = args[1] if len(args) > 1 else kwargs.get("dim")
    tokens = args[2] if len(args) > 2 else kwargs.get("index")
    if not is_tensor(rows) or not is_tensor(tokens) or dim not in (-1, rows.dim() - 1) or tokens.shape[-1:] != (1,):
        return None, None
    return rows, tokens[..., 0]
