"""A script of GRPO whose settings are flags: one dataclass for each class of the parser."""
from dataclasses import dataclass

from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser


@dataclass
class Own:
    weight: float = 0.5


@dataclass
class Needed:
    name: str


script, training, model = TrlParser((ScriptArguments, GRPOConfig, ModelConfig)).parse_args_and_config()
(one,) = TrlParser(GRPOConfig).parse_args_and_config()
own, needed, rest = HfArgumentParser(dataclass_types=[Own, Needed]).parse_args_into_dataclasses(return_remaining_strings=True)


def weighted(completions, answer, **kwargs):
    return [own.weight if c.split()[-1:] == [a] else 0.0 for c, a in zip(completions, answer)]


GRPOTrainer(model=model.name, reward_funcs=weighted, args=training).train()
