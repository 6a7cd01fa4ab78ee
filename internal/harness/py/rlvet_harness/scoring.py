"""Calls functions that score answers as their trainers do, without a model.

Where every probe of a run asks for it (``scores``), the libraries of trainers, data sets and
models are stand-ins: a data set has rows that answer to every column, and a trainer does
no more than call its reward functions on answers that models write, texts or messages as its
prompts are. Functions that no trainer of the program takes are called when the program is
over, by the parameters that tell them. What a function raises goes to the probes; it does
not end the run.
"""

import importlib.machinery
import inspect
import re
import sys
import types

from . import conventions
from .conventions import PASSED, wanted_columns

ROOTS = ("trl", "datasets", "transformers", "peft", "unsloth", "unsloth_zoo", "vllm", "accelerate", "bitsandbytes", "wandb", "swift", "deepspeed", "huggingface_hub")
TAGS = re.compile(r"<(/?)([A-Za-z_]\w*)>")


def wanted(run):
    """Reports whether all that a run watches are functions that score."""
    return bool(run.watches) and all(w.probe.scores for w in run.watches.values())


def install(run, program):
    """Puts the stand-ins before the real libraries."""
    run.scoring = Scoring(run, program)
    sys.meta_path.insert(0, Finder(run.scoring))


class Scoring:
    """The answers of a run, and who was called with them."""

    def __init__(self, run, program):
        self.run, self.called = run, set()
        self.of_trainers = set()  # the ids of functions that were given to trainers of TRL
        self.form_known = False  # whether it is known that answers are texts, or messages
        self.lacking = {}  # by the id of a function, a parameter for which the data set has no column, and those that it has
        text = "".join(open(path, encoding="utf-8", errors="replace").read() for path in program.by_file)
        self.texts = answers(text)

    def score(self, functions, rows):
        """Is a trainer that calls its reward functions."""
        columns = getattr(rows, "columns", None)
        rows = list(rows or [Row()])
        prompt = rows[0]["prompt"] if isinstance(rows[0], dict) else "Question?"
        messages = isinstance(prompt, (list, tuple))
        self.form_known = isinstance(rows[0], dict) and "prompt" in rows[0]
        for function in functions if isinstance(functions, (list, tuple)) else [functions]:
            if callable(function):
                self.of_trainers.add(id(function))
                self.compare(function, columns)
                self.call(function, [[{"role": "assistant", "content": t}] if messages else t for t in self.texts], prompt, rows[0])

    def compare(self, function, columns):
        """Notes what a function needs and the data set does not have, where its columns are known."""
        missing = [n for n in wanted_columns(function) if n not in PASSED and n not in (columns or ())]
        if columns is not None and missing:
            self.lacking[id(function)] = missing[0], sorted(columns)

    def call(self, function, completions, prompt, row):
        """Calls a function with a batch, and each answer alone: one that raises hides the others."""
        self.called.add(getattr(function, "__name__", None))
        for batch in [completions] + [[c] for c in completions]:
            self.guarded(lambda: self.make(conventions.TRL, function, [prompt] * len(batch), batch, [row] * len(batch)))

    def make(self, convention, function, prompts, completions, rows):
        """Makes the calls that score a batch, each of which may raise."""
        out = None
        for args, given in conventions.calls(convention, function, prompts, completions, rows, Anything()):
            out = function(*args, **given)
        return out

    def guarded(self, call):
        try:
            out = call()
            if inspect.iscoroutine(out):
                out.close()
        except Exception as error:  # the probes are asked of it
            self.run.crashed(error)

    def finish(self, module):
        """Calls the functions of a module that no trainer of the program takes."""
        for name, function in list(vars(module).items()):
            if isinstance(function, type) and "__call__" in vars(function):
                self.guarded(lambda: self.loose(function().__call__))
            elif isinstance(function, types.FunctionType) and name not in self.called:
                self.loose(function)

    def loose(self, function):
        convention, n = conventions.of(function), len(self.texts)
        self.form_known = convention in (conventions.VERL, conventions.VERL_BATCHED, conventions.OPENRLHF)
        if convention == conventions.TRL:
            self.call(function, self.texts, "Question?", Row())
        elif convention == conventions.VERL_BATCHED:
            self.guarded(lambda: self.make(convention, function, ["Question?"] * n, self.texts, [Row()] * n))
        elif convention in (conventions.VERL, conventions.OPENRLHF):
            for text in self.texts:
                self.guarded(lambda: self.make(convention, function, ["Question?"], [text], [Row()]))


def answers(source):
    """Returns answers as models write them, with the tags of a program: on several lines and on one, with
    what was asked for and without."""
    names = list(dict.fromkeys(name for _, name in TAGS.findall(source)))
    long = "\n".join("<%s>\nfirst line\n42\n</%s>" % (n, n) for n in names)
    short = "".join("<%s>42</%s>" % (n, n) for n in names)
    words = "".join("<%s>forty-two, I think</%s>" % (n, n) for n in names)
    return [long or "So:\n42", short or "42", words or "forty-two", "I do not know.", "", " 42 \n", "The answer is \\boxed{42}.\n#### 42", "word " * 5000]


class Row(dict):
    """A row of a data set: it has every column."""

    def __missing__(self, key):
        return {"extra_info": {}, "data_source": "math"}.get(key, "42")

    def get(self, key, default=None):
        return self[key]


