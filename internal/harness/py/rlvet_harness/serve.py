"""Forks programs from a Python that has imported torch: rlvet runs this text by ``python -c``.

To import torch takes a second or more, and a command runs a program many times. So one
process imports torch and numpy, nothing else, and each run is forked from it. The child
makes itself what a fresh ``python -m rlvet_harness REQUEST`` would be: its group, folder,
environment, descriptors, arguments and path, with a network of its own where the run is
to have none. Then it does what that command does.

What is imported is hidden in the child until the program imports it, so that libraries
are patched when they would be, and a program without torch is one. Modules of the
standard library that torch imports stay imported.

The server refuses to serve where a fork would not be the same as a fresh process: where
the import printed something, failed, started a thread, or touched the state that
programs see. It refuses a run whose folder holds a module of a name that is imported
already. rlvet then starts a fresh process.

The harness is compiled once, from the archive that is the second argument and that may go when
the server is ready: each run has a copy, which it imports as it would anew.

Messages, of JSON, go over the socket whose path is the first argument. A request is the path
of a file, with a descriptor for what the program prints.
"""

import sys

sys.path[:] = [p for p in sys.path if p]  # no program is in the folder where a server starts

import ctypes
import gc
import importlib.util
import json
import os
import random
import resource  # which the harness asks for the memory of each run
import runpy
import select
import signal
import socket
import types
import warnings
import zipfile
from importlib.machinery import ModuleSpec, SourceFileLoader

HARNESS = "rlvet_harness"
MARK, ROOM = "RLVET_RUN", 64  # the mark of a run in the environment, and the bytes kept for it
CAPABILITIES = 0x20080522  # version 3 of their calls
NEW_USER, NEW_NETWORK, NET_ADMIN = 0x10000000, 0x40000000, 12
SET_DEATH_SIGNAL, SET_DUMPABLE, AMBIENT, RAISE = 1, 4, 47, 2


class Preloaded:
    """The modules that the server imported: hidden until the program imports them. Those of
    the harness are compiled, and found in the archive of the run."""

    def __init__(self, python):
        self.harness, self.python = compiled(python), None
        before, environment = set(sys.modules), dict(os.environ)
        self.lists = [(into, into[:]) for into in (warnings.filters, sys.meta_path)]
        self.brought = {}  # by what was imported, the packages that came with it
        places = set()
        for name in ("torch", "numpy"):
            if name in sys.modules or importlib.util.find_spec(name) is not None:
                known = set(sys.modules)
                module = importlib.import_module(name)
                self.brought[name] = list(dict.fromkeys(_package(n) for n in sys.modules if n not in known))
                places.add(os.path.dirname(os.path.dirname(module.__file__)))
        new = {n: m for n, m in sys.modules.items() if n not in before}
        libraries = {n for n in set(map(_package, new)) if _place(new.get(n)) in places}
        self.packages = {}
        for name, module in new.items():
            if _package(name) in libraries:
                self.packages.setdefault(_package(name), {})[name] = module
        self.added = [[x for x in into if not any(x is y for y in was)] for into, was in self.lists]
        self.environment = {k: v for k, v in os.environ.items() if environment.get(k) != v}

    def hide(self, python):
        """Hides the libraries in a program whose archive of the harness is python."""
        self.python = python
        for package in self.packages.values():
            for name in package:
                del sys.modules[name]
        for into, was in self.lists:
            into[:] = was
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name in self.harness:
            return self.find_harness(name)
        package = self.packages.get(name)
        if package is None:
            return None
        own = package[name].__spec__
        spec = ModuleSpec(name, Shown(self, own), origin=own.origin, is_package=own.submodule_search_locations is not None)
        spec.submodule_search_locations, spec.has_location, spec.cached = own.submodule_search_locations, own.has_location, own.cached
        return spec

    def find_harness(self, name):
        file, code = self.harness[name]
        path = os.path.join(self.python, file)
        inside = [os.path.dirname(path)] if os.path.basename(path) == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, path, loader=Compiled(name, path, code), submodule_search_locations=inside)

    def show(self, name):
        """Lets the program have a package, and all that its import brings."""
        package = self.packages.pop(name)
        for other in self.brought.get(name, ()):
            if other in self.packages:
                importlib.import_module(other)
        if name in self.brought and self.added:
            (filters, finders), self.added = self.added, []
            warnings.filters[:0] = filters
            sys.meta_path.extend(finders)
            os.environ.update(self.environment)
        sys.modules.update(package)
        if not self.packages and self in sys.meta_path:
            sys.meta_path.remove(self)


