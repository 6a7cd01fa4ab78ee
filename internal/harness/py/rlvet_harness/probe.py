"""What rules build their probes from."""

import ast
import math
import traceback

MOST_SHOWN = 5  # hits of which the numbers are sent
MOST_POINTS = 400  # hits of which numbers are kept for plots
MOST_SENT = 100  # of which so many are sent, which fits a line of the protocol


class Hit:
    """One evaluation of the flagged expression.

    value is what it yielded, parts what the expressions in it yielded, by their place
    in the syntax: ``left`` and ``right`` of an operator, ``receiver``, ``arg0`` and the
    keywords of a call, ``value`` of an attribute or a subscript. index counts from 0,
    step is the number of optimizer steps before it.
    """

    __slots__ = ("value", "parts", "index", "step")

    def __init__(self, value, parts, index, step):
        self.value, self.parts, self.index, self.step = value, parts, index, step

    def part(self, *names):
        """Returns the first of the named parts that was evaluated, or None."""
        for name in names:
            if name in self.parts:
                return self.parts[name]
        return None

    def argument(self, index, *keywords):
        """Returns an argument of a function or method: torch.f(x, y) and x.f(y) alike."""
        for name in keywords:
            if name in self.parts:
                return self.parts[name]
        receiver = self.parts.get("receiver")
        if receiver is not None and not isinstance(receiver, type(traceback)):  # no module
            return receiver if index == 0 else self.parts.get("arg%d" % (index - 1))
        return self.parts.get("arg%d" % index)


class Probe:
    """Gathers evidence about one finding during one run.

    A rule overrides :meth:`hit`, which may call :meth:`confirm`, :meth:`upheld` or :meth:`unsure`, says
    in :attr:`needs` what it takes to see the mistake, and overrides where needed :meth:`failed`, :meth:`end` and :meth:`holds`. What the evidence comes to is
    not decided here: rlvet makes a verdict of what all processes of all runs sent.
    """

    enough = 20  # calls of upheld that refute the finding
    needs = ""  # what has to be there for the mistake to show, which upheld counts: "groups with different statistics"
    joins = False  # whether values are followed through sums and products: run.joins
    twin = False  # whether the program is to run again with the flagged value changed
    deep = False  # whether the parts of parts are watched: arg0_left is an operand in an argument
    draws = False  # whether run.draws counts the actions that are drawn
    scores = False  # whether it watches a function that scores answers, which scoring.py calls
    rounds = False  # whether it is told of the rounds of the loops around the flagged expression
    functions = False  # whether run.applied keeps what autograd.Functions were applied to

    def __init__(self, target, run):
        self.target = target
        self.run = run  # the optimizers, steps and losses of the program so far
        self.hits = 0
        self.upholds = 0
        self.depends = None
        self.confirmed = None  # the evaluation that confirms, as it was sent
        self.doubt = None  # why the run can prove nothing
        self.shown = 0  # observations that were sent
        self.undirected = False  # whether no step tells the direction of what is looked at
        self.points = {}  # hit, step and number, by what the number is

    # What rules override.

    def imported(self, torch):
        """Is called when the program has imported torch, to watch functions of it."""

    def hit(self, hit):
        """Looks at one evaluation."""

    def failed(self, error):
        """Says whether an exception that left the flagged statement is the finding's doing:
        the reason, or None."""
        return None

    def stepped(self, optimizer):
        """Is called after each step of an optimizer."""

    def environment_stepped(self, out):
        """Is called with what each step of an environment of gym.make returned."""

    def become_child(self):
        """Is called in another process of the program, which begins anew."""

    def end(self):
        """Is called when the run is over. With twin set, depends says by then whether a run
        with another value came to other losses or parameters (None: nobody knows)."""

    def holds(self):
        """Says what was true at every hit: it stands in a refutation."""
        return "the mistake was not seen"

    # What rules call, and the harness.

    def guarded(self, function, *args):
        """Calls a function of the probe: its mistake must not be one of the program."""
        try:
            return function(*args)
        except Exception as error:
            self.failed_by(error)

    def failed_by(self, error):
        """Notes a mistake of the probe itself."""
        self.unsure("the probe failed: %s: %.200s" % (type(error).__name__, str(error).strip().split("\n")[0]))

    def expression(self):
        """Returns the syntax of the flagged expression, None where it is a piece of one."""
        try:
            return ast.parse("(%s)" % self.target["text"], mode="eval").body
        except (SyntaxError, ValueError):
            return None

    def frame(self):
        """Returns the frame of the program in which the flagged expression is evaluated."""
        return self.run.frame()

    def at_backward(self, tensor, look):
        """Calls look with the gradient of a tensor when a later backward reaches it."""

        def reached(gradient):
            with self.run.lock:
                self.guarded(look, gradient.detach())

        tensor.register_hook(reached)

    def at_step(self, tensor, look):
        """Calls look with the gradient of a tensor with respect to what is minimised: that of a backward pass, turned
        round where the program ascends, once the parameters behind it are changed. What no step tells does not refute."""

        def told(entry):
            signs = set(entry.votes.values())
            if len(signs) > 1 or 0 in signs:
                self.unsure("it is not plain whether the program minimises what it differentiates: it changes the gradients before their step")
                return
            self.undirected = not signs
            try:
                look(-entry.gradient if -1 in signs else entry.gradient)
            finally:
                self.undirected = False

        self.run.descent.follow(self, tensor, told)

    def confirm(self, reason, **seen):
        """Sends evidence that the finding is true; the first of it stays."""
        if self.confirmed is None:
            frames = traceback.extract_stack()[:-2]
            own = [f for f in frames if self.run.is_program(f.filename)]
            self.confirmed = {
                "reason": reason, "hit": max(self.hits - 1, 0), "step": self.run.steps, "seen": seen,
                "stack": ["%s:%d %s" % (self.run.shown(f.filename), f.lineno, f.name) for f in own[-6:]],
            }
            self.run.events.send("confirm", id=self.target["id"], **self.confirmed)

    def upheld(self, times=1):
        """Counts evaluations at which the mistake would have shown, and did not: what :attr:`needs`
        names was there, and was as it has to be. Nothing else refutes."""
        if not self.undirected:
            self.upholds += times

    def unsure(self, reason):
        """Says why the run can prove nothing either way; the first reason stays."""
        self.doubt = self.doubt or reason

    def show(self, **seen):
        """Sends numbers of the first hits for the report."""
        if self.shown < MOST_SHOWN:
            self.shown += 1
            self.run.events.send("observation", id=self.target["id"], hit=max(self.hits - 1, 0), step=self.run.steps, seen=seen)

    def plot(self, value=None, **numbers):
        """Keeps numbers of a hit for plots, each under a name that stands at its axis. low
        and high are the ends of a band around the first, ought is what it ought to be. Of
        long runs fewer are kept."""
        for name, number in {"value": value, **numbers}.items():
            if number is None or not math.isfinite(number):
                continue
            points = self.points.setdefault(name, [])
            if len(points) >= MOST_POINTS:
                del points[1::2]
            points.append([self.hits - 1, self.run.steps, float(number)])

    def plotted(self):
        """Returns the points by name, few enough for a line of the protocol."""
        out = {}
        for name, points in self.points.items():
            every = -(-len(points) // MOST_SENT)
            out[name] = [[hit, step, float("%.6g" % number)] for hit, step, number in points[::every]]
        return out
