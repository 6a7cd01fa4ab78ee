"""Logs what `rlvet audit` needs to tell a better policy from one that cheats.

With transformers or TRL:

    from rlvet_callback import RlvetCallback

    def judge(prompts, completions, **columns):  # held out: training does not see it
        return [my_judge(p, c) for p, c in zip(prompts, completions)]

    watch = RlvetCallback("runs/ppo/rlvet", gold=judge)
    trainer = GRPOTrainer(..., reward_funcs=[watch.reward(correct), watch.reward(brief)], callbacks=[watch])

Anywhere else, once a step or less often:

    from rlvet_callback import log

    log(step, {"reward": 1.3, "kl_reference:nats_per_sequence": 4.2, "length:tokens": 212.0},
        [{"prompt": "...", "completion": "...", "tokens": 212, "truncated": False, "reward": 1.3,
          "logprob_sum": -310.2, "reference_logprob_sum": -314.4, "gold": 0.7}])

Either way, what the model wrote before training is what all later texts are compared with:

    log(0, None, [{"prompt": p, "completion": c} for p, c in zip(prompts, texts_of_the_base_model)],
        base=True, folder="runs/ppo/rlvet")

and then `rlvet audit runs/ppo`. A metric is named QUANTITY:UNIT; `rlvet config audit.metrics`
lists both. Names that are none of these are kept as they are.

Only the first process writes. A record is one write at the end of a file, so that a process
that is killed loses one record at most. Nothing here raises into training: what cannot be
written is said once, on standard error. Needs the standard library of Python 3.9 or newer.
"""

import functools
import hashlib
import inspect
import json
import numbers
import os
import sys

__all__ = ["Log", "RlvetCallback", "log"]

# What a completion may say of itself: numbers, but for those that are texts or yes and no.
TEXTS = ("prompt", "completion")
FLAGS = ("truncated", "base")
NUMBERS = ("reward", "gold", "advantage", "tokens", "logprob_sum", "reference_logprob_sum")


