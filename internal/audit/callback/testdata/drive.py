"""Trains nothing, and logs it: rlvet_callback.py as trainers use it.

drive.py FOLDER writes FOLDER/plain by the plain function, FOLDER/trainer by the callback and
FOLDER/gold-* with gold scores of several kinds; what fails on the way fails the test.
"""

import asyncio
import os
import sys
from types import SimpleNamespace

sys.path.insert(0, sys.argv[2])
import rlvet_callback
from rlvet_callback import Log, RlvetCallback, log

LOADED = sorted({"torch", "transformers", "numpy"} & set(sys.modules))
assert not LOADED, LOADED


class Tensor:
    """A number as libraries have them."""

    def __init__(self, *values):
        self.values = values

    def __float__(self):
        if len(self.values) != 1:
            raise ValueError("only one element tensors can be converted")
        return self.values[0]


def plain(folder):
    for step in range(1, 4):
        log(
            step,
            {
                "reward": step, "kl_reference:nats_per_sequence": Tensor(0.5 * step), "length:tokens": 20.0 * step, "held_out:points": 1.0 / step,
                "truncated:share": 0.25, "my/own": 7, "entropy:nats_per_token": float("nan") if step == 2 else 1.0, "text": "no number", "histogram": Tensor(1.0, 2.0),
            },
            [
                {
                    "prompt": "Why %d?" % i, "completion": "Because \u2028 \ud800 %d" % i if i else "Because é.", "reward": {"helpful": 0.1 * i, "short": 1}, "gold": 0.5, "tokens": 4 + i,
                    "truncated": i == 1, "advantage": -0.5, "logprob_sum": -3.0, "reference_logprob_sum": -4.0, "unknown": object(),
                }
                for i in range(3)
            ],
            folder=folder,
        )
    log(0, None, [{"prompt": "Why 0?", "completion": "So.", "tokens": 1}], base=True)


def restart(folder):
    """A process is killed within a record; the next one goes on from step 2."""
    with open(os.path.join(folder, "metrics.jsonl"), "a") as f:
        f.write('{"step": 4, "rlvet/rew')
    again = Log(folder)
    again.log(2, {"reward": 20})
    again.log(3, {"reward": 30})


def trainer(folder):
    """What transformers' Trainer and TRL's GRPOTrainer do with a callback and a reward function."""
    args, state, control = SimpleNamespace(output_dir=folder, max_completion_length=5), SimpleNamespace(global_step=0), SimpleNamespace()
    watch = RlvetCallback(gold=lambda completions, answer, **_: [len(completions[0][0]["content"]) + answer[0]], every=2)

    def helpful(prompts, completions, **kwargs):
        return [Tensor(1.0) for _ in completions]

    async def slow(prompts, completions, **kwargs):
        return [0.5 for _ in completions]

    functions = [watch.reward(helpful), watch.reward(slow)]
    assert [f.__name__ for f in functions] == ["helpful", "slow"]
    watch.on_init_end(args, state, control)
    watch.on_train_begin(args, state, control, processing_class=SimpleNamespace(eos_token_id=0), model=None)
    for _ in range(4):
        watch.on_step_begin(args, state, control)
        given = {
            "prompts": [[{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "Hi"}]}]] * 2,
            "completions": [[{"role": "assistant", "content": "Ho"}], [{"role": "assistant", "content": "Hum"}, {"role": "assistant", "content": None, "tool_calls": []}]],
            "completion_ids": [[5, 6, 7, 8, 0], [5, 6, 7, 8, 9]], "answer": [10, 20], "trainer_state": state,
        }
        assert [float(r) for r in functions[0](**given)] == [1.0, 1.0]
        assert asyncio.run(functions[1](**given)) == [0.5, 0.5]
        state.global_step += 1
        watch.on_substep_end(args, state, control)
        watch.on_step_end(args, state, control)
        watch.on_log(args, state, control, logs={"reward": 1.5, "kl": 0.01, "completions/mean_length": 5.0, "frac_reward_zero_std": 0.0})
        evaluate(functions[0])  # and no event says so
    assert watch.on_train_end(args, state, control) is None


def evaluate(function):
    """An evaluation asks the reward functions, too, about more texts than a step of training does."""
    function(prompts=["What an evaluation asks"] * 5, completions=["That"] * 5, completion_ids=[[1, 0]] * 5)


def gold(folder, score, begins=True):
    """Two steps of a trainer with a gold score, and an evaluation before and after each."""
    args, state = SimpleNamespace(output_dir=folder), SimpleNamespace(global_step=0)
    watch = RlvetCallback(folder, gold=score, every=1)
    asked = watch.reward(lambda prompts, completions, **_: [1.0] * len(completions))
    watch.on_train_begin(args, state, None)
    for _ in range(2):
        evaluate(asked)
        watch.on_prediction_step(args, state, None)
        if begins:
            watch.on_step_begin(args, state, None)
        for half in ("first", "second"):  # batches of one step: the later one counts
            asked(prompts=["a", "b", "c"], completions=[half, half * 2, half * 3], answer=(1, 2, 3))
        state.global_step += 1
        watch.on_step_end(args, state, None)


def golds(root):
    """All gold scores of a completion are its answer; how they are returned differs."""
    calls = []

    def of_all(completions, answer, **_):
        calls.append(len(completions))
        return answer

    gold(os.path.join(root, "gold-list"), of_all)
    assert calls == [3, 3], calls
    gold(os.path.join(root, "gold-number"), lambda answer, **_: answer[0])
    gold(os.path.join(root, "gold-tensor"), lambda answer, **_: Tensor(float(answer[0])))
    gold(os.path.join(root, "gold-alone"), lambda answer, **_: [answer[0]])
    gold(os.path.join(root, "gold-unbegun"), of_all, begins=False)


def others(folder):
    """The other processes of a training write nothing."""
    os.environ["RANK"] = "1"
    Log(folder).log(1, {"reward": 1}, [{"prompt": "a", "completion": "b"}])
    del os.environ["RANK"]


def harmless(folder):
    """Nothing raises: no folder, no numbers, no arguments, a gold score that fails."""
    blocked = Log(__file__)
    for _ in range(3):
        blocked.log(1, {"reward": 1})
    Log(folder).log("soon", {"reward": 1}, [None])
    watch = RlvetCallback(folder, gold=lambda **_: 1 / 0)
    watch.on_step_end(None, None, None)
    model = SimpleNamespace(forward=None)
    assert watch.reward(model) is model and watch.reward("a/model") == "a/model"
    score = watch.reward(lambda completions: [1.0])
    assert score(["x"]) == [1.0]
    assert score(completions=["x"]) == [1.0]
    try:
        watch.absent
    except AttributeError:
        pass
    else:
        raise AssertionError("an attribute that is none")
    sys.stderr = None
    Log(__file__).log(1, {"reward": 1})
    sys.stderr = sys.__stderr__


root = sys.argv[1]
plain(os.path.join(root, "plain"))
restart(os.path.join(root, "plain"))
trainer(os.path.join(root, "trainer"))
golds(root)
others(os.path.join(root, "others"))
harmless(os.path.join(root, "harmless"))
