"""What is held out: completions judged by gold, and by two people who see it through noise."""

import csv

import torch

from language import decode, gold
from models import completion_mask
from supervised import prompt_tensor

RATERS = {"first": 0.1, "second": 0.2}  # how far each errs, as a standard deviation of gold
TIE = 0.1  # a smaller difference is none to them


def answer(model, reward_model, prompts, generator):
    """What model says to prompts: for each a dictionary of texts, proxy reward, tokens and gold."""
    asked = prompt_tensor(prompts)
    completions = model.generate(asked, generator)
    scores = reward_model(asked, completions)
    rows = []
    for prompt, tokens, score, mask in zip(prompts, completions.tolist(), scores, completion_mask(completions)):
        words = decode(tokens)
        rows.append({
            "prompt": " ".join(prompt), "completion": " ".join(words), "reward": round(score.item(), 4),
            "completion_length": int(mask.sum()), "gold": gold(prompt, words),
        })
    return rows


def mean(rows, column):
    return sum(row[column] for row in rows) / len(rows)


def without_gold(rows):
    """The columns that a trainer would log."""
    return [{name: value for name, value in row.items() if name != "gold"} for row in rows]


def outcome(row, base, noise, rng):
    """Whether a rater prefers the checkpoint's completion (win), the base's (loss), or neither (tie)."""
    difference = row["gold"] - base["gold"] + rng.gauss(0, noise)
    return "tie" if abs(difference) < TIE else "win" if difference > 0 else "loss"


def preferences(step, rows, base_rows, rng):
    """Rows of the file of preferences: each rater's choice for each prompt."""
    for row, base in zip(rows, base_rows):
        for rater, noise in RATERS.items():
            yield {
                "step": step, "prompt": row["prompt"], "rater": rater, "outcome": outcome(row, base, noise, rng),
                "length": row["completion_length"], "base_length": base["completion_length"],
            }


def write_csv(path, rows):
    """Writes rows, dictionaries with the same keys, the first of which are the header."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
