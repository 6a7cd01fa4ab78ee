import dataclasses
import math
import random
import typing

CHANCES = [0.4, 0.25, 0.15, 0.1, 0.06, 0.04]


@dataclasses.dataclass
class SamplingParams:
    n: int = 1
    temperature: float = 1.0
    max_tokens: int = 16
    logprobs: typing.Optional[int] = None


@dataclasses.dataclass
class Logprob:
    logprob: float
    rank: int


@dataclasses.dataclass
class CompletionOutput:
    token_ids: list
    logprobs: typing.Optional[list]


@dataclasses.dataclass
class RequestOutput:
    prompt_token_ids: list
    outputs: list


class LLM:
    def __init__(self, model, **options):
        self.model = model

    def generate(self, prompts, sampling_params=None):
        params = sampling_params or SamplingParams()
        return [RequestOutput(list(map(ord, p)), [complete(params) for _ in range(params.n)]) for p in prompts]


def complete(params):
    tokens = random.choices(range(len(CHANCES)), CHANCES, k=params.max_tokens)
    if params.logprobs is None:
        return CompletionOutput(tokens, None)
    return CompletionOutput(tokens, [told(t, params.logprobs) for t in tokens])


def told(drawn, most):
    """Maps the likeliest tokens and the drawn one to their log-probabilities."""
    tokens = sorted({drawn, *range(most)}, key=lambda t: -CHANCES[t])
    return {t: Logprob(math.log(CHANCES[t]), 1 + t) for t in tokens}
