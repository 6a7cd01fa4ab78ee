"""What a run leaves behind, as TRL and transformers write it.

    training_args.json                     the settings
    trainer_state.json                     log_history: the metrics of each step
    completions/completions_00010.jsonl    what it says to the prompts of the evaluation; 0: the base model
    checkpoint-10/                         weights, and trainer_state.json so far
"""

import json
import time

import torch


class RunFolder:
    """Writes a run under path, a pathlib.Path that is not there yet. Settings is a dictionary, with
    max_steps and batch_size in it; prompts is the number of those that are trained on."""

    def __init__(self, path, settings, prompts):
        self.path, self.prompts = path, prompts
        self.max_steps, self.batch_size = settings["max_steps"], settings["batch_size"]
        self.log_history, self.start = [], time.time()
        (path / "completions").mkdir(parents=True)
        (path / "training_args.json").write_text(json.dumps(settings, indent=2) + "\n")

    def log(self, step, metrics):
        """Adds what was measured in a step."""
        episode = step * self.batch_size
        rate = int(episode / (time.time() - self.start))
        self.log_history.append({"eps": rate, **metrics, "episode": episode, "epoch": episode / self.prompts, "step": step})

    def log_evaluation(self, step, metrics):
        self.log_history.append({**metrics, "epoch": step * self.batch_size / self.prompts, "step": step})

    def completions(self, step, rows):
        """Writes rows, dictionaries of a prompt, a completion, its reward and so on."""
        with open(self.path / "completions" / f"completions_{step:05d}.jsonl", "w") as file:
            for row in rows:
                file.write(json.dumps({"step": step, **row}) + "\n")

    def checkpoint(self, step, model):
        folder = self.path / f"checkpoint-{step}"
        folder.mkdir()
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
        self.save(step, folder)

    def save(self, step, folder=None):
        """Writes trainer_state.json into folder, that of the run if none is given."""
        state = {
            "best_metric": None,
            "best_model_checkpoint": None,
            "episode": step * self.batch_size,
            "epoch": step * self.batch_size / self.prompts,
            "global_step": step,
            "is_world_process_zero": True,
            "log_history": self.log_history,
            "logging_steps": 1,
            "max_steps": self.max_steps,
        }
        (folder or self.path).joinpath("trainer_state.json").write_text(json.dumps(state, indent=2) + "\n")
