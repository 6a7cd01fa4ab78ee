"""How trainers call functions that score answers.

TRL passes a batch by keywords, with a list for each column of the data set. verl calls its
compute_score once an answer, or with a batch (BatchRewardManager), and OpenRLHF with three
lists by position. A plain function gets one answer and what is right.
"""

import inspect
import re
import zlib

TRL, VERL, VERL_BATCHED, OPENRLHF, PLAIN = "trl", "verl", "verl-batched", "openrlhf", "plain"
BATCHED = (TRL, VERL_BATCHED, OPENRLHF)  # one call a batch
PASSED = ("prompts", "completions", "completion_ids", "trainer_state")  # by TRL, whatever the data set has
OF_VERL = ("data_source", "solution_str", "ground_truth", "extra_info")  # by verl; of a batch, each with an s behind it
# The parameters by which a function is told: the first of them is of no other convention.
MARKS = (
    (VERL_BATCHED, ("solution_strs", "ground_truths")), (VERL, ("solution_str", "ground_truth")), (OPENRLHF, ("queries", "prompts")),
    (TRL, ("completions",)), (TRL, ("completion_ids",)),
)
ANSWER = ("completion", "response", "output", "prediction", "pred", "generation", "generated", "generated_text", "model_output", "text")
RIGHT = ("answer", "ground_truth", "solution", "label", "target", "gold", "reference", "expected", "gt", "correct_answer")
QUESTION = ("prompt", "question", "query", "problem")


def parameters_of(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []


def wanted_columns(function):
    """Returns the parameters that a column of the data set fills."""
    return [p.name for p in parameters_of(function) if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.default is p.empty]


def of(function):
    """Returns the convention of a function by its parameters, None where they tell none."""
    names = {p.name for p in parameters_of(function)}
    for convention, marks in MARKS:
        if names.issuperset(marks):
            return convention
    wanted = wanted_columns(function)
    if names.intersection(ANSWER) and all(n in ANSWER + RIGHT + QUESTION for n in wanted):
        return PLAIN
    return None


def unfit(convention, function):
    """Returns the parameters of a function that a convention does not pass, None where it can be called so. TRL passes
    each column of the data set, whatever its name; what it always passes is "completions"."""
    parameters = parameters_of(function)
    if any(p.kind is p.VAR_KEYWORD for p in parameters) and convention == TRL:
        return None
    if convention == TRL:
        return None if not parameters or any(p.name in ("completions", "completion_ids") for p in parameters) else wanted_columns(function)
    if convention in (VERL, VERL_BATCHED):
        passed = OF_VERL if convention == VERL else tuple(name + "s" for name in OF_VERL)
        return [name for name in wanted_columns(function) if name not in passed] or None
    if convention == OPENRLHF:
        by_position = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        return None if not parameters or many or len(by_position) >= 3 and len(wanted_columns(function)) <= 3 else wanted_columns(function)[3:]
    named = any(p.name in ANSWER for p in parameters)
    return [n for n in wanted_columns(function) if n not in ANSWER + RIGHT + QUESTION] or None if named else wanted_columns(function)[2:] or None


def likely(names):
    """Returns the convention of a function that is known to be one for a trainer."""
    return next((c for c, marks in MARKS if marks[0] in names), TRL)


def fitting(function, given):
    """Returns the arguments that a function takes: that it refuses others is a finding of its own."""
    parameters = parameters_of(function)
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return given
    return {k: v for k, v in given.items() if any(p.name == k for p in parameters)}


def calls(convention, function, prompts, completions, rows, state=None):
    """Returns the positional and keyword arguments of each call that scores a batch: completions to prompts, with the
    rows of the data set. A row yields what it is asked for, or raises KeyError. What is right is its "ground_truth"."""
    if convention == TRL:
        return [((), fitting(function, of_trl(function, prompts, completions, rows, state)))]
    right = [row["ground_truth"] for row in rows] if convention != PLAIN else []
    if convention == OPENRLHF:
        return [(([_text(p) + c for p, c in zip(prompts, completions)], [_text(p) for p in prompts], right), {})]
    of_verl = [row.get("data_source") or "math" for row in rows], completions, right, [row.get("extra_info") or {} for row in rows]
    if convention == VERL_BATCHED:
        return [((), fitting(function, {name + "s": values for name, values in zip(OF_VERL, of_verl)}))]
    if convention == VERL:
        return [((), fitting(function, dict(zip(OF_VERL, values)))) for values in zip(*of_verl)]
    return [of_plain(function, p, c, row) for p, c, row in zip(prompts, completions, rows)]


def of_trl(function, prompts, completions, rows, state):
    given = {"prompts": prompts, "completions": completions, "completion_ids": [tokens(c) for c in completions], "trainer_state": state}
    columns = [name for name in (rows[0] if rows else ()) if name not in ("prompt", "completion")]
    for name in [*wanted_columns(function), *columns]:
        if name not in given:
            given[name] = [row[name] for row in rows]
    return given


def tokens(completion):
    """Returns numbers for the words of a completion, as a tokenizer would."""
    return [zlib.crc32(word.encode("utf-8", "replace")) % 30000 for word in re.findall(r"\w+|[^\w\s]", _text(completion))]


def of_plain(function, prompt, completion, row):
    given = {}
    for p in parameters_of(function):
        if p.name in ANSWER:
            given[p.name] = completion
        elif p.name in QUESTION:
            given[p.name] = _text(prompt)
        elif p.name in row or p.name in RIGHT and p.default is p.empty:
            given[p.name] = row[p.name] if p.name in row else row["ground_truth"]
    if any(name in ANSWER for name in given):
        return (), given
    return (completion, row["ground_truth"])[: max(1, len(wanted_columns(function)))], {}


def _text(prompt):
    """Returns a prompt as text: of messages, what they say."""
    return prompt if isinstance(prompt, str) else "\n".join(str(m.get("content")) for m in prompt)
