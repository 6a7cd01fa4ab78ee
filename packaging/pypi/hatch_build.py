"""Puts the program into wheels, built with Go, and its source into sdists.

A wheel is built for GOOS and GOARCH by CC, as Go is told in general. RLVET_STATIC=1 links
the program statically, so that the wheel fits every Linux; CC is then best musl-gcc.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "source" if (HERE / "source").exists() else HERE.parent.parent  # in an sdist, in the repository
NOTICES = ("LICENSE", "THIRD_PARTY_LICENSES")
NEEDS = "rlvet has no wheel for this platform or Python; to build it takes Go 1.26 (https://go.dev/dl) and a C compiler"


def released():
    """Return the version where this source is that of a release: an sdist says so itself, a repository by its tag."""
    info = HERE / "PKG-INFO"
    if info.exists():
        told = re.search("^Version: (.+)$", info.read_text("utf-8"), re.MULTILINE).group(1)
        return None if ".dev" in told else told
    if shutil.which("git") is None:
        return None
    tag = ["git", "-C", str(SOURCE), "describe", "--exact-match", "--tags", "--match", "v[0-9]*"]
    told = re.fullmatch(r"v(\d+\.\d+\.\d+)\n", subprocess.run(tag, capture_output=True, text=True).stdout)
    return told and told.group(1)


def version():
    """Return the version of the package, which is that of the program."""
    told = (SOURCE / "internal/cli/version.go").read_text("utf-8")
    return released() or re.search('unreleased = "(.+)"', told).group(1)


def platform(goos, goarch):
    """Return the tag of the platforms that a program runs on."""
    if goos == "windows":
        return {"amd64": "win_amd64", "386": "win32"}.get(goarch, f"win_{goarch}")
    if goos == "darwin":  # the oldest that Go 1.26 supports
        return "macosx_12_0_" + {"amd64": "x86_64"}.get(goarch, goarch)
    machine = {"amd64": "x86_64", "arm64": "aarch64", "386": "i686"}.get(goarch, goarch)
    if os.environ.get("RLVET_STATIC"):
        return f"manylinux2014_{machine}.manylinux_2_17_{machine}.musllinux_1_1_{machine}"
    return f"{goos}_{machine}"


def source():
    """Return what the program is built from: files here, and where they are in an sdist."""
    files = [SOURCE / name for name in ("go.mod", "go.sum", *NOTICES)]
    for folder in ("cmd", "internal", "rules", "analyzers"):
        files += (f for f in sorted((SOURCE / folder).rglob("*")) if f.is_file() and f.suffix != ".pyc")
    names = {f: f.relative_to(SOURCE) for f in files}
    return {
        str(f): f"source/{name.as_posix()}"
        for f, name in names.items()
        if not name.name.endswith("_test.go") and not {"testdata", "tools"} & set(name.parts)
    }


class ProgramHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version, build_data):
        files = build_data["force_include"]
        if self.target_name == "sdist":
            files.update(source())
            return
        name = f"rlvet-{self.metadata.version}"
        env = json.loads(self.go("env", "-json", "GOOS", "GOARCH", "CC"))
        if shutil.which(shlex.split(env["CC"])[0]) is None:
            self.app.abort(f"error: {NEEDS}: there is no {env['CC']}")
        program = "rlvet.exe" if env["GOOS"] == "windows" else "rlvet"
        self.built = tempfile.mkdtemp()
        self.go("build", "-trimpath", *self.flags(), "-o", os.path.join(self.built, program), "./cmd/rlvet")
        files[os.path.join(self.built, program)] = f"{name}.data/scripts/{program}"
        files.update({str(SOURCE / notice): f"{name}.dist-info/licenses/{notice}" for notice in NOTICES})
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform(env["GOOS"], env["GOARCH"])

    def finalize(self, version, build_data, artifact_path):
        os.chmod(artifact_path, 0o644)  # some versions of hatchling leave it to its owner alone, as a temporary file
        if self.target_name == "wheel":
            shutil.rmtree(self.built)

    def go(self, *args):
        """Run Go on the source, and return what it prints."""
        env = {"MACOSX_DEPLOYMENT_TARGET": "12.0", **os.environ, "CGO_ENABLED": "1"}
        if shutil.which("go") is None:
            self.app.abort(f"error: {NEEDS}: there is no go")
        run = subprocess.run(["go", *args], cwd=SOURCE, env=env, stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            self.app.abort(f"error: {NEEDS}: go {args[0]} failed")
        return run.stdout

    def flags(self):
        """Return how the program is linked, and as which version."""
        link = "-s -w"
        if released():
            link += f" -X github.com/rlvet/rlvet/internal/cli.release={released()}"
        if os.environ.get("RLVET_STATIC"):  # without the resolver of the C library, which loads libraries
            return ["-tags", "netgo,osusergo", "-ldflags", link + " -linkmode external -extldflags -static"]
        return ["-ldflags", link]
