#!/usr/bin/env bash
# torch 1.13.1: TransformedDistribution(Normal, TanhTransform) cannot give the log-density of a sample that rounded to 1: atanh(1) is infinite and the
# result is NaN. With cache_size=1 it is finite, but only for the very tensor object that rsample() returned last: a clone of it, or the same
# numbers out of a replay buffer, give NaN again.
# Seen: the sample is 1.0; NaN without a cache, a finite density with one, NaN for its clone.
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
from torch.distributions import Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform


def density(cache_size):
    torch.manual_seed(0)
    squashed = TransformedDistribution(Normal(20.0, 0.1), [TanhTransform(cache_size=cache_size)], validate_args=False)
    sample = squashed.rsample()
    return sample.item(), squashed.log_prob(sample).item(), squashed.log_prob(sample.clone()).item()


plain, cached = density(0), density(1)
print(torch.__version__, "without a cache", plain, "with one", cached)
isnan = lambda x: x != x
assert plain[0] == cached[0] == 1.0
assert isnan(plain[1]) and isnan(plain[2])
assert abs(cached[1]) < float("inf") and isnan(cached[2])
PYTHON
