#!/usr/bin/env bash
# torch 1.13.1: copy.copy of a module makes one object more around the same submodules and the same tables of parameters. What is then done to
# the copy, as to a reference that is to stand still, is done to the layers of the original, and the original says nothing of it: its own flag
# `training` stays True while its dropout is off, and its parameters ask for no gradient any more. A name that is set on the copy is not shared.
# Seen: after copy.eval() the original's output is the same each time, with training True; after copy.requires_grad_(False) backward of the
# original's loss raises; a layer added to the copy is a layer of the original, too; a number set on the copy is not.
#
# Runs Debian bookworm's python3-torch 1.13.1: the one that is installed, else its packages, unpacked into a temporary root (as root, 350 MB).
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python=(/usr/bin/python3)
if ! "${python[@]}" -c 'import torch; assert torch.__version__.startswith("1.13")' 2>/dev/null; then
	mkdir "$tmp/debs" "$tmp/debian"
	apt-get update -qq
	apt-cache depends --recurse --no-{recommends,suggests,conflicts,breaks,replaces,enhances} python3-torch | grep -v '[<: ]' | grep -vx python3-torch | sort -u >"$tmp/names"
	(cd "$tmp/debs" && xargs apt-get -qq -o APT::Sandbox::User=root download python3-torch=1.13.1+dfsg-4 <"$tmp/names")
	for deb in "$tmp"/debs/*.deb; do dpkg-deb -x "$deb" "$tmp/debian"; done
	mkdir -p "$tmp/debian/dev" && mknod -m 666 "$tmp/debian/dev/urandom" c 1 9
	lib=/usr/lib/x86_64-linux-gnu
	export LD_LIBRARY_PATH=$lib/blas:$lib/lapack
	python=(chroot "$tmp/debian" /usr/bin/python3)
fi
"${python[@]}" - <<'PYTHON'
import copy

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 2))
state = torch.ones(1, 4)
assert not torch.equal(policy(state), policy(state))

reference = copy.copy(policy)
reference.eval()
alike = torch.equal(policy(state), policy(state))
reference.requires_grad_(False)
try:
    policy(state).sum().backward()
    raised = False
except RuntimeError as e:
    raised = "does not require grad" in str(e)
reference.add_module("head", nn.Linear(2, 1))
reference.beta = 0.1

seen = {"training": policy.training, "same output twice": alike, "backward raises": raised, "layers": len(policy), "beta": hasattr(policy, "beta")}
print(torch.__version__, seen)
assert seen == {"training": True, "same output twice": True, "backward raises": True, "layers": 4, "beta": False}
PYTHON
