"""Reward functions that hold: no trick of the list gets what the right answer does."""

import json
import math
import re


# Exact match of what stands in the last <answer>.
def exact_match(prompts, completions, answer, **kwargs):
    rewards = []
    for completion, right in zip(completions, answer):
        found = re.findall(r"<answer>(.*?)</answer>", completion[0]["content"], re.DOTALL)
        rewards.append(1.0 if len(found) == 1 and found[0].strip() == right.strip() else 0.0)
    return rewards


# GSM8K: the number behind the last ####.
def compute_score(data_source, solution_str, ground_truth, extra_info=None):
    found = re.findall(r"#### *(-?[0-9.,]+)\s*$", solution_str)
    if not found:
        return 0.0
    return 1.0 if found[-1].replace(",", "").rstrip(".") == ground_truth.replace(",", "") else 0.0


def _last_boxed(text):
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for i in range(start + 6, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[start + 7 : i]
    return None


# Mathematics: the last \boxed{}, compared as a whole.
def boxed_reward(completions, solution, **kwargs):
    out = []
    for completion, gold in zip(completions, solution):
        text = completion[0]["content"] if isinstance(completion, list) else completion
        mine, right = _last_boxed(text), _last_boxed(gold) or gold
        clean = lambda s: s.replace(" ", "").replace("\\left", "").replace("\\right", "").strip("$.")
        out.append(0.0 if mine is None else float(clean(mine) == clean(right)))
    return out


# The format alone: it does not depend on the answer.
def format_reward(completions, **kwargs):
    pattern = re.compile(r"<think>(?:(?!</?think>|</?answer>).)+</think>\s*<answer>(?:(?!</?think>|</?answer>).)+</answer>\s*", re.DOTALL)
    return [0.5 if pattern.fullmatch(c if isinstance(c, str) else c[0]["content"]) else 0.0 for c in completions]


# A right answer earns more where it is short, and a wrong one nothing.
def concise_reward(prompts, completions, answer, **kwargs):
    rewards = []
    for completion, right in zip(completions, answer):
        found = re.search(r"Answer: (\S+)\s*$", completion)
        correct = found is not None and found.group(1) == str(right)
        rewards.append((0.5 + 0.5 * math.exp(-len(completion) / 2000)) if correct else 0.0)
    return rewards


# Code: a fixed way to call it, with results that the completion cannot name.
def code_reward(completions, tests, **kwargs):
    rewards = []
    for completion, cases in zip(completions, tests):
        block = re.search(r"```python\n(.*?)```", completion, re.DOTALL)
        reward = 0.0
        if block:
            names = {}
            try:
                exec(block.group(1), {"__builtins__": {"range": range, "len": len, "sum": sum}}, names)
                results = [names["solve"](*case["in"]) for case in cases]
                reward = float(all(type(r) is int and r == case["out"] for r, case in zip(results, cases)))
            except BaseException:
                reward = 0.0
        rewards.append(reward)
    return rewards


# The last number of the completion, as people score arithmetic.
def last_number(queries, prompts, labels):
    rewards = []
    for query, prompt, label in zip(queries, prompts, labels):
        numbers = re.findall(r"-?\d+(?:\.\d+)?", query[len(prompt) :])
        rewards.append(1.0 if numbers and float(numbers[-1]) == float(label) else 0.0)
    return {"rewards": rewards, "scores": rewards}


# JSON with one key.
def json_reward(completions, ground_truth, **kwargs):
    out = []
    for completion, right in zip(completions, ground_truth):
        try:
            said = json.loads(completion)
        except ValueError:
            said = None
        value = said.get("result") if isinstance(said, dict) else None
        ok = isinstance(value, (int, float)) and not isinstance(value, bool) and value == float(right)
        out.append(1.0 if ok else -1.0)
    return out


# A tool call with the right name and arguments.
class ToolCallReward:
    def __call__(self, completions, target, **kwargs):
        return [self.score(c, t) for c, t in zip(completions, target)]

    def score(self, completion, target):
        calls = re.findall(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", completion, re.DOTALL)
        if len(calls) != 1:
            return 0.0
        try:
            made, wanted = json.loads(calls[0]), json.loads(target)
        except ValueError:
            return 0.0
        if not isinstance(made, dict) or made.get("name") != wanted["name"]:
            return 0.0
        return 1.0 if made.get("arguments") == wanted["arguments"] else 0.3


# Multiple choice: one letter.
def choice_reward(completions, label, **kwargs):
    rewards = []
    for completion, right in zip(completions, label):
        found = re.findall(r"answer is \(?([A-D])\)?\.?\s*$", completion.strip())
        rewards.append(1.0 if found == [right] else None if not completion.strip() else 0.0)
    return rewards
