package rule

import (
	"sort"
	"strings"
)

// Nearest returns the candidate with the smallest edit distance to s, ignoring
// case, or "" where none is near enough to be meant.
func Nearest(s string, candidates []string) string {
	best, bestAt := "", max(1, len(s)/2)+1
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

func sortedFences(texts map[*Fence]string) []*Fence {
	var out []*Fence
	for f := range texts {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}
