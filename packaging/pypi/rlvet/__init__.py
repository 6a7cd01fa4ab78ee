"""rlvet as a Python package: the program, how to find it, and its magic in notebooks."""

from ._find_rlvet import find_rlvet_bin

__all__ = ["find_rlvet_bin"]


def load_ipython_extension(shell):
    """Give IPython the magic `%%rlvet`: `%load_ext rlvet` calls this."""
    from ._magic import check_and_run

    shell.register_magic_function(lambda line, cell: check_and_run(shell, line, cell), "cell", "rlvet")
