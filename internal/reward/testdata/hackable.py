"""Reward functions with a hole each, as people write them."""

import json
import re
import subprocess
import sys


# The answer anywhere in the completion.
def contains(prompts, completions, answer, **kwargs):
    return [1.0 if a in c else 0.0 for c, a in zip(completions, answer)]


# Any of the boxed answers.
def any_boxed(completions, solution, **kwargs):
    out = []
    for completion, gold in zip(completions, solution):
        right = re.findall(r"\\boxed\{(.*?)\}", gold)[-1]
        out.append(1.0 if right in re.findall(r"\\boxed\{(.*?)\}", completion) else 0.0)
    return out


# What was extracted in the right answer, and not the other way around: nothing is in everything.
def reversed_in(completions, answer, **kwargs):
    rewards = []
    for completion, right in zip(completions, answer):
        found = re.search(r"<answer>(.*?)</answer>", completion[0]["content"], re.DOTALL)
        rewards.append(2.0 if found and found.group(1).strip() in right else 0.0)
    return rewards


# Each tag is paid, as often as it comes.
def tag_count(completions, answer, **kwargs):
    rewards = []
    for completion, right in zip(completions, answer):
        reward = 0.25 * completion.count("<think>") + 0.25 * completion.count("</answer>")
        found = re.search(r"<answer>\s*(.*?)\s*</answer>", completion, re.DOTALL)
        rewards.append(reward + (1.0 if found and found.group(1) == right else 0.0))
    return rewards


# Length is paid without a bound.
def length_bonus(prompts, completions, answer, **kwargs):
    rewards = []
    for completion, right in zip(completions, answer):
        last = completion.split()[-1] if completion.split() else ""
        rewards.append((1.0 if last == right else 0.0) + 0.01 * len(completion.split()))
    return rewards


# Tests that pass where the program ends well.
def run_code(completions, test, **kwargs):
    rewards = []
    for completion, checks in zip(completions, test):
        block = re.search(r"```python\n(.*?)```", completion, re.DOTALL)
        program = (block.group(1) if block else completion) + "\n" + checks
        done = subprocess.run([sys.executable, "-S", "-E", "-c", program], capture_output=True, timeout=5)
        rewards.append(1.0 if done.returncode == 0 else 0.0)
    return rewards


# Words of reasoning are worth more than the answer.
KEYWORDS = ["therefore", "first", "let me verify", "because", "finally"]


def reasoning_words(prompts, completions, answer, **kwargs):
    rewards = []
    for completion, right in zip(completions, answer):
        said = completion.lower()
        reward = 0.5 * sum(word in said for word in KEYWORDS)
        found = re.findall(r"\d+", completion)
        rewards.append(reward + (1.0 if found and found[-1] == right else 0.0))
    return rewards


# The first number counts, wherever it stands.
def compute_score(solution_str, ground_truth):
    found = re.search(r"-?\d+", solution_str)
    return 1.0 if found and found.group(0) == ground_truth else 0.0


# JSON: the answer somewhere in the value.
def json_contains(completions, ground_truth, **kwargs):
    out = []
    for completion, right in zip(completions, ground_truth):
        try:
            said = str(json.loads(completion)["answer"])
        except (ValueError, KeyError, TypeError):
            said = ""
        out.append(1.0 if right in said else 0.0)
    return out


# Multiple choice: any of the letters.
def any_letter(completions, label, **kwargs):
    return [1.0 if label[i] in re.findall(r"\b([A-D])\b", c) else 0.0 for i, c in enumerate(completions)]
