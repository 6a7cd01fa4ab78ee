"""TOK003: whether the collator's tokenizer has one id for the pad and the end."""

from rlvet_harness import Probe


class LabelsMinus100OnEos(Probe):
    """Watches the making of a collator."""

    enough = 1
    needs = "a tokenizer with ids for the pad and for the end"

    def hit(self, hit):
        tokenizer = hit.part("tokenizer", "arg0")
        if tokenizer is None:
            tokenizer = getattr(hit.value, "tokenizer", None)
        pad, end = getattr(tokenizer, "pad_token_id", None), getattr(tokenizer, "eos_token_id", None)
        self.show(pad=pad, end=end)
        if pad is not None and pad == end:
            self.confirm("labels of the end of the text are ignored: it has the id of the pad", pad=pad, end=end)
        elif None not in (pad, end):
            self.upheld()

    def holds(self):
        return "pad and end of text had ids of their own"