def _never_raise(method):
    """Lets a method fail without its caller noticing; the first failure is said."""

    @functools.wraps(method)
    def guarded(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except Exception as error:  # whatever it is, training is worth more
            self._say(error)
            return None

    return guarded


class Log:
    """Two files in a folder: metrics.jsonl and completions.jsonl, an object a line.

    folder: where to; made when something is written.
    most: how many completions of a step are kept: those whose prompts have the smallest
        hashes, so that steps that share prompts keep the same ones.
    """

    def __init__(self, folder="rlvet", most=64):
        self.folder, self.most = folder, most
        self._said = False
        self._opened = set()

    def log(self, step, metrics=None, completions=None, base=False):
        """Appends what is known of a step.

        step: of the optimizer, an int that grows; after a restart it may go back.
        metrics: numbers (or tensors of one) by QUANTITY:UNIT, such as "kl_reference:nats_per_token".
        completions: dicts with "prompt", "completion" and, as far as known, "reward" (a number, or
            numbers by the name of the reward function), "gold" (a score that training does not
            see), "tokens" (a count), "truncated" (cut at the longest length), "advantage",
            "logprob_sum" and "reference_logprob_sum" (sums over the tokens, in nats).
        base: whether the completions are the reference model's.
        """
        self.metrics(step, {_metric(str(k)): v for k, v in (metrics or {}).items()})
        self.completions(step, completions or [], base)

    @_never_raise
    def metrics(self, step, metrics):
        """Appends metrics by the names that a trainer gave them; what is no number is left out."""
        values = {str(k): _number(v) for k, v in metrics.items()}
        values = {k: v for k, v in values.items() if v is not None and k != "step"}
        if values and _first_process():
            self._append("metrics.jsonl", [dict({"step": int(step)}, **values)])

    @_never_raise
    def completions(self, step, completions, base=False):
        """Appends completions, as log does."""
        if not _first_process():
            return
        rows = sorted(completions, key=lambda c: _hash(c.get("prompt", "")))[: self.most]
        if rows:
            self._append("completions.jsonl", [_completion(int(step), row, base) for row in rows])

    def _append(self, name, records):
        """Writes whole lines at the end of a file, at once."""
        path = os.path.join(self.folder, name)
        text = "".join(json.dumps(r, ensure_ascii=True) + "\n" for r in records)
        os.makedirs(self.folder, exist_ok=True)
        if name not in self._opened and _ends_within_a_line(path):
            text = "\n" + text  # what a killed process left stays a line of its own
        self._opened.add(name)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
        try:
            data = text.encode("ascii")
            if os.write(handle, data) != len(data):
                self._opened.discard(name)  # then the next record starts a line
                raise OSError("the disk took a part of a record only")
        finally:
            os.close(handle)

    def _say(self, error):
        if self._said or sys.stderr is None:
            return
        self._said = True
        try:
            print("rlvet: not logged, training goes on: %s: %s" % (type(error).__name__, error), file=sys.stderr)
        except Exception:  # standard error is gone too
            pass


class RlvetCallback:
    """A callback of transformers' Trainer that logs what the trainer logs, and completions.

    It has the methods of transformers.TrainerCallback without importing it. The completions are
    those that a step of training asked its reward functions about; what an evaluation asks in
    between is left out.

    folder: where to (default: "rlvet" in the trainer's output_dir).
    gold: called as a reward function is, with lists of an item a completion, it returns as many
        scores that training does not see; None is no score. One that returns a single number is
        called for each completion alone, with lists of one. It is asked for what is logged only.
    every: completions are logged once in so many steps.
    most: how many of them.
    """

    def __init__(self, folder=None, gold=None, every=10, most=64):
        self.gold, self.every = gold, max(1, int(every))
        self._log = Log(folder, most)
        self._step, self._next = 0, 0
        self._within = None  # a step; None where the trainer does not say when one begins
        self._alone = False  # whether gold is asked about each completion alone
        self._longest, self._end = None, None  # the longest length, and the token that ends a text
        self._kept = {}  # of the step that is being logged: a row a completion

    def __getattr__(self, name):
        if name.startswith("on_"):  # the events that are not listened to
            return lambda *args, **kwargs: None
        raise AttributeError(name)

    def _say(self, error):
        self._log._say(error)

    @_never_raise
    def on_train_begin(self, args, state, control, **kwargs):
        if self._log.folder is None:
            self._log.folder = os.path.join(getattr(args, "output_dir", None) or ".", "rlvet")
        self._longest = getattr(args, "max_completion_length", None) or getattr(args, "response_length", None)
        tokenizer = kwargs.get("processing_class") or kwargs.get("tokenizer")
        tokenizer = getattr(tokenizer, "tokenizer", tokenizer)  # that of a processor of images and texts
        self._end = getattr(tokenizer, "eos_token_id", None)
        self._step = self._next = state.global_step

    @_never_raise
    def on_step_begin(self, args, state, control, **kwargs):
        self._within, self._kept = True, {}
        self._step = state.global_step

    @_never_raise
    def on_step_end(self, args, state, control, **kwargs):
        self._flush()
        self._within = self._within and False
        self._step = state.global_step

    @_never_raise
    def on_log(self, args, state, control, logs=None, **kwargs):
        self._log.metrics(state.global_step, logs or {})

    @_never_raise
    def on_prediction_step(self, args, state, control, **kwargs):
        self._kept = {}  # an evaluation asks the reward functions, too: these are no samples of training

    @_never_raise
    def on_evaluate(self, args, state, control, **kwargs):
        self._kept = {}

    @_never_raise
    def on_train_end(self, args, state, control, **kwargs):
        self._flush()

    def reward(self, function):
        """Wraps a reward function (prompts=, completions=, completion_ids=, ...) so that what it
        is asked and what it answers is logged. Its name and its answer stay what they are.
        A reward model, or the name of one, is returned as it is: its rewards are not logged."""
        if not callable(function) or hasattr(function, "forward"):
            return function
        name = getattr(function, "__name__", type(function).__name__)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def watched(*args, **kwargs):
                rewards = await function(*args, **kwargs)
                self._keep(name, rewards, kwargs)
                return rewards

        else:

            @functools.wraps(function, updated=())
            def watched(*args, **kwargs):
                rewards = function(*args, **kwargs)
                self._keep(name, rewards, kwargs)
                return rewards

        watched.__name__ = name
        return watched

    @_never_raise
    def _keep(self, name, rewards, given):
        """Keeps what one reward function said until the step ends: there may be others."""
        if self._within is False or self._step < self._next or not _first_process():
            return
        prompts, completions = given.get("prompts"), given.get("completions")
        if prompts is None or completions is None:
            raise ValueError("the reward function was not called with prompts= and completions=")
        tokens = given.get("completion_ids") or [None] * len(completions)
        for i, (prompt, completion) in enumerate(zip(prompts, completions)):
            row = self._kept.setdefault(i, {})
            if row.get("completion") != _text(completion) or row.get("prompt") != _text(prompt):
                row.clear()  # a later batch of the same step
                row.update(prompt=_text(prompt), completion=_text(completion), reward={}, given=given, at=i)
            row["reward"][name] = _number(rewards[i])
            if tokens[i] is not None:
                row["tokens"] = len(tokens[i])
                if self._longest:
                    row["truncated"] = len(tokens[i]) >= self._longest and tokens[i][-1] != self._end

    def _flush(self):
        """Writes what was kept, with the gold score of it."""
        rows, self._kept = sorted(self._kept.values(), key=lambda r: _hash(r["prompt"]))[: self._log.most], {}
        if not rows:
            return
        self._next = self._step + self.every
        if self.gold is not None:
            self._score(rows)
        self._log.completions(self._step, rows)

    @_never_raise
    def _score(self, rows):
        calls = {}  # rows by the call of the reward function that they come from
        for row in rows:
            calls.setdefault(id(row["given"]), []).append(row)
        for those in calls.values():
            scores = self._ask(those[0]["given"], [row["at"] for row in those])
            for row, score in zip(those, scores):
                row["gold"] = _number(score)

    def _ask(self, given, at):
        """The gold scores of the completions at these places, asked for at once if gold can."""
        if not self._alone:
            scores = _several(self.gold(**_part(given, at)))
            if len(scores) == len(at):
                return scores
            if len(scores) > 1:
                raise ValueError("gold returned %d scores for %d completions" % (len(scores), len(at)))
            self._alone = True
        return [_several(self.gold(**_part(given, [i])))[0] for i in at]


_default = Log()


def log(step, metrics=None, completions=None, base=False, folder=None):
    """Appends what is known of a step to a folder ("rlvet" where none was named); see Log.log."""
    if folder is not None:
        _default.folder = folder
    _default.log(step, metrics, completions, base)


def _part(given, at):
    """The arguments of a reward function for the completions at these places."""
    many = len(given["completions"])
    return {
        name: [value[i] for i in at] if isinstance(value, (list, tuple)) and len(value) == many else value
        for name, value in given.items()
    }


def _several(scores):
    """Scores as a list: a single one is a list of one."""
    try:
        return list(scores)
    except TypeError:  # a number, None, or a tensor of one
        return [scores]


def _first_process():
    """Whether this is the process that writes, of those that train together."""
    distributed = sys.modules.get("torch.distributed")
    try:
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank() == 0
    except Exception:  # then the environment says it
        pass
    for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name]) == 0
    return True