class Compiled(SourceFileLoader):
    """Loads a module of the harness of which the code is known."""

    def __init__(self, name, path, code):
        super().__init__(name, path)
        self.code = code

    def get_code(self, name):
        return found_in(self.code, self.path)


def compiled(archive):
    """Returns the file, by its path in the archive, and the code of each module of the harness."""
    out = {}
    with zipfile.ZipFile(archive) as files:
        for file in files.namelist():
            name = file[: -len(".py")].replace("/", ".")
            if _package(name) == HARNESS:
                out[name.replace(".__init__", "")] = file, compile(files.read(file), file, "exec", dont_inherit=True)
    return out


def found_in(code, path):
    """Returns code as if it had been compiled from the file path."""
    inner = tuple(found_in(c, path) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=path, co_consts=inner)


class Shown:
    """Loads a package by showing it."""

    def __init__(self, preloaded, own):
        self.preloaded, self.own = preloaded, own

    def create_module(self, spec):
        return self.preloaded.packages[spec.name][spec.name]

    def exec_module(self, module):
        module.__spec__ = self.own
        self.preloaded.show(module.__name__)


def _package(name):
    return name.partition(".")[0]


def _place(module):
    """Returns the folder in which a package, or a module, is installed."""
    file = getattr(module, "__file__", None)
    if not file:
        return None
    folder, name = os.path.split(file)
    return os.path.dirname(folder) if name.startswith("__init__.") else folder


def state():
    """Returns what an import must not change: a fresh program would see when it did."""
    handlers = [signal.getsignal(s) for s in sorted(signal.valid_signals())]
    return random.getstate(), os.getcwd(), sys.path[:], handlers, sorted(os.listdir("/proc/self/fd"))


def preload():
    """Returns what was imported, and why no program can be forked from here, if so."""
    before = state()
    preloaded = Preloaded(sys.argv[2])
    os.close(os.pidfd_open(os.getpid()))
    torch = sys.modules.get("torch")
    if state() != before:
        return preloaded, "importing torch changes the state of the program"
    if len(os.listdir("/proc/self/task")) > 1:
        return preloaded, "importing torch starts threads"
    if torch is not None and torch.cuda.is_initialized():
        return preloaded, "importing torch initialises CUDA"
    return preloaded, ""


def gather():
    """Puts memory on large pages, where Linux does so when asked, as from 6.1 on: a fork copies what says
    where the pages lie, and that of the few in half the time. What refuses stays as it is."""
    collapse = 25
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    with open("/proc/self/maps") as file:
        maps = [line.split() for line in file]
    for place, rights, _, _, number, *name in maps:
        if rights == "rw-p" and number == "0" and name in ([], ["[heap]"]):
            start, end = (int(n, 16) for n in place.split("-"))
            advise(start, end - start, collapse)


def tell(control, event, **fields):
    """Tells rlvet something. Where rlvet has ended, or needs the server no more, the process
    ends, and with a server the programs that it forked: they asked for its death signal."""
    try:
        control.send(json.dumps({"event": event, **fields}).encode())
    except OSError:
        os._exit(1)


def shadowed(folder, imported):
    """Returns a module of the folder whose name is imported already, if there is one."""
    for entry in os.listdir(folder):
        name, _, suffix = entry.partition(".")
        if name in imported and (suffix or os.path.exists(os.path.join(folder, name, "__init__.py"))):
            return name
    return None


