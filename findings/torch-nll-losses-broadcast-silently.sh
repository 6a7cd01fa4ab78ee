#!/usr/bin/env bash
# torch 1.13.1: F.mse_loss warns when a column (N, 1) meets a vector (N,) and the loss becomes an N x N table. F.gaussian_nll_loss, F.poisson_nll_loss
# and F.kl_div make the same table without a warning, so a critic with a learned variance is fitted to the targets of all other rows.
# Seen: 5 x 5 elements from all four, one warning from mse_loss, none from the others.
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
import torch.nn.functional as F

column, vector = torch.rand(5, 1), torch.rand(5)
losses = {
    "mse_loss": lambda: F.mse_loss(column, vector, reduction="none"),
    "gaussian_nll_loss": lambda: F.gaussian_nll_loss(column, vector, torch.ones(5, 1), reduction="none"),
    "poisson_nll_loss": lambda: F.poisson_nll_loss(column, vector, reduction="none"),
    "kl_div": lambda: F.kl_div(column, vector, reduction="none"),
}
seen = {}
for name, loss in losses.items():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        seen[name] = (tuple(loss().shape), len(said))
print(torch.__version__, seen)
assert seen == {"mse_loss": ((5, 5), 1), "gaussian_nll_loss": ((5, 5), 0), "poisson_nll_loss": ((5, 5), 0), "kl_div": ((5, 5), 0)}
PYTHON
