"""Settings of a run, and how the command line changes them."""

import argparse
import dataclasses
import json


@dataclasses.dataclass
class EnvConfig:
    """What is played, and in how many worlds at once."""

    name: str = "forage"
    worlds: int = 16
    horizon: int = 24
    items: int = 4
    normalise: bool = True
    reward_scale: float = 1.0


@dataclasses.dataclass
class ModelConfig:
    """The size of the network."""

    width: int = 32
    blocks: int = 2
    heads: int = 2
    frequencies: int = 4
    gate_temperature: float = 1.0
    value_low: float = -4.0
    value_high: float = 12.0
    value_temperature: float = 0.03


@dataclasses.dataclass
class PPOConfig:
    """Proximal policy optimisation, in the names of the paper."""

    iterations: int = 10
    steps: int = 12
    epochs: int = 4
    minibatches: int = 3
    learning_rate: float = 4e-3
    gamma: float = 0.97
    lam: float = 0.95
    clip: float = 0.2
    value_clip: float = 0.0
    value_coef: float = 0.5
    entropy_coef: float = 0.01
    entropy_final: float = 0.001
    max_grad_norm: float = 0.5
    target_kl: float = 0.2
    normalise_advantages: bool = True


@dataclasses.dataclass
class RunConfig:
    """Everything that a run depends on."""

    seed: int = 0
    evaluate_every: int = 0
    evaluation_worlds: int = 8
    log_every: int = 2
    csv: str = ""
    checkpoint: str = ""
    env: EnvConfig = dataclasses.field(default_factory=EnvConfig)
    model: ModelConfig = dataclasses.field(default_factory=ModelConfig)
    ppo: PPOConfig = dataclasses.field(default_factory=PPOConfig)

    def to_json(self):
        return json.dumps(dataclasses.asdict(self), indent=2, sort_keys=True)


class ConfigError(ValueError):
    """A setting that cannot be, said in one line."""


def check(config):
    """Raises ConfigError for the first setting that cannot be."""
    require(config.env.worlds >= 1, "worlds: at least one is needed")
    require(config.env.items >= 1, "items: at least one is needed")
    require(config.model.width % config.model.heads == 0, "width: must be a multiple of heads")
    require(config.model.gate_temperature > 0, "gate-temperature: must be above zero")
    require(config.model.value_temperature > 0, "value-temperature: must be above zero")
    require(config.model.value_low < config.model.value_high, "value-low: must be below value-high")
    require(0 < config.ppo.gamma <= 1, "gamma: must be in (0, 1]")
    require(0 <= config.ppo.lam <= 1, "lam: must be in [0, 1]")
    require(0 < config.ppo.clip < 1, "clip: must be in (0, 1)")
    batch = config.env.worlds * config.ppo.steps
    require(batch >= 2 * config.ppo.minibatches, "minibatches: more than half of the %d samples" % batch)
    return config


def require(holds, message):
    if not holds:
        raise ConfigError(message)


def _flag(name):
    return "--" + name.replace("_", "-")


def _add(parser, default, skip=()):
    """Adds a flag for each plain field of a dataclass."""
    for field in dataclasses.fields(default):
        value = getattr(default, field.name)
        if field.name in skip or dataclasses.is_dataclass(value):
            continue
        if isinstance(value, bool):
            parser.add_argument(_flag(field.name), type=_truth, default=value, metavar="yes|no")
        else:
            parser.add_argument(_flag(field.name), type=type(value), default=value)


def _truth(text):
    if text.lower() in ("yes", "true", "1"):
        return True
    if text.lower() in ("no", "false", "0"):
        return False
    raise argparse.ArgumentTypeError("%r is neither yes nor no" % text)


def parser():
    """Returns the parser of the command line: one flag a setting."""
    p = argparse.ArgumentParser(description="Trains an agent by PPO.")
    _add(p.add_argument_group("run"), RunConfig())
    _add(p.add_argument_group("environment"), EnvConfig())
    _add(p.add_argument_group("model"), ModelConfig())
    _add(p.add_argument_group("ppo"), PPOConfig())
    return p


def _pick(kind, args):
    names = [f.name for f in dataclasses.fields(kind)]
    return {n: getattr(args, n) for n in names if hasattr(args, n)}


def from_arguments(argv=None):
    """Returns the settings of the command line, checked."""
    args = parser().parse_args(argv)
    config = RunConfig(**_pick(RunConfig, args))
    config.env = EnvConfig(**_pick(EnvConfig, args))
    config.model = ModelConfig(**_pick(ModelConfig, args))
    config.ppo = PPOConfig(**_pick(PPOConfig, args))
    return check(config)
