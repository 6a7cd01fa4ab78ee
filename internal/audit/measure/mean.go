package measure

// Mean is the mean of independent values with its interval by Student's distribution. NaN
// without values; the ends are NaN for a single one. N counts the values.
func Mean(values []float64) Interval {
	mean, stderr := MeanError(values)
	return Around(mean, stderr, float64(len(values)-1), len(values))
}
