"""mask: 0 or 1 each, 1 somewhere at some time, 0 where the tokens beside it are padding, and 1 where their text ends.

Source: Hugging Face transformers, attention_mask; Sheng et al. 2024, HybridFlow (verl), response_mask.
"""

from rlvet_harness.contract import Contract
from rlvet_harness.flags import parts_near
from rlvet_harness.observe import is_tensor


class Mask(Contract):
    """Watches a mask. The tokens and the ids of padding and of the end are sought in the variables around: integers of the mask's shape, or of
    one more position, whose first one nothing predicts; and numbers whose names have "pad" and "eos" in them."""

    needs = "tokens of the mask's rows and the one id of their padding in sight, texts that end before padding, and an end that is told from it"

    def look(self, hit, seen):
        if seen.low < 0 or seen.high > 1 or seen.zeros + ones(hit.value) != seen.count:
            self.confirm("it has other numbers than 0 and 1", value=seen.brief())
        elif self.always(seen.zeros == seen.count and seen.count > 1):
            self.confirm("it is 0 everywhere, at each evaluation", value=seen.brief())
        elif is_tensor(hit.value) and hit.value.dim() > 0:
            self.compare(hit.value.detach().bool())

    def compare(self, mask):
        frame = self.frame()
        if frame is None:
            return
        around = [(name, value) for _, name, value in parts_near(frame)]
        ids = [(k, v) for k, v in frame.f_globals.items() if type(v) is int] + around
        pads, ends = ids_called("pad", ids), ids_called("eos", ids)
        if len(pads) != 1:
            return
        pad, right = next(iter(pads)), False
        for name, tokens in around:
            if not are_tokens(tokens, mask) or "mask" in name.lower():
                continue
            padding = tokens[..., -mask.shape[-1] :].to(mask.device) == pad
            wrong = int((padding & mask & after_the_end(padding)).sum())
            if wrong:
                self.confirm("%d places of padding in `%s` are not masked" % (wrong, name), padding=wrong)
            right = self.ends_count(tokens[..., -mask.shape[-1] :].to(mask.device), mask, pad, ends) or right
        if right:
            self.upheld()

    def ends_count(self, tokens, mask, pad, ends):
        """Reports whether the text counts to its end in each row that is padded behind it, and no further. Where the end has the id of
        the padding, the first one belongs to the text."""
        behind = (tokens == pad).flip(-1).long().cumprod(-1).flip(-1).bool()
        first = behind & ~before(behind)
        rows = first[..., 1:].any(-1) & mask.any(-1)
        if not bool(rows.any()):
            return False
        tokens, mask, first = tokens[rows], mask[rows], first[rows]
        if ends == {pad}:
            masked = int((first & ~mask).sum())
            if masked == len(tokens):
                self.confirm("the ends of %d texts are masked: their id is that of the padding" % masked, rows=masked)
            return masked == 0
        last = first.roll(-1, -1) & ~first
        last[..., -1] = False
        known = bool(ends) and pad not in ends or len(tokens) > 1 and bool((tokens[last] == tokens[last][0]).all())
        return known and bool(mask[last].all()) and not bool(mask[first].any())

    def holds(self):
        return "it was 0 or 1, 0 on the padding beside it, and 1 up to the ends of the texts"


def ones(value):
    return int((value == 1).sum()) if hasattr(value, "sum") else sum(v == 1 for v in (value if isinstance(value, (list, tuple)) else [value]))


def ids_called(word, around):
    """Returns the ids that are called by a word: numbers by their own names, and those of tokenizers and settings."""
    found = {value for name, value in around if type(value) is int and word in name.lower()}
    found.update(getattr(value, word + "_token_id", None) for _, value in around if not is_tensor(value))
    return {i for i in found if type(i) is int}


def are_tokens(tokens, mask):
    """Reports whether a value has an id for each element of a mask, and for one position more at most."""
    if not is_tensor(tokens) or tokens.is_floating_point() or tokens.is_complex() or tokens.dim() != mask.dim():
        return False
    more = tokens.shape[-1] - mask.shape[-1]
    return tokens.shape[:-1] == mask.shape[:-1] and more in (0, 1) and tokens.numel() > 0 and int(tokens.max()) >= 2


def before(flags):
    """Returns the flags of the positions before each."""
    out = flags.roll(1, -1)
    out[..., 0] = False
    return out


def after_the_end(padding):
    """Returns where padding follows padding: the first of a row may be the end of the text."""
    return padding & before(padding)
