package library

import "strings"

// OutAt is the position of the argument into which a function of numpy writes its result, as 2 in numpy.add(x, y, x); ok is false
// for functions that have none. Those of torch take it by its name alone.
func OutAt(name string) (at int, ok bool) {
	base, isNumpy := strings.CutPrefix(name, "numpy.")
	at, ok = outs[base]
	return at, isNumpy && ok
}

// outs are the functions of numpy that rules and tables know, by where their argument out stands.
var outs = func() map[string]int {
	out := map[string]int{}
	for at, names := range map[int]string{
		1: `abs absolute arctan cbrt ceil conj cos cosh exp exp2 expm1 fabs floor invert isfinite isinf isnan log log10 log1p log2 logical_not
			negative positive reciprocal rint sign sin sinh sqrt square tan tanh trunc fix`,
		2: `add arctan2 bitwise_and bitwise_or bitwise_xor copysign divide equal float_power floor_divide fmax fmin fmod greater greater_equal heaviside
			hypot less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor matmul maximum minimum mod multiply not_equal power remainder
			subtract true_divide all amax amin any argmax argmin around concatenate dot max median min nanmax nanmin nanmedian outer round stack`,
		3: `clip compress cumprod cumsum mean nanmean nanstd nansum nanvar percentile prod quantile std sum take var`,
	} {
		for _, name := range strings.Fields(names) {
			out[name] = at
		}
	}
	return out
}()
