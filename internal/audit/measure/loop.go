package measure

// A loop is a part of a text that repeats itself at once: "ha ha ha", or a paragraph twice in
// a row. In the field's words it is a run, a maximal stretch of tokens of period p and at
// least 2p long. All runs are found by the method of Main and Lorentz (1984, An O(n log n)
// Algorithm for Finding All Repetitions in a String): a run that crosses the middle has, for
// its period, p tokens on one side of it; how far it reaches to the left and to the right are
// common suffixes and prefixes, which the Z function gives for all p at once. Runs that do not
// cross the middle lie in a half.

// Loop is the longest one of a text.
type Loop struct {
	// Start is the index of its first token, Length how many tokens it covers, the last
	// repeat perhaps in part; Period how many tokens are repeated. All 0 without a loop.
	Start, Length, Period int
}

// Times is how often the period comes, the last time perhaps in part; 0 without a loop.
func (l Loop) Times() float64 {
	if l.Period == 0 {
		return 0
	}
	return float64(l.Length) / float64(l.Period)
}

// better says that l covers more than o, or as much with a shorter period, or earlier.
func (l Loop) better(o Loop) bool {
	if l.Length != o.Length {
		return l.Length > o.Length
	}
	if l.Period != o.Period {
		return l.Period < o.Period
	}
	return l.Start < o.Start
}

// LongestLoop finds the stretch that covers the most tokens; a word said twice is one of two
// tokens, as healthy texts have. Time is n log n in the tokens, whatever they are.
func LongestLoop(tokens []string) Loop {
	text := numbering[string]{}.all(tokens)
	return longestRun(len(text), func(i, j int) bool { return text[i] == text[j] })
}

// longestRun finds the longest run among the positions 0 to n, which it only compares.
func longestRun(n int, equal func(i, j int) bool) Loop {
	best := Loop{}
	var search func(from, to int)
	search = func(from, to int) {
		// What is no longer than the best one cannot hold a longer one.
		if to-from < 2 || to-from < best.Length {
			return
		}
		middle := from + (to-from)/2
		crossing(from, middle, to, equal, &best)
		search(from, middle)
		search(middle, to)
	}
	search(0, n)
	return best
}

// crossing looks at the runs within from to to that reach over the middle.
func crossing(from, middle, to int, equal func(i, j int) bool, best *Loop) {
	left, right := middle-from, to-middle
	// Forwards from the middle, and backwards from the token before it.
	ahead := func(k int) int { return middle + k }
	back := func(k int) int { return middle - 1 - k }
	// How far the text from k agrees with the text from 0, in each direction.
	prefixes := zFunction(right, func(i, j int) bool { return equal(ahead(i), ahead(j)) })
	suffixes := zFunction(left, func(i, j int) bool { return equal(back(i), back(j)) })
	// The same across the middle: the right half against the end of the left one.
	onward := zAgainst(prefixes, left, func(i, j int) bool { return equal(from+i, ahead(j)) })
	backward := zAgainst(suffixes, right, func(i, j int) bool { return equal(to-1-i, back(j)) })
	consider := func(period, before, after int) {
		run := Loop{Start: middle - before, Length: before + after, Period: period}
		if run.Length >= 2*period && run.better(*best) {
			*best = run
		}
	}
	for p := 1; p <= left; p++ { // p tokens before the middle
		consider(p, p+at(suffixes, p), across(onward[left-p], p, prefixes))
	}
	for p := 1; p <= right; p++ { // p tokens after it
		consider(p, across(backward[right-p], p, suffixes), p+at(prefixes, p))
	}
}

// across is how far a period reaches beyond the middle: where all of it agrees, as far as
// that side then agrees with itself.
func across(agreed, period int, side []int) int {
	if agreed < period {
		return agreed
	}
	return period + at(side, period)
}

// at is 0 beyond the end.
func at(z []int, i int) int {
	if i < len(z) {
		return z[i]
	}
	return 0
}

// zFunction gives for each position of a text of length n how many tokens from there on agree
// with its beginning (Gusfield 1997, section 1.4); less than 2n comparisons.
func zFunction(n int, equal func(i, j int) bool) []int {
	z := make([]int, n)
	if n > 0 {
		z[0] = n
	}
	for i, left, right := 1, 0, 0; i < n; i++ {
		if i < right {
			z[i] = min(z[i-left], right-i)
		}
		for i+z[i] < n && equal(z[i], i+z[i]) {
			z[i]++
		}
		if i+z[i] > right {
			left, right = i, i+z[i]
		}
	}
	return z
}

// zAgainst gives for each position of a text of length n how many tokens from there on agree
// with the beginning of a pattern, whose own Z function is z.
func zAgainst(z []int, n int, equal func(text, pattern int) bool) []int {
	out := make([]int, n)
	for i, left, right := 0, 0, 0; i < n; i++ {
		if i < right {
			out[i] = min(z[i-left], right-i)
		}
		for i+out[i] < n && out[i] < len(z) && equal(i+out[i], out[i]) {
			out[i]++
		}
		if i+out[i] > right {
			left, right = i, i+out[i]
		}
	}
	return out
}
