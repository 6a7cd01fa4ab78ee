"""Prints all that a program can see of the process in which it runs."""

import sys


def modules():
    """Returns the modules that are imported, but for those that are Python's own."""
    own = set(getattr(sys, "stdlib_module_names", ())) | {"__main__", "__mp_main__", "cython_runtime"}
    return sorted(n for n in sys.modules if n.partition(".")[0] not in own and not n.startswith("_cython"))


modules_at_first = modules()
descriptors = sorted(__import__("os").listdir("/proc/self/fd"))

import json
import os
import random
import resource
import signal
import time
import warnings


def status_of_the_process():
    with open("/proc/self/status") as file:
        return dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)


def about_the_process():
    status = status_of_the_process()
    for _ in range(20):  # the kernel counts a thread for a moment after it has ended
        if status.get("Threads") == "1":
            break
        time.sleep(0.01)
        status = status_of_the_process()
    kept = ("Umask", "Uid", "Gid", "Groups", "Threads", "SigBlk", "SigIgn", "SigCgt", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    return {
        "status": {k: status.get(k) for k in kept},
        "group": os.getpgid(0) == os.getpid(),
        "session": os.getsid(0) == os.getsid(os.getppid()),
        "limits": [resource.getrlimit(getattr(resource, n)) for n in sorted(dir(resource)) if n.startswith("RLIMIT_")],
        "descriptors": descriptors,
        "standard": [os.readlink("/proc/self/fd/%d" % d).partition(":")[0] for d in range(3)],
        "interfaces": sorted(os.listdir("/sys/class/net")) if os.environ.get("RLVET_LOOPBACK") != "1" else networks(),
        "nice": os.nice(0),
    }


def networks():
    with open("/proc/self/net/dev") as file:
        return sorted(line.split(":")[0].strip() for line in file.read().splitlines()[2:])


def about_python():
    main = sys.modules["__main__"]
    return {
        "argv": sys.argv, "command": getattr(sys, "orig_argv", None), "path": sys.path, "flags": repr(sys.flags), "executable": sys.executable,
        "main": {k: repr(v) for k, v in sorted(vars(main).items()) if k.startswith("__") and k != "__builtins__"},
        "finders": [getattr(f, "__name__", type(f).__name__) for f in sys.meta_path if type(f).__name__ != "Preloaded"],
        "streams": [[type(s.buffer).__name__, s.encoding, s.errors, s.isatty(), s.line_buffering, s.write_through, s.seekable(), s.fileno(), s.mode] for s in (sys.stdin, sys.stdout, sys.stderr)],
        "handlers": {int(s): repr(signal.getsignal(s)).partition(" at 0x")[0] for s in signal.valid_signals()},
        "limit": sys.getrecursionlimit(), "switch": sys.getswitchinterval(), "hash": hash("rlvet"),
        "filters": [repr(f) for f in warnings.filters], "trace": [sys.gettrace(), sys.getprofile()],
        "temporary": __import__("tempfile").gettempdir(),
        "order": list({"one", "two", "three", "four"}),
    }


def drawn():
    out = {"random": [random.random() for _ in range(4)]}
    for name in ("numpy", "torch"):
        if name in sys.modules:
            library = sys.modules[name]
            out[name] = (library.random.rand(4) if name == "numpy" else library.rand(4)).tolist()
    return out


def work(queue):
    queue.put({"folder": os.getcwd(), "path": sys.path, "drawn": drawn(), "environment": about_environment()})


def about_environment():
    return {k: v for k, v in sorted(os.environ.items()) if k not in ("RLVET_CHILD", "RLVET_REQUEST")}


def children():
    """Returns what processes see that the program starts."""
    import multiprocessing
    import subprocess

    ask = "import json, os, sys; fds = sorted(os.listdir('/proc/self/fd')); print(json.dumps([sys.path, sorted((k, v) for k, v in os.environ.items() if k != 'RLVET_CHILD'), fds, hash('x'), os.getpgrp() == os.getppid()]))"
    out = {"subprocess": json.loads(subprocess.run([sys.executable, "-c", ask], stdout=subprocess.PIPE, check=True).stdout)}
    out["methods"] = [multiprocessing.get_start_method(True), multiprocessing.get_all_start_methods()]
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        child = context.Process(target=work, args=(queue,))
        child.start()
        out[method] = queue.get()
        child.join()
    return out


def main():
    out = {"process": about_the_process(), "python": about_python(), "environment": about_environment(), "folder": os.getcwd(), "before": drawn(), "modules": modules_at_first}
    libraries = [a for a in sys.argv[1:] if not a.startswith("-")]
    for name in libraries:
        __import__(name)
        out[name] = modules()
        out["drawn with " + name] = drawn()
    out["after"] = {"process": about_the_process(), "python": about_python(), "modules": modules(), "__mp_main__": sys.modules.get("__mp_main__", sys.modules["__main__"]) is sys.modules["__main__"]}
    if "torch" in libraries:
        torch = sys.modules["torch"]
        out["torch is"] = [torch.get_num_threads(), torch.initial_seed(), torch.are_deterministic_algorithms_enabled(), torch.__spec__.name, type(torch.__spec__.loader).__name__, torch.__spec__.origin, torch.__spec__.cached, torch.__file__, type(torch.__loader__).__name__]
        layer = torch.nn.Linear(64, 64)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        for step in range(8):
            loss = layer(torch.randn(256, 64)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            x = «float(loss)»
        out["threads"] = len(os.listdir("/proc/self/task"))
    out["children"] = children()
    print(json.dumps(out, indent=1, default=repr).replace(os.environ["RLVET_RUN"], "RUN"))


if __name__ == "__main__":
    main()
    sys.exit(int(os.environ.get("ENDS_WITH", "0")))
