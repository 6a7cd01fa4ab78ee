package frameworks

import (
	"strconv"
	"strings"
)

// compareVersions orders versions by their numbers.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		if d := part(x, i) - part(y, i); d != 0 {
			return d
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	digits := strings.IndexFunc(parts[i], func(c rune) bool { return c < '0' || c > '9' })
	if digits < 0 {
		digits = len(parts[i])
	}
	n, _ := strconv.Atoi(parts[i][:digits])
	return n
}
