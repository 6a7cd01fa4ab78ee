"""Calls a function that scores answers as its trainer would, and tells what came of each call.

The function is the program's, in its own module, with stand-ins for trainers, data sets and
models. It runs in a process of its own, forked from this one, that tells by a pipe which call
it begins and what came of it: a call that never returns, ends the process or eats the memory
costs that process, and the rest of the calls go on in a new one. What the rewards mean is
decided in Go.
"""

import asyncio
import importlib
import importlib.util
import inspect
import json
import math
import numbers
import os
import re
import select
import signal
import sys
import time
import types

from . import conventions, scoring
from .events import plain
from .instrument import Instrument

GROUPS = sys.platform == "linux"  # where rlvet finds what leaves the group of its run
MOST_LOST = 2  # calls of one kind that may hang: the others of the kind are left out
MOST_WORKERS = 60
MOST_HEARD = 20  # hosts and files that are named
PATIENCE = 0.2  # seconds between looks at a process that says nothing


class Calls(Instrument):
    """Makes the calls of its settings in place of the program."""

    def main(self, program):
        keeper = Keeper(self)
        keeper.run()
        self.keep(keeper.told())


class Keeper:
    """Has workers make the calls, and keeps what they tell. Each worker begins behind the call that ended the one before."""

    def __init__(self, instrument):
        self.settings, self.run_of = instrument.settings, instrument.run
        self.calls, self.results = self.settings["calls"], {}
        self.failed = self.function = None
        self.heard = {"network": [], "files": [], "processes": []}
        self.until = time.monotonic() + self.settings["seconds"]
        self.lost, self.slow = {}, 0.0

    def run(self):
        for _ in range(MOST_WORKERS):
            rest = [k for k in range(len(self.calls)) if k not in self.results and not self.is_left_out(k)]
            if self.failed or time.monotonic() > self.until or self.function and not rest:
                break
            self.follow(*start(self, rest))

    def is_left_out(self, k):
        return self.lost.get(self.calls[k]["kind"], 0) >= MOST_LOST

    def follow(self, pid, pipe):
        """Listens to a worker until it has ended, or ends it when it takes too much."""
        under_way, allowed, since, rest = None, self.settings["load_seconds"], time.monotonic(), b""
        status, why = None, ""
        while not why:
            ready = select.select([pipe], [], [], PATIENCE)[0]
            chunk = os.read(pipe, 1 << 16) if ready else b""
            if not chunk and (ready or status is not None):
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in map(json.loads, lines):
                under_way, since = line.get("begin"), time.monotonic()
                allowed = self.settings["load_seconds"] if under_way is None else self.allowed(under_way)
                self.take(line)
            status = ended(pid) if status is None else status
            why = self.too_much(pid, time.monotonic() - since - allowed)
        os.close(pipe)
        took = time.monotonic() - since
        if not why and status is None:  # the pipe is closed: it ends, or the function has closed it
            status = awaited_end(pid)
        end(pid, status is not None)
        if why in ("hung", "memory"):
            self.lose(under_way, why, took, "")
        elif not why and (under_way is not None or not self.function and not self.failed):
            self.lose(under_way, "died", took, how(status))

    def too_much(self, pid, late):
        """Returns what a worker takes too much of, "" for nothing."""
        if memory_of(pid) > self.settings["memory"]:
            return "memory"
        if late > 0:
            return "hung"
        return "over" if time.monotonic() > self.until else ""

    def allowed(self, k):
        """Returns the seconds that a call may take: a batch as long as its completions alone, and some."""
        return self.settings["call_seconds"] + 3 * len(self.calls[k]["completions"]) * self.slow

    def take(self, line):
        for kind, names in line.pop("heard", {}).items():
            known = self.heard[kind]
            known.extend(n for n in names if n not in known and len(known) < MOST_HEARD)
        if "loaded" in line:
            self.function = line["loaded"]
        elif "failed" in line:
            self.failed = line["failed"]
        elif "call" in line:
            self.results[line.pop("call")] = line
            n = len(line.get("rewards") or ())
            self.slow = max(self.slow, line["seconds"] / n) if n else self.slow

    def lose(self, k, status, seconds, detail):
        """Notes the call, or the import, that cost a worker."""
        if k is None:
            said = {"hung": "the file was not imported after %g s" % seconds, "memory": "to import the file takes more memory than is allowed"}
            self.failed = self.failed or failure("import", said.get(status, "the process ended while it imported the file: " + detail))
            return
        kind = self.calls[k]["kind"]
        self.lost[kind] = self.lost.get(kind, 0) + 1
        self.results[k] = {"status": status, "seconds": round(seconds, 6), "error": {"type": "", "message": detail, "file": "", "row": 0}}

    def told(self):
        """Returns what instruments keep: the file reward of the protocol."""
        calls = []
        for k, call in enumerate(self.calls):
            result = self.results.get(k) or {"status": "left-out" if self.is_left_out(k) else "not-called", "seconds": 0}
            calls.append({"returned": "", "count": 0, "rewards": [], "types": [], "error": None, "network": False, "stand_in": False, **result})
        return {"failed": self.failed, "function": self.function, "calls": calls, **self.heard}


