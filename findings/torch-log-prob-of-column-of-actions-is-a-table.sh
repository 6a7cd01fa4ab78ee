#!/usr/bin/env bash
# torch 1.13.1: Categorical and Normal with a batch of N take a column (N, 1) of actions, as a replay buffer keeps them, and return the log-density of
# every action under every state, N x N. Argument validation is on and passes; nothing warns.
# Seen: (4, 4) from both; the diagonal is what was meant.
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
import warnings

import torch
from torch.distributions import Categorical, Normal

warnings.simplefilter("error")
torch.manual_seed(0)
choice, gauss = Categorical(logits=torch.randn(4, 3), validate_args=True), Normal(torch.randn(4), torch.ones(4), validate_args=True)
actions, moves = torch.tensor([0, 1, 2, 1]), torch.randn(4)
tables = choice.log_prob(actions[:, None]), gauss.log_prob(moves[:, None])
print(torch.__version__, [tuple(t.shape) for t in tables])
assert all(t.shape == (4, 4) for t in tables)
assert torch.allclose(tables[0].diagonal(), choice.log_prob(actions)) and torch.allclose(tables[1].diagonal(), gauss.log_prob(moves))
PYTHON
