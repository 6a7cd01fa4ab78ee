"""`python -m rlvet`: the program that belongs to this Python."""

import os
import sys

from ._find_rlvet import environment, find_rlvet_bin


def main() -> int:
    # `rlvet confirm` and `hunt` run scripts with the Python of the active environment; here that is this one.
    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)
    try:
        program = find_rlvet_bin()
    except FileNotFoundError as err:
        return fail(str(err))
    try:
        command = [program, *sys.argv[1:]]
        if sys.platform != "win32":
            os.execve(program, command, environment())
        import subprocess  # on Windows exec returns to the shell before the program ends

        return subprocess.run(command, env=environment()).returncode
    except KeyboardInterrupt:  # the program got it, too, and has said what it has to say
        return 2
    except OSError as err:
        return fail(f"{program} cannot be run: {err.strerror}")


def fail(why: str) -> int:
    print(f"error: {why}; run `pip install --force-reinstall rlvet`", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
