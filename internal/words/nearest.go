package words

import "strings"

// Nearest returns the candidate with the smallest edit distance to s, ignoring
// case, or "" where none is near enough to be meant.
func Nearest(s string, candidates []string) string {
	return within(max(1, len(s)/2), s, candidates)
}

// Misspelt returns the candidate of which s is a slip of the pen, as homework.ipnyb is of
// homework.ipynb, or "". Short names are too much alike for that.
func Misspelt(s string, candidates []string) string {
	if len(s) < 5 {
		return ""
	}
	return within(len(s)/4, s, candidates)
}

// within returns the nearest of the candidates that are at most so far from s.
func within(most int, s string, candidates []string) string {
	best, bestAt := "", most+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(s), strings.ToLower(c)); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