class Rows:
    """A data set, or several splits of one. columns are their names, None where they are not known."""

    def __init__(self, rows=None, columns=None):
        self.rows = rows or [Row() for _ in range(8)]
        self.columns = columns
        self.column_names, self.features = [], {}

    def map(self, function, *args, batched=False, with_indices=False, fn_kwargs=None, **kwargs):
        if batched:
            return Rows(self.rows)
        out, columns = [], self.columns
        for i, row in enumerate(self.rows):
            made = function(Row(row), *([i] if with_indices else []), **(fn_kwargs or {}))
            out.append(Row({**row, **made}) if isinstance(made, dict) else row)
            columns = None if columns is None or kwargs.get("remove_columns") else columns.union(made if isinstance(made, dict) else ())
        return Rows(out, columns)

    def __getitem__(self, key):
        if isinstance(key, int):
            return self.rows[key % len(self.rows)]
        return self

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        kept = self.columns if name in ("filter", "select", "shuffle", "skip", "sort", "take", "train_test_split") else None
        return lambda *args, **kwargs: Rows(self.rows, kept)


def rows_of_lists(columns):
    keys = list(columns)
    return Rows([Row(zip(keys, values)) for values in zip(*columns.values())], set(keys))


def rows_of_dicts(rows):
    rows = [Row(r) for r in rows]
    return Rows(rows, set(rows[0]) if rows else None)


class Tokenizer:
    """As much of a tokenizer as programs use to write prompts."""

    pad_token = eos_token = "<|end|>"
    pad_token_id = eos_token_id = 0

    def apply_chat_template(self, messages, tokenize=True, **kwargs):
        text = "".join("<|%s|>%s" % (m["role"], m["content"]) for m in messages)
        return [ord(c) for c in text] if tokenize else text

    def __call__(self, text, **kwargs):
        return {"input_ids": [1, 2, 3], "attention_mask": [1, 1, 1]}

    def encode(self, text, **kwargs):
        return [ord(c) for c in str(text)]

    def decode(self, ids, **kwargs):
        return "42"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


class Anything:
    """What a program may do anything with. calls counts what was asked of all of them."""

    calls = 0

    def __init__(self, *args, **kwargs):
        self.__dict__.update({k: v for k, v in kwargs.items() if k.isidentifier()})

    def __call__(self, *args, **kwargs):
        Anything.calls += 1
        return Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __iter__(self):
        return iter((Anything(), Tokenizer()))  # model, tokenizer = ...from_pretrained(...)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


class Parser(Anything):
    """Makes of each dataclass that it is given one with its defaults: no command has flags for it."""

    def __init__(self, dataclass_types=(), **kwargs):
        super().__init__(**kwargs)
        self.__dict__["types"] = list(dataclass_types) if isinstance(dataclass_types, (list, tuple)) else [dataclass_types]

    def parse_args_and_config(self, args=None, return_remaining_strings=False, **kwargs):
        return tuple(map(_made, self.types)) + (([],) if return_remaining_strings else ())

    parse_args_into_dataclasses = parse_args_and_config

    def parse_dict(self, *args, **kwargs):
        return tuple(map(_made, self.types))

    parse_json_file = parse_yaml_file = parse_dict


def _made(cls):
    try:
        return cls()
    except TypeError:  # a field has no default
        return Anything()


class Finder:
    """Finds stand-ins for modules of the libraries, but for those of one package. A trainer that is made tells scoring."""

    def __init__(self, scoring, but=""):
        self.scoring, self.roots = scoring, [r for r in ROOTS if r != but]

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.roots:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandIn(spec.name, self.scoring)

    def exec_module(self, module):
        pass


class StandIn(types.ModuleType):
    """A module of a library that is not there."""

    def __init__(self, name, scoring):
        super().__init__(name)
        self.__dict__["_scoring"] = scoring
        self.__path__, self.__file__ = [], "<stand-in>"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = stand_in(name, self._scoring)
        setattr(self, name, value)
        return value


def stand_in(name, scoring):
    """Returns what stands for something of a library, by its name."""
    if name in ("load_dataset", "load_from_disk", "concatenate_datasets"):
        return lambda *args, **kwargs: Rows()
    if name in ("Dataset", "DatasetDict", "IterableDataset"):
        return type(name, (), {
            "from_list": staticmethod(lambda rows, **_: rows_of_dicts(rows)), "from_dict": staticmethod(lambda columns, **_: rows_of_lists(columns)),
            "from_generator": staticmethod(lambda rows, **_: Rows([Row(r) for _, r in zip(range(8), rows())])),
        })
    if "Tokenizer" in name or "Processor" in name:
        return type(name, (), {"from_pretrained": staticmethod(lambda *args, **kwargs: Tokenizer())})
    if name.endswith("Trainer"):
        return trainer(name, scoring)
    if name.endswith("Parser"):  # HfArgumentParser, TrlParser
        return type(name, (Parser,), {})
    return type(name, (Anything,), {"from_pretrained": staticmethod(lambda *args, **kwargs: Anything())}) if name[:1].isupper() else Anything()


def trainer(name, scoring):
    """Returns the class of a trainer that calls its reward functions when it is made."""

    def __init__(self, model=None, reward_funcs=None, args=None, train_dataset=None, **kwargs):
        scoring.score(reward_funcs, train_dataset)

    return type(name, (Anything,), {"__init__": __init__})
