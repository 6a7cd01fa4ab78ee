#!/usr/bin/env bash
# torch 1.13.1: an optimizer that is given a generator expression takes all parameters out of it. clip_grad_norm_ with the same name then finds an empty
# list: it returns 0, clips nothing, and says nothing.
# Seen: a returned norm of 0.0 while the gradients have a norm of 3,000,000 before and after.
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
import torch
from torch.nn.utils import clip_grad_norm_

net = torch.nn.Linear(3, 3)
trained = (p for p in net.parameters() if p.requires_grad)
torch.optim.Adam(trained, lr=1e-3)
(net(torch.ones(3)).sum() * 1e6).backward()
before = net.weight.grad.norm().item()
returned = clip_grad_norm_(trained, 1.0).item()
print(torch.__version__, "returned", returned, "before", before, "after", net.weight.grad.norm().item())
assert returned == 0.0 and before == net.weight.grad.norm().item() and abs(before - 3e6) < 1
PYTHON
