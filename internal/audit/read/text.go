package read

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// list names things in a sentence: "a, b and 3 more".
func list(names []string) string {
	const most = 4
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

var inf = math.Inf(1)

func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// first returns the smallest key.
func first[K cmp.Ordered, V any](m map[K]V) K {
	return slices.Min(slices.Collect(maps.Keys(m)))
}