def _ends_within_a_line(path):
    try:
        with open(path, "rb") as f:
            f.seek(-1, os.SEEK_END)
            return f.read(1) != b"\n"
    except OSError:  # there is none, or it is empty
        return False


def _metric(name):
    """The name under which a metric of a known quantity is written."""
    quantity = name.split(":", 1)[0]
    return "rlvet/" + name if quantity in QUANTITIES else name


def _completion(step, given, base):
    """A completion as it is written: units are in the names."""
    row = {"step": step, "base": bool(given.get("base", base))}
    row.update((k, _text(given[k])) for k in TEXTS if given.get(k) is not None)
    row.update((k, bool(given[k])) for k in FLAGS if given.get(k) is not None)
    for name in NUMBERS:
        value = given.get(name)
        if name == "reward" and isinstance(value, dict):
            row["rewards"] = {str(k): _number(v) for k, v in value.items()}
        elif value is not None:
            row[name + "_nats" if name.endswith("_sum") else name] = _number(value)
    return row


def _text(value):
    """A prompt or a completion as text; of a conversation, its contents, which may be parts."""
    if isinstance(value, dict):
        return _text(value.get("content", value.get("text")))
    if value is None:  # the content of a message that calls a tool
        return ""
    if isinstance(value, (list, tuple)):
        return "\n".join(filter(None, map(_text, value)))
    return str(value)


def _number(value):
    """A number of Python, of numpy, or a tensor of one, as a float; None for all else."""
    if isinstance(value, numbers.Number) and not isinstance(value, complex):
        return float(value)
    if isinstance(value, (str, bytes, dict)) or value is None:
        return None
    try:
        return float(value)
    except Exception:  # a tensor of several, a histogram
        return None


def _hash(prompt):
    return hashlib.sha256(_text(prompt).encode("utf-8", "replace")).digest()


# The quantities that `rlvet audit` knows.
QUANTITIES = frozenset(
    """
    reward reward_penalised reward_part reward_std zero_std_groups held_out reward_disagreement
    kl_reference kl_coefficient approx_kl clip_fraction ratio entropy
    explained_variance length truncated end_tokens effective_samples engine_ratio
    engine_mismatch policy_loss value_loss gradient_norm learning_rate
    """.split()
)
