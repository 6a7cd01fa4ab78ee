"""What parts of the harness build on that watch the whole program, not one expression."""

import importlib
import json
import os

from .events import plain


class Instrument:
    """Is told what the program does, and tells rlvet what it makes of it.

    settings are those of the request. An instrument never disturbs the program: what it
    raises is sent as an event, and the instrument is asked no more.
    """

    def __init__(self, settings, run):
        self.settings, self.run = settings, run
        self.name = type(self).__module__.partition(".")[2]
        self.broken = False

    # What instruments override.

    main = None  # a method that runs in place of the program's main module, with the program

    def imported(self, torch):
        """Is called when the program has imported torch."""

    def imported_numpy(self, numpy):
        """Is called when the program has imported numpy."""

    def before_backward(self, loss):
        """Is called with each tensor on which backward is called."""

    def after_backward(self):
        """Is called when that backward is over."""

    def stepping(self, optimizer):
        """Is called before each step of an optimizer."""

    def stepped(self, optimizer):
        """Is called after it; run.steps counts it already."""

    def environment_stepped(self, environment, out):
        """Is called with what each step of an environment returned."""

    def environment_reset(self, environment, out):
        """Is called with what each reset of an environment of the program's own returned."""

    def crashed(self, error):
        """Is called with the exception that ends the program."""

    def files(self):
        """Returns the paths of files that are to be rewritten."""
        return ()

    def rewrite(self, tree, path):
        """Is called with the syntax tree of each such file, to change it in place."""

    def end(self, status):
        """Is called when the run is over, while the process can still write."""

    # What instruments call.

    def send(self, event, **fields):
        """Sends rlvet an event of the protocol at once."""
        self.run.events.send(event, instrument=self.name, **fields)

    def stop(self, why):
        """Ends the run, once all instruments have heard of what happens at the moment."""
        self.run.instruments.ending = why

    def kept(self, name):
        """Returns the path of a file to write; rlvet gets it when the run is over. What a
        child of the program writes stands in a folder of the child's name."""
        path = os.path.join(self.run.request["kept"], self.run.name, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def keep(self, value):
        """Writes what the instrument found, as JSON, in the file of its name."""
        with open(self.kept(self.name.rpartition(".")[2] + ".json"), "w", encoding="utf-8") as file:
            json.dump(plain(value), file, allow_nan=False)


class Instruments:
    """The instruments of a run: each hears of everything."""

    def __init__(self, run):
        self.run, self.ending = run, None
        self.all = [_load(i["name"])(i["settings"] or {}, run) for i in run.request.get("instruments") or ()]

    def files(self):
        return [path for instrument in self.all for path in instrument.files()]

    def tell(self, what, *args):
        for instrument in self.all:
            if not instrument.broken:
                self.guarded(instrument, getattr(instrument, what), *args)
        if self.ending and not self.run.budget.stopped and what != "end":
            self.run.budget.stop(self.ending)

    def guarded(self, instrument, function, *args):
        """Calls a function of an instrument: its mistake must not be one of the program."""
        try:
            function(*args)
        except Exception as error:
            instrument.broken = True
            instrument.send("instrument-error", error="%s: %s" % (type(error).__name__, error), where=_where(error))


def _where(error):
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return "%s:%d" % (os.path.basename(trace.tb_frame.f_code.co_filename), trace.tb_lineno)


def _load(name):
    """Returns the Instrument that a module of this package defines."""
    module = importlib.import_module("." + name, __package__)
    own = [v for v in vars(module).values() if isinstance(v, type) and issubclass(v, Instrument) and v.__module__ == module.__name__]
    if len(own) != 1:
        raise ImportError("%s must define exactly one Instrument" % name)
    return own[0]

