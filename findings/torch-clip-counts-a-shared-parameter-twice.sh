#!/usr/bin/env bash
# torch 1.13.1: clip_grad_norm_ takes a parameter that its list names twice, such as a trunk in list(actor.parameters()) + list(critic.parameters()), for
# two: it counts the norm twice and scales the gradient twice. The optimizer warns of such a list, the clip does not.
# Seen: a gradient of norm 5, clipped to 1, is left with a norm of 0.02 * 5 = 0.1; the returned norm is 7.07. A gradient of norm 5 with a bound of 6,
# which should not be touched, is scaled, too.
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
from torch.nn.utils import clip_grad_norm_


def clip(times, bound):
    p = torch.nn.Parameter(torch.zeros(2))
    p.grad = torch.tensor([3.0, 4.0])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        norm = clip_grad_norm_([p] * times, bound)
    assert not said
    return round(norm.item(), 2), round(p.grad.norm().item(), 2)


seen = [clip(1, 1.0), clip(2, 1.0), clip(1, 6.0), clip(2, 6.0)]
print(torch.__version__, "returned norm and norm that is left:", seen)
assert seen == [(5.0, 1.0), (7.07, 0.1), (5.0, 5.0), (7.07, 3.6)]
PYTHON
