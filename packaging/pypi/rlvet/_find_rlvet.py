import os
from importlib import metadata


def find_rlvet_bin() -> str:
    """Return the path of the program that was installed with this package."""
    for path in _candidates():
        if os.path.isfile(path):
            return os.path.realpath(path)
    raise FileNotFoundError("the program is missing from the package rlvet")


def environment() -> dict:
    """Return the environment for the program. It hears which version this package is of, and stops where it is another's."""
    try:
        return {**os.environ, "RLVET_PACKAGE_VERSION": metadata.version("rlvet") or ""}
    except metadata.PackageNotFoundError:
        return dict(os.environ)


def _candidates():
    program = "rlvet.exe" if os.name == "nt" else "rlvet"
    # Installers write down where they put things, whatever the scheme: an environment, --user, --prefix.
    try:
        for file in metadata.files("rlvet") or ():
            if file.name == program:
                yield str(file.locate())
    except metadata.PackageNotFoundError:
        pass
    # What pip writes down is wrong with --target, which has the program beside the packages.
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin", program)
