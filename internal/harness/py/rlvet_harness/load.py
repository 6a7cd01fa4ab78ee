"""Imports the program's modules with probes in them, and runs its main module."""

import ast
import importlib.machinery
import importlib.util
import os
import runpy
import sys
import tokenize
import types

from .rewrite import rewrite


class RewrittenProgram:
    """The files of the program that have targets, or that an instrument rewrites."""

    def __init__(self, run):
        self.run = run
        self.by_file = {}
        for target in run.request["targets"]:
            probe = run.watches[target["id"]].probe
            target["deep"], target["rounds"] = probe.deep, probe.rounds
            self.by_file.setdefault(os.path.realpath(target["file"]), []).append(target)
        for path in run.instruments.files():
            self.by_file.setdefault(os.path.realpath(path), [])

    def compile(self, path):
        """Returns the code of a file, with probes where it has targets."""
        source = read(path)
        targets = self.by_file.get(os.path.realpath(path))
        if targets is None:
            return compile(source, path, "exec", dont_inherit=True)
        tree, placed, refused = rewrite(source, path, targets)
        self.run.instruments.tell("rewrite", tree, path)
        ast.fix_missing_locations(tree)
        for number, parts in placed.items():
            self.run.watches[number].install(parts)
            self.run.events.send("target", id=number, status="placed")
        for number, why in refused.items():
            self.run.events.send("target", id=number, status="refused", reason=why)
        return compile(tree, path, "exec", dont_inherit=True)

    def install(self):
        sys.meta_path.insert(0, Finder(self))
        self._compile_for_runpy()

    def _compile_for_runpy(self):
        """Gives runpy our code of the files that it runs by their path: multiprocessing
        reads the main file anew that way. Before 3.12 it yields the path, too."""
        own = runpy._get_code_from_file

        def _get_code_from_file(*args):
            code = own(*args)
            if os.path.realpath(args[-1]) not in self.by_file:
                return code
            return (self.compile(args[-1]), args[-1]) if isinstance(code, tuple) else self.compile(args[-1])

        runpy._get_code_from_file = _get_code_from_file

    def run_main(self):
        """Executes the main module as python would, or what an instrument runs in its place."""
        request = self.run.request
        for instrument in self.run.instruments.all:
            if instrument.main is not None:
                return instrument.main(self)
        if request.get("module"):
            return self._run_module(request["module"])
        self.run_script([request["script"]] + request["argv"])

    def run_script(self, argv):
        """Executes a script with its arguments behind it."""
        path = argv[0]
        sys.path[0] = os.path.dirname(os.path.abspath(path))
        sys.argv = argv
        self._execute(self.compile(path), path, None, None)

    def _run_module(self, name):
        sys.path[0] = os.getcwd()
        sys.argv = [name] + self.run.request["argv"]
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
        if spec is None or not spec.origin:
            raise ImportError("there is no module %s" % name)
        sys.argv[0] = spec.origin
        self._execute(self.compile(spec.origin), spec.origin, spec, name.rpartition(".")[0])

    def _execute(self, code, path, spec, package):
        main = types.ModuleType("__main__")
        main.__file__, main.__spec__, main.__package__ = path, spec, package
        main.__builtins__ = __builtins__
        sys.modules["__main__"] = main
        if "__mp_main__" in sys.modules:  # multiprocessing was imported first, and took what was main then
            sys.modules["__mp_main__"] = main
        try:
            exec(code, main.__dict__)
        finally:
            if self.run.scoring is not None:
                self.run.scoring.finish(main)


def read(path):
    """Returns the text of a file with its own line ends, as it was checked."""
    with open(path, "rb") as file:
        raw = file.read()
    lines = iter(raw.splitlines(True))
    encoding, _ = tokenize.detect_encoding(lambda: next(lines, b""))
    return raw.decode(encoding)


class Finder:
    """Finds the program's own modules that are rewritten."""

    def __init__(self, program):
        self.program = program

    def find_spec(self, name, path=None, target=None):
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                break
        else:
            return None
        if spec.origin and os.path.realpath(spec.origin) in self.program.by_file:
            spec.loader = Loader(self.program, name, spec.origin)
        return spec


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from its rewritten source; nothing of it is cached."""

    def __init__(self, program, name, path):
        super().__init__(name, path)
        self.program = program

    def get_code(self, fullname):
        return self.program.compile(self.get_filename(fullname))
