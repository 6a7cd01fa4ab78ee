from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer


def format_reward(completions, **kwargs):
    return [1.0 if "<answer>" in c else 0.0 for c in completions]


def length_reward(prompts, completions):
    return [len(c) / 1000 for c in completions]


args = GRPOConfig(
    output_dir="out",
    beta=0.04,
    num_generations=1,
    temperature=0.0,
    per_device_train_batch_size=4,
    max_completion_length=256,
)
trainer = GRPOTrainer(
    model="Qwen/Qwen2.5-0.5B-Instruct",
    reward_funcs=[format_reward, length_reward],
    args=args,
    train_dataset=load_dataset("trl-lib/tldr", split="train"),
)
trainer.train()
