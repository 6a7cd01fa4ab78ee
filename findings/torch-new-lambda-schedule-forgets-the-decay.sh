#!/usr/bin/env bash
# torch 1.13.1: a schedule that is made for an optimizer with an earlier one starts from the first learning rate, not from the present one: the first
# schedule left `initial_lr` in the parameter group. And LinearLR and ConstantLR begin at a third of the rate that the optimizer was given, if nobody
# says otherwise. CosineAnnealingLR does not stay at its end: after T_max steps the rate rises again.
# Seen: 0.9 before and 1.0 after the second LambdaLR; 0.333 for both defaults; 0.0 at step 5 and 0.345 at step 7 of a cosine with T_max=5.
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
from torch.optim.lr_scheduler import ConstantLR, CosineAnnealingLR, LambdaLR, LinearLR


def made():
    return torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1.0)


def rate(optimizer):
    return round(optimizer.param_groups[0]["lr"], 3)


def decay(step):
    return 1 - step / 10


again = made()
first = LambdaLR(again, decay)
again.step()
first.step()
before = rate(again)
LambdaLR(again, decay)
linear, constant, cosine = made(), made(), made()
LinearLR(linear), ConstantLR(constant)
annealing, course = CosineAnnealingLR(cosine, T_max=5), []
for _ in range(7):
    cosine.step()
    annealing.step()
    course.append(rate(cosine))
print(torch.__version__, before, rate(again), rate(linear), rate(constant), course)
assert (before, rate(again), rate(linear), rate(constant)) == (0.9, 1.0, 0.333, 0.333)
assert course[4] == 0.0 and course[6] == 0.345
PYTHON
