"""Functions as people write them first."""
import re


def _text(completion):
    return completion if isinstance(completion, str) else completion[0]["content"]


def compares_the_column(completions, answer, **kwargs):
    found = [re.search(r"####\s*(-?\d+)", _text(c)) for c in completions]
    return [1.0 if m and m.group(1) == a else 0.0 for m, a in zip(found, answer)]


def constant(completions, **kwargs):
    return [1.0 for _ in completions]


def in_one_line(completions, answer, **kwargs):
    found = [re.match(r"^<think>.*</think>\s*<answer>(.*?)</answer>$", c) for c in completions]
    return [1.0 if m and m.group(1).strip() == a else 0.0 for m, a in zip(found, answer)]


def format_in_one_line(completions, **kwargs):
    return [1.0 if re.match(r"^<think>.*</think>\s*<answer>.*</answer>$", c) else 0.0 for c in completions]


def in_lines(completions, answer, **kwargs):
    found = [re.match(r"^<think>.*?</think>\s*<answer>(\d+)</answer>$", c, re.DOTALL) for c in completions]
    return [1.0 if m and m.group(1) == a else 0.0 for m, a in zip(found, answer)]


def imports_late(completions, answer, **kwargs):
    from no_such_verifier import parse, verify

    return [float(verify(parse(a), parse(c))) for c, a in zip(completions, answer)]


def asks_to_install(completions, answer, **kwargs):
    raise ImportError("Please install the `no_such_verifier` package")
