#!/usr/bin/env bash
# torch 1.13.1: cross_entropy of a batch whose labels are all ignored (-100) is NaN, yet its gradient is exactly 0 and not NaN. A logger shows NaN, a check of
# the loss stops the run, and the weights would have been fine. The same mean, written as sum / count under a mask, has a NaN gradient.
# Seen: NaN with a gradient of zeros from cross_entropy, NaN with a gradient of NaN from the masked mean.
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
import torch.nn.functional as F

labels = torch.full((3,), -100)
logits = torch.rand(3, 4, requires_grad=True)
library = F.cross_entropy(logits, labels)
library.backward()

twin = logits.detach().clone().requires_grad_()
mask = (labels != -100).float()
by_hand = (F.cross_entropy(twin, labels.clamp(min=0), reduction="none") * mask).sum() / mask.sum()
by_hand.backward()
print(torch.__version__, library.item(), logits.grad.unique(), by_hand.item(), twin.grad.unique())
assert library.isnan() and (logits.grad == 0).all()
assert by_hand.isnan() and twin.grad.isnan().all()
PYTHON
