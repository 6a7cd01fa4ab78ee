"""Trains a tiny language model by PPO against a reward model that can be hacked.

    python train.py OUT --kl 0      hacks: the reward rises, and what is said becomes worthless
    python train.py OUT --kl 0.5    gets better, and the reward rises too

OUT/run is what TRL would leave; OUT/preferences.csv is what two people said of the checkpoints;
OUT/gold.csv is the truth, on prompts that nobody else saw. All but the speed ("eps") depends on
--seed alone. On one core of 2020 this takes half a minute.
"""

import argparse
import dataclasses
import pathlib
import random

import torch

from folder import RunFolder
from judges import answer, mean, preferences, without_gold, write_csv
from language import MAX_LENGTH, prompts
from ppo import PPO, Settings
from supervised import fit_base, fit_reward, prompt_tensor


def arguments():
    parser = argparse.ArgumentParser(description="PPO on a tiny language model, with a reward model that can be hacked")
    parser.add_argument("out", type=pathlib.Path, help="a folder that is not there yet")
    parser.add_argument("--kl", type=float, default=0.5, help="coefficient of the KL to the reference")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=120, help="updates by PPO")
    parser.add_argument("--save-steps", type=int, default=10, help="steps from checkpoint to checkpoint")
    args = parser.parse_args()
    if args.out.exists():
        parser.error(f"{args.out} is there already: name a folder that is not")
    return args


class Evaluation:
    """Judges the policy at each checkpoint; it draws from generators of its own, so that training
    does not depend on it."""

    def __init__(self, folder, reward_model, shown, hidden, seed):
        self.folder, self.reward_model, self.shown, self.hidden, self.seed = folder, reward_model, shown, hidden, seed
        self.rng = random.Random(seed)
        self.base_rows, self.preferences, self.truth = None, [], []

    def __call__(self, step, model):
        """Logs what model says at a step, saves it, and has it judged; step 0 is the base model."""
        generator = torch.Generator().manual_seed(1000 * self.seed + step)
        rows = answer(model, self.reward_model, self.shown, generator)
        self.folder.completions(step, without_gold(rows))
        self.folder.log_evaluation(step, {"eval_gold": mean(rows, "gold")})
        self.base_rows = self.base_rows or rows
        if step > 0:
            self.folder.checkpoint(step, model)
            self.preferences += preferences(step, rows, self.base_rows, self.rng)
        rows = answer(model, self.reward_model, self.hidden * 4, generator)
        self.truth.append({"step": step, **{name: mean(rows, name) for name in ("gold", "reward", "completion_length")}})
        print("step {step}: gold {gold:.3f}, reward {reward:.2f}, {completion_length:.1f} tokens".format(**self.truth[-1]), flush=True)


def optimise(trainer, evaluation, asked, args, generator):
    """PPO on the prompts asked [count, PROMPT_LENGTH], judged before it and at each checkpoint."""
    evaluation(0, trainer.policy)
    for rows in torch.randperm(len(asked), generator=generator).chunk(3):
        trainer.warm_up(asked[rows])
    for step in range(1, args.steps + 1):
        rows = torch.randint(len(asked), (trainer.settings.batch_size,), generator=generator)
        evaluation.folder.log(step, trainer.step(asked[rows]))
        if step % args.save_steps == 0:
            evaluation(step, trainer.policy)


def main():
    args = arguments()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng, generator = random.Random(args.seed), torch.Generator().manual_seed(args.seed)

    every = prompts(rng)
    train, shown, hidden = every[:160], every[160:224], every[224:]
    model, reward_model = fit_base(train, rng, generator), fit_reward(train, rng)

    settings = Settings(kl_coef=args.kl)
    recorded = {**dataclasses.asdict(settings), "response_length": MAX_LENGTH, "max_steps": args.steps, "seed": args.seed}
    folder = RunFolder(args.out / "run", recorded, len(train))
    evaluation = Evaluation(folder, reward_model, shown, hidden, args.seed)
    optimise(PPO(model, reward_model, settings, generator), evaluation, prompt_tensor(train), args, generator)

    folder.save(args.steps)
    write_csv(args.out / "preferences.csv", evaluation.preferences)
    write_csv(args.out / "gold.csv", evaluation.truth)


if __name__ == "__main__":
    main()
