"""Tells probes what language models write.

The functions by which transformers and vLLM generate text are wrapped for probes with a
``generated`` method: it is called with what was :class:`Written` after each call, one of
the name ``generating`` with the model before it, and ``refused`` where the call raised.
"""

import functools
import sys

# THROUGH are packages through which a call comes to a model: they do not ask for text.
THROUGH = ("transformers", "peft", "accelerate", "torch", "vllm", "contextlib", "functools", __package__)


class Written:
    """One call that generated text.

    prompts and samples are tuples of token ids, one of each for a sample; out is what the
    call returned, asked_by the package whose code made it.
    """

    __slots__ = ("prompts", "samples", "out", "asked_by")

    def __init__(self, prompts, samples, out):
        self.prompts, self.samples, self.out = prompts, samples, out
        self.asked_by = _asking()

    def by_prompt(self):
        """Returns the samples of each prompt."""
        out = {}
        for prompt, sample in zip(self.prompts, self.samples):
            out.setdefault(prompt, []).append(sample)
        return out


def _asking():
    """Returns the package of the nearest caller that is not between it and a model."""
    frame = sys._getframe(1)
    while frame is not None:
        package = frame.f_globals.get("__name__", "").partition(".")[0]
        if package not in THROUGH:
            return package
        frame = frame.f_back
    return ""


def of_tensors(prompts, out):
    """Returns what a call was given and yielded: ids of tokens, a row each."""
    samples = [tuple(row) for row in getattr(out, "sequences", out).tolist()]
    given = [tuple(row) for row in prompts.tolist()]
    each = max(1, len(samples) // max(1, len(given)))
    return Written([given[min(i // each, len(given) - 1)] for i in range(len(samples))], samples, out)


def of_requests(prompts, out):
    """Returns what vLLM yielded: requests with the samples of a prompt each."""
    pairs = [(tuple(r.prompt_token_ids or ()), tuple(c.token_ids)) for r in out for c in r.outputs]
    return Written([p for p, _ in pairs], [s for _, s in pairs], out)


def install_transformers(module, run):
    _wrap(module.GenerationMixin, "generate", run, of_tensors)


def install_vllm(module, run):
    _wrap(module.LLM, "generate", run, of_requests)


def _wrap(owner, name, run, written):
    probes = [w.probe for w in run.watches.values() if hasattr(w.probe, "generated")]
    generate = getattr(owner, name, None)
    if not probes or generate is None:
        return

    def tell(method, *args):
        for probe in probes:
            if hasattr(probe, method):
                probe.guarded(getattr(probe, method), *args)

    @functools.wraps(generate)
    def generate_and_tell(self, *args, **kwargs):
        prompts = args[0] if args else next((kwargs[k] for k in ("inputs", "input_ids", "prompts") if k in kwargs), None)
        tell("generating", self)
        try:
            out = generate(self, *args, **kwargs)
        except Exception as error:
            tell("refused", error)
            raise
        for probe in probes:
            probe.guarded(lambda: probe.generated(written(prompts, out)))
        return out

    setattr(owner, name, generate_and_tell)
