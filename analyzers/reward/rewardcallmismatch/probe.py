"""RWD001: whether a function takes what its trainer passes."""

import inspect

from rlvet_harness import Probe, conventions


class RewardCallMismatch(Probe):
    """Binds the arguments of the trainer to the function."""

    enough = 1
    needs = "a function whose parameters tell its trainer, or that is given to one, and columns that are known"
    scores = True

    def __init__(self, target, run):
        super().__init__(target, run)
        self.functions = []

    def hit(self, hit):
        self.functions.append(hit.value)
        signature = inspect.signature(hit.value)
        names = set(signature.parameters)
        given, positional = dict.fromkeys(conventions.PASSED, []), []
        convention = conventions.likely(names)
        if convention == conventions.VERL:
            given = dict.fromkeys(conventions.OF_VERL, "")
        elif convention == conventions.VERL_BATCHED:
            given = dict.fromkeys((name + "s" for name in conventions.OF_VERL), [])
        elif convention == conventions.OPENRLHF:
            given, positional = {}, [[], [], []]
        elif "self" in names:
            given, positional = {"trainer_state": None}, [None, []]
        else:
            for name, p in signature.parameters.items():  # columns of the data set
                if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.default is p.empty:
                    given.setdefault(name, [])
        try:
            signature.bind(*positional, **given)
        except TypeError as error:
            return self.confirm("the call of the trainer raises: %s" % error)
        if set(given) - set(conventions.PASSED) and "prompts" in given:
            self.unsure("which columns the data set has is not known to the run")

    def given_to_trl(self):
        """Confirms of a function that looks like one for another framework and was given to a trainer of TRL."""
        given = self.run.scoring.of_trainers if self.run.scoring else ()
        for function in self.functions:
            parameters = inspect.signature(function).parameters
            refused = [name for name in conventions.PASSED if name not in parameters]
            loose = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
            if id(function) in given and conventions.likely(parameters) != conventions.TRL and refused and not loose:
                self.confirm("the call of the trainer raises: got an unexpected keyword argument '%s'" % refused[0])

    def end(self):
        self.given_to_trl()
        lacking = self.run.scoring.lacking if self.run.scoring else {}
        for function in self.functions:
            if id(function) in lacking:
                name, columns = lacking[id(function)]
                self.confirm("nothing is passed for `%s`: the data set has %s" % (name, ", ".join(columns)))
            elif conventions.of(function) is not None or self.run.scoring and id(function) in self.run.scoring.of_trainers:
                self.upheld()

    def holds(self):
        return "the function took all that its trainer passes"