def serve(control):
    """Forks a program for each request, and returns in the program with its request.

    What is the same for all is found out before the first: after a fork, each page of memory
    that either side touches is copied.
    """
    imported = {_package(name) for name in sys.modules} - {"__main__"} - set(sys.builtin_module_names) | {HARNESS}
    mark = address_of_mark()
    running, server = {}, os.getpid()
    poll = select.poll()
    poll.register(control, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready != control.fileno():
                poll.unregister(ready)
                number, pid = running.pop(ready)
                os.close(ready)
                tell(control, "ended", id=number, status=os.waitpid(pid, 0)[1])
                continue
            path, files, _, _ = socket.recv_fds(control, 65536, 1)
            if not path:  # rlvet has ended, or needs no server any more
                for _, pid in running.values():
                    os.killpg(pid, signal.SIGKILL)
                os._exit(0)
            with open(path, encoding="utf-8") as file:
                request = json.load(file)
            name = shadowed(request["folder"], imported)
            if name:
                tell(control, "refused", id=request["id"], reason="the folder of the program holds a module %s" % name)
                os.close(files[0])
                continue
            pid = os.fork()
            if pid == 0:
                try:
                    become(request, files[0], running, server, mark)
                    tell(control, "started", id=request["id"], pid=os.getpid())
                    control.close()
                    return request
                except BaseException as error:
                    tell(control, "refused", id=request["id"], reason="%s: %s" % (type(error).__name__, error))
                    os._exit(1)
            os.close(files[0])
            descriptor = os.pidfd_open(pid)
            running[descriptor] = request["id"], pid
            poll.register(descriptor, select.POLLIN)


def become(request, printed, others, server, mark):
    """Makes a child of the server what a fresh process would be."""
    os.setpgid(0, 0)
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    for descriptor in (printed, *others):
        os.close(descriptor)
    os.chdir(request["folder"])
    ctypes.memmove(mark, request["environment"][MARK].encode().ljust(ROOM, b"\0"), ROOM)
    set_environment(request["environment"])
    libc = ctypes.CDLL(None, use_errno=True)
    if request["separate"]:
        separate(libc)
    checked(libc.prctl(SET_DUMPABLE, 1, 0, 0, 0))  # new credentials take that away, as exec gives it
    checked(libc.prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0))
    if os.getppid() != server:
        raise OSError("the server has ended")
    forget_the_server(request)


def checked(result):
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def set_environment(wanted):
    for name in set(os.environ) - set(wanted):
        del os.environ[name]
    for name, value in wanted.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def address_of_mark():
    """Returns where the kernel reads the mark of a run: in a process's environment as it was
    started, of which a variable that is set changes a copy. It is the same in all forks."""
    with open("/proc/self/stat") as file:
        start = int(file.read().rpartition(")")[2].split()[47])
    with open("/proc/self/environ", "rb") as file:
        return start + (b"\0" + file.read()).index(b"\0" + MARK.encode() + b"=") + len(MARK) + 1


def separate(libc):
    """Gives the process a user and a network namespace of its own. Who is not root has the
    right to bring the loopback up there, as have the processes that it starts, and no other."""
    user, group = os.getuid(), os.getgid()
    checked(libc.unshare(NEW_USER | NEW_NETWORK))
    for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (user, user)), ("gid_map", "%d %d 1" % (group, group))):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    header, rights = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()
    checked(libc.capget(header, rights))
    for i in range(6):  # effective, permitted and inheritable ones, 32 each, and again the next 32
        if user or i % 3 == 2:
            rights[i] = 1 << NET_ADMIN if i < 3 else 0
    checked(libc.capset(header, rights))
    checked(libc.prctl(AMBIENT, RAISE, NET_ADMIN, 0, 0))


def forget_the_server(request):
    """Undoes what modules and Python noted of the process in which they were imported."""
    if "tempfile" in sys.modules:
        sys.modules["tempfile"].tempdir = None
    if "multiprocessing.process" in sys.modules:
        sys.modules["multiprocessing.process"].ORIGINAL_DIR = os.getcwd()
    preloaded.hide(request["python"])
    sys.path.insert(0, request["python"])
    if "sitecustomize" not in sys.modules:
        importlib.import_module("sitecustomize")
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.getcwd())
    sys.argv = ["-m", request["request"]]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.orig_argv[0], "-m", "rlvet_harness", request["request"]]
    main = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    sys.modules["__main__"] = main


control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
control.connect(sys.argv[1])
try:
    preloaded, refusal = preload()
except BaseException as error:
    refusal = "%s: %s" % (type(error).__name__, error)
if refusal:
    tell(control, "refused", id=0, reason=refusal)
    os._exit(1)
gc.collect()
gc.freeze()  # so that no collection of a program goes through, and copies, what is shared
gather()
tell(control, "ready", id=0)
serve(control)
runpy._run_module_as_main("rlvet_harness")
