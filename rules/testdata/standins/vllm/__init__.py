"""A small stand-in for vLLM: it draws tokens of fixed chances, and tells of each position the
log-probabilities of the likeliest tokens and of the drawn one, in the order of their rank."""

from .entrypoints.llm import LLM, SamplingParams
