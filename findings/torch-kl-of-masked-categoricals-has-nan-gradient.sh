#!/usr/bin/env bash
# torch 1.13.1: two Categoricals whose logits are masked by the same -inf have a finite KL divergence, and the gradient of the first one's logits is NaN in
# every element. The second one's gradient is finite, and so is the gradient of Categorical.entropy() under the same mask: a policy with masked
# actions trains well with an entropy bonus, and is lost at the first step with a KL penalty.
# Seen: a finite KL, NaN for all four logits of the first, none for the second, none for the entropy.
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
from torch.distributions import Categorical, kl_divergence

mask = torch.tensor([0.0, 0.0, 0.0, -float("inf")])
first, second, alone = (torch.tensor(x, requires_grad=True) for x in ([0.1, 0.5, 0.2, 0.3], [0.4, 0.0, 0.6, 0.1], [0.1, 0.5, 0.2, 0.3]))
kl = kl_divergence(Categorical(logits=first + mask), Categorical(logits=second + mask))
kl.backward()
entropy = Categorical(logits=alone + mask).entropy()
entropy.backward()
print(torch.__version__, "KL", kl.item(), first.grad, second.grad, "entropy", entropy.item(), alone.grad)
assert kl.isfinite() and first.grad.isnan().all() and second.grad.isfinite().all()
assert entropy.isfinite() and alone.grad.isfinite().all()
PYTHON
