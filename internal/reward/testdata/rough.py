"""Reward functions that are hard to call."""

import asyncio
import multiprocessing
import os
import random
import socket
import sys
import time

import transformers


def last(completion):
    return completion.split()[-1] if completion.split() else ""


def right(completions, answer):
    return [1.0 if last(c) == a else 0.0 for c, a in zip(completions, answer)]


# Files that it writes go to the copy.
def writes(completions, answer, **kwargs):
    with open(os.path.join(os.path.dirname(__file__), "log.txt"), "a") as log:
        log.write("%d\n" % len(completions))
    return right(completions, answer)


def asks_a_host(completions, answer, **kwargs):
    try:
        socket.create_connection(("judge.example.com", 443), timeout=1)
    except OSError:
        pass
    return right(completions, answer)


def needs_a_host(completions, answer, **kwargs):
    socket.create_connection(("judge.example.com", 443), timeout=1)
    return right(completions, answer)


def needs_a_model(completions, answer, **kwargs):
    judge = transformers.pipeline("text-classification")
    return [judge(c)[0]["score"] for c in completions]


def length_of(completion):
    return float(len(completion) % 7)


def pool(completions, answer, **kwargs):
    if len(completions) > 1:
        with multiprocessing.get_context("fork").Pool(2) as workers:
            workers.map(length_of, completions)
    return right(completions, answer)


class Stateful:
    def __init__(self):
        self.calls = 0

    def __call__(self, completions, answer, **kwargs):
        self.calls += 1
        return right(completions, answer)


stateful = Stateful()


class Weighted:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, completions, answer, **kwargs):
        return [self.weight * r for r in right(completions, answer)]


async def waits(completions, answer, **kwargs):
    await asyncio.sleep(0)
    return right(completions, answer)


def prints(completions, answer, **kwargs):
    if completions == [""]:
        for _ in range(300):
            sys.stdout.write("x" * 1000000)
    return right(completions, answer)


def hangs(completions, answer, **kwargs):
    while any("sorry" in c for c in completions):
        time.sleep(0.01)
    return right(completions, answer)


def raises(completions, answer, **kwargs):
    return [1.0 if c.split()[-1] == a else 0.0 for c, a in zip(completions, answer)]


def ends(completions, answer, **kwargs):
    if any(len(c) > 5000 for c in completions):
        os._exit(3)
    return right(completions, answer)


def one_for_all(completions, answer, **kwargs):
    return sum(right(completions, answer)) / max(1, len(completions))


def too_few(completions, answer, **kwargs):
    return [r for r, c in zip(right(completions, answer), completions) if c.strip()]


def noisy(completions, answer, **kwargs):
    return [r + random.random() / 100 for r in right(completions, answer)]


def first_column(completions, answer, **kwargs):
    return [1.0 if last(c) == answer[0] else 0.0 for c in completions]


def not_finite(completions, answer, **kwargs):
    return [r if c.strip() else float("nan") for r, c in zip(right(completions, answer), completions)]


def words(completions, answer, **kwargs):
    return ["good" if r else "bad" for r in right(completions, answer)]


def greedy(completions, answer, **kwargs):
    held = [bytearray(1 << 20) for c in completions if "sorry" in c for _ in range(4096)]
    return right(completions, answer)


def batched(data_sources, solution_strs, ground_truths, extra_infos):
    return [{"score": r} for r in right(solution_strs, ground_truths)]


def alone(response, ground_truth):
    return last(response) == ground_truth


def unknown(a, b):
    return 0.0
