package measure

// Evenly keeps so many of a list at most, as far apart from each other as can be, the first and
// the last among them; most is 2 or more.
func Evenly[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	var kept []T
	for i := range most {
		kept = append(kept, all[i*(len(all)-1)/(most-1)])
	}
	return kept
}