def start(keeper, rest):
    """Forks a worker; returns its process and the pipe on which it tells."""
    read, write = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    os.close(read)
    try:
        if GROUPS:
            os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        Worker(keeper, write).work(rest)
    finally:
        os._exit(0)


def end(pid, gone):
    """Ends a worker, if it is not gone, and what it started. Elsewhere than on Linux that ends with the run."""
    try:
        if GROUPS:
            os.killpg(pid, signal.SIGKILL)
        elif not gone:
            os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
    if not gone:
        os.waitpid(pid, 0)


def ended(pid):
    """Returns the status of a process that has ended, None before that."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return status if found else None


def awaited_end(pid):
    for _ in range(20):
        status = ended(pid)
        if status is not None:
            return status
        time.sleep(PATIENCE / 4)
    return None


def how(status):
    if status is None:
        return "it closed all files that were open"
    if os.WIFSIGNALED(status):
        return "signal %s" % signal.Signals(os.WTERMSIG(status)).name
    return "exit code %d" % os.WEXITSTATUS(status)


def memory_of(pid):
    """Returns the resident bytes of a process, 0 where the system does not tell."""
    try:
        with open("/proc/%d/statm" % pid) as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def failure(kind, message, error=None, **more):
    """Returns why nothing could be called."""
    where = place(error) if error is not None else {"file": "", "row": 0}
    return {
        "kind": kind, "type": type(error).__name__ if error is not None else "", "message": message[:1000], **where, "names": [], "module": "", **more,
    }


class Refused(Exception):
    """Nothing can be called; its argument says why, as failure does."""


class Worker:
    """Loads the function and makes calls, in a process of its own."""

    def __init__(self, keeper, pipe):
        self.settings, self.run, self.pipe = keeper.settings, keeper.run_of, pipe
        self.pid = os.getpid()
        # Completions that cost a process or raised alone: no batch gets them.
        alone = [(keeper.calls[k]["completions"], r["status"]) for k, r in keeper.results.items()]
        self.bad = {c[0] for c, status in alone if len(c) == 1 and status != "returned"}
        self.ears = Ears(self.run.root)

    def tell(self, **fields):
        if os.getpid() != self.pid:  # the function has forked, and comes back twice
            os._exit(0)
        line = json.dumps(plain({**fields, "heard": self.ears.news()}), ensure_ascii=True, default=repr, allow_nan=False).encode() + b"\n"
        while line:
            line = line[os.write(self.pipe, line) :]

    def work(self, rest):
        try:
            function, convention = self.function()
        except Refused as refused:
            self.tell(failed=refused.args[0])
            return
        for k in rest:
            self.tell(begin=k)
            call = self.settings["calls"][k]
            told = self.call(function, convention, call) if len(call["completions"]) == 1 else self.batch(function, convention, call)
            if told["status"] != "returned":
                self.bad.update(call["completions"] if len(call["completions"]) == 1 else ())
            self.tell(call=k, **told)

    # The function.

    def function(self):
        path, name = self.run.request["script"], self.settings["name"]
        sys.argv = [path]
        module, error = load(path, self.run.root)
        if error is not None and not (name and reachable(module, name)):
            raise Refused(self.not_imported(error))
        function = self.resolve(module, name)
        convention = self.convention(function)
        self.check_columns(function, convention)
        self.tell(loaded={
            "convention": convention, "parameters": [p.name for p in conventions.parameters_of(function)], "row": row_of(function),
            "keywords": any(p.kind is p.VAR_KEYWORD for p in conventions.parameters_of(function)), "name": shown(function, name),
            "broken_off": "" if error is None else "%s: %s" % (type(error).__name__, str(error)[:500]), "text": text_of(function),
        })
        return function, convention

    def not_imported(self, error):
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        return failure("import", str(error), error, module=missing or "")

    def resolve(self, module, name):
        candidates = candidates_of(module)
        if not name:
            if len(candidates) != 1:
                raise Refused(failure("unnamed", "", names=list(candidates)))
            return made(*candidates.popitem())
        try:
            found = vars(module)[name] if name in vars(module) else eval(name, vars(module))
        except Exception as error:
            if isinstance(error, (NameError, AttributeError, SyntaxError)):
                raise Refused(failure("name", str(error), names=list(candidates) or functions_of(module)))
            raise Refused(failure("name", "%s: %s" % (type(error).__name__, error), error))
        return made(name, found)

    def convention(self, function):
        wanted = self.settings["framework"]
        if not wanted:
            convention = conventions.of(function)
            if convention is None:
                names = [p.name for p in conventions.parameters_of(function)]
                raise Refused(failure("convention", ", ".join(names), names=names))
            return convention
        if wanted == conventions.VERL and "solution_strs" in {p.name for p in conventions.parameters_of(function)}:
            wanted = conventions.VERL_BATCHED
        lacking = conventions.unfit(wanted, function)
        if lacking is not None:
            raise Refused(failure("signature", ", ".join(p.name for p in conventions.parameters_of(function)), names=lacking))
        return wanted

    def check_columns(self, function, convention):
        """Says which column of the data the function needs and does not have."""
        if self.settings["fill"] or not self.settings["prompts"]:
            return
        has = set(self.settings["prompts"][0]["row"])
        if convention == conventions.TRL:
            lacking = [n for n in conventions.wanted_columns(function) if n not in has and n not in conventions.PASSED]
            if lacking:
                raise Refused(failure("column", lacking[0], names=sorted(has)))

    # Calls.

    def batch(self, function, convention, call):
        """Makes a call with several completions, without those that are bad, whose rewards are None then."""
        good = [i for i, c in enumerate(call["completions"]) if c not in self.bad]
        told = self.call(function, convention, {**call, **{of: [call[of][i] for i in good] for of in ("prompts", "completions")}})
        if told["status"] == "returned" and told["count"] == len(good):
            known = dict(zip(good, told["rewards"]))
            told["rewards"], told["count"] = [known.get(i) for i in range(len(call["completions"]))], len(call["completions"])
        return told

    def call(self, function, convention, call):
        """Makes one call, and returns what came of it."""
        given = [self.settings["prompts"][p] for p in call["prompts"]]
        prompts, completions = [g["prompt"] for g in given], [self.settings["texts"][c] for c in call["completions"]]
        if call["messages"]:
            prompts = [[{"role": "user", "content": p}] if isinstance(p, str) else p for p in prompts]
            if convention == conventions.TRL:
                completions = [[{"role": "assistant", "content": c}] for c in completions]
        rows = [Row(g, self.settings["fill"]) for g in given]
        before, began = scoring.Anything.calls, time.perf_counter()
        self.ears.tried = False
        try:
            out = []
            for args, keywords in conventions.calls(convention, function, prompts, completions, rows, State()):
                one = function(*args, **keywords)
                if inspect.isawaitable(one):
                    one = asyncio.run(awaited(one))
                out.append(one)
            took = time.perf_counter() - began
            told = returned(out[0] if convention in conventions.BATCHED else out, convention, len(completions))
        except BaseException as error:
            told = {"status": "raised", "error": {"type": type(error).__name__, "message": str(error)[:500], **place(error)}}
            took = time.perf_counter() - began
        stood = told.pop("stand_in", False) or told["status"] == "raised" and scoring.Anything.calls > before
        return {**told, "seconds": round(took, 6), "network": self.ears.tried, "stand_in": bool(stood)}


async def awaited(one):
    return await one


class Row(dict):
    """A row of the data. What is right has a name that all conventions know; a built-in row has every column."""

    def __init__(self, given, fill):
        super().__init__(given["row"])
        self.right, self.fill = given["right"], fill

    def __missing__(self, key):
        if key == "ground_truth" or self.fill:
            return self.right
        raise KeyError(key)


class State:
    """The state of a trainer, as far as functions read it."""

    global_step, max_steps, epoch, num_train_epochs, log_history = 0, 1000, 0.0, 1, ()


def returned(out, convention, asked):
    """Returns what a call returned: a number or None for each completion, and the types."""
    kind = type(out).__name__
    if convention == conventions.OPENRLHF and isinstance(out, dict):
        out = out.get("rewards", out)
    if convention not in conventions.BATCHED:
        kind = type(out[0]).__name__
    if hasattr(out, "tolist") and not isinstance(out, (str, bytes)):
        out = out.tolist()
    stand_in = isinstance(out, scoring.Anything)
    if stand_in or isinstance(out, (str, bytes, dict)) or not hasattr(out, "__iter__"):
        return {"status": "returned", "returned": kind, "count": -1, "rewards": [], "types": [], "stand_in": stand_in}
    values = list(out)
    rewards = [number(v, convention) for v in values]
    return {
        "status": "returned", "returned": kind, "count": len(values), "rewards": [r for r, _ in rewards][: 2 * asked + 10],
        "types": sorted({t for _, t in rewards}), "stand_in": any(isinstance(v, scoring.Anything) for v in values),
    }


def number(value, convention):
    """Returns a reward as a number, None where it is none, and the name of its type."""
    if isinstance(value, dict) and convention in (conventions.VERL, conventions.VERL_BATCHED):
        value = value.get("score")
    if value is None:
        return None, "None"
    if hasattr(value, "item") and not isinstance(value, numbers.Number):
        try:
            value = value.item()
        except (TypeError, ValueError, RuntimeError):
            return None, type(value).__name__
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return float(value), "bool"
    if isinstance(value, numbers.Real):
        return float(value) if abs(value) < 1e300 or value != value else math.copysign(math.inf, value), "int" if isinstance(value, numbers.Integral) else "float"
    return None, type(value).__name__


def place(error):
    """Returns the innermost place in a file of the program that an exception went through."""
    if isinstance(error, SyntaxError) and error.filename:
        return {"file": os.path.basename(error.filename), "row": error.lineno or 0}
    out, here, trace = {"file": "", "row": 0}, os.path.dirname(os.path.abspath(__file__)), error.__traceback__
    libraries = (os.path.dirname(os.__file__), sys.prefix)
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if os.path.isabs(name) and not name.startswith(here) and not name.startswith(libraries):
            out = {"file": os.path.basename(name), "row": trace.tb_lineno}
        trace = trace.tb_next
    return out


# The module.


def load(path, root):
    """Imports a file as a trainer would, in its package. Returns the module and what its import raised, None for nothing."""
    folder, names = os.path.dirname(path), [re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])]
    sys.path[0] = folder
    while os.path.isfile(os.path.join(folder, "__init__.py")) and folder.startswith(root):
        names.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    sys.path[1:1] = [p for p in (folder, root) if p != sys.path[0]]
    sys.meta_path.insert(0, scoring.Finder(NoTrainer(), names[0] if len(names) > 1 else ""))
    if len(names) > 1:
        bring_parents(names, folder)
    name = ".".join(names)
    if len(names) == 1 and (name in sys.modules or name in getattr(sys, "stdlib_module_names", ())):
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        return module, error
    return module, None


def bring_parents(names, folder):
    """Imports the packages around a module; where one cannot be, all are bare: folders without their __init__."""
    parents = [".".join(names[:i]) for i in range(1, len(names))]
    try:
        importlib.import_module(parents[-1])
    except BaseException:
        for name in parents:
            module = sys.modules[name] = types.ModuleType(name)
            module.__path__ = [os.path.join(folder, *name.split("."))]


class NoTrainer:
    """Is told of trainers that a script makes, and trains nothing."""

    def score(self, functions, rows):
        pass


def reachable(module, name):
    """Reports whether a module that was not executed to its end has what is asked for."""
    return name.partition(".")[0].partition("(")[0] in vars(module)


def candidates_of(module):
    """Returns what in a module can score answers, by name, in the order of the file."""
    out = {}
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        called = vars(value).get("__call__") if isinstance(value, type) else value
        if callable(called) and conventions.of(called):
            out[name] = value
    return out


def functions_of(module):
    return [n for n, v in vars(module).items() if isinstance(v, types.FunctionType) and v.__module__ == module.__name__ and not n.startswith("_")]


def made(name, found):
    """Returns what is called: of a class an object."""
    if isinstance(found, type):
        try:
            found = found()
        except Exception as error:
            raise Refused(failure("class", "%s: %s" % (type(error).__name__, error), error))
    if not callable(found):
        raise Refused(failure("not-callable", type(found).__name__))
    return found


def shown(function, name):
    return name or getattr(function, "__name__", "") or type(function).__name__


def inner(function):
    """Returns the function of Python that is executed, None where it is none of Python."""
    function = getattr(inspect.unwrap(function), "func", function)  # of a partial
    if not hasattr(function, "__code__"):
        function = getattr(function, "__func__", None) or getattr(type(function), "__call__", None)
    return function if hasattr(function, "__code__") else None


def row_of(function):
    return inner(function).__code__.co_firstlineno if inner(function) else 0


def text_of(function):
    """Returns the strings in the code of a function, and in what it calls of its module: words and forms that it may look for."""
    out, seen, waiting = [], set(), [inner(function)]
    while waiting and len(seen) < 100:
        f = waiting.pop(0)
        if f is None or f in seen:
            continue
        seen.add(f)
        codes = [f.__code__]
        while codes:
            code = codes.pop()
            out.extend(s for c in code.co_consts if c != f.__doc__ for s in strings_of(c))
            codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
            for value in (f.__globals__.get(name) for name in code.co_names):
                if isinstance(value, types.FunctionType) and value.__module__ == f.__module__:
                    waiting.append(value)
                out.extend(strings_of(value))
        for cell in f.__closure__ or ():
            if isinstance(cell.cell_contents, types.FunctionType):
                waiting.append(cell.cell_contents)
    return [s for s in dict.fromkeys(out) if 0 < len(s) <= 300][:200]


def strings_of(value):
    if isinstance(value, str):
        return [value]
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        return [value.pattern]
    if isinstance(value, (tuple, list, set, frozenset)):
        return [s for s in value if isinstance(s, str)]
    if isinstance(value, dict):
        return [s for s in value if isinstance(s, str)]
    return []


class Ears:
    """Hears of files that are written, hosts that are asked and programs that are started. tried says whether a host was
    asked since it was last set to False."""

    def __init__(self, root):
        self.root, self.tried, self.new = root, False, {}
        self.own = os.environ.get("TMPDIR", "/nowhere")
        sys.addaudithook(self.hear)

    def news(self):
        new, self.new = self.new, {}
        return {kind: list(names) for kind, names in new.items()}

    def hear(self, event, args):
        try:
            if event == "socket.connect" and isinstance(args[1], tuple):
                self.note("network", "%s:%s" % args[1][:2])
            elif event == "socket.getaddrinfo" and args[0]:
                self.note("network", "%s:%s" % args[:2] if args[1] else str(args[0]))
            elif event == "open" and isinstance(args[0], str) and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                self.write(os.path.realpath(args[0]))
            elif event == "subprocess.Popen":
                self.note("processes", os.path.basename(str(args[0])))
            elif event == "os.system":
                self.note("processes", str(args[0])[:100])
        except Exception:  # what is told is no reason to disturb the function
            pass

    def write(self, path):
        device = path.startswith("/dev/") and not path.startswith("/dev/shm/")  # files in memory are files
        if not device and not path.startswith((self.own, "/proc/")):
            self.note("files", os.path.relpath(path, self.root) if path.startswith(self.root + os.sep) else path)

    def note(self, kind, name):
        self.tried = self.tried or kind == "network"
        known = self.new.setdefault(kind, {})
        if len(known) < MOST_HEARD:
            known[name] = True
