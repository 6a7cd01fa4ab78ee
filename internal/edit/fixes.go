package edit

import (
	"cmp"
	"slices"
	"sort"
)

// NonOverlapping chooses fixes that can be applied in one pass: each group is
// one fix, taken with all its edits or not at all. It returns the indices of the
// chosen groups, ascending. Fixes earlier in the text win, so the choice depends
// on the edits only and not on their order; the rest is for the next pass, on
// the text that this one makes. A group that overlaps itself or has no edits is
// never chosen.
//
// Equal edits of two fixes are one edit: both may add the same import. Fixes
// whose edits only touch are apart, except that an insertion and a replacement
// at one place may have each meant the text of before. Brackets that two fixes put
// around parts of the text that cross are not put both: the expressions that they
// mean would be none any more.
func NonOverlapping(groups [][]Edit) []int {
	var taken []Edit // in order, disjoint
	var brackets []bracket
	var chosen []int
	for _, i := range byPlace(groups) {
		own := bracketsOf(groups[i])
		merged, ok := merge(taken, groups[i])
		if ok && !anyCross(brackets, own) {
			taken, brackets, chosen = merged, append(brackets, own...), append(chosen, i)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// byPlace returns the indices of the groups in the order of their edits.
func byPlace(groups [][]Edit) []int {
	sorted := make([][]Edit, len(groups))
	order := make([]int, len(groups))
	for i, g := range groups {
		order[i] = i
		sorted[i] = slices.SortedFunc(slices.Values(g), compare)
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(slices.CompareFunc(sorted[a], sorted[b], compare), cmp.Compare(a, b))
	})
	return order
}

// merge adds the edits of a fix to those taken, or says that they conflict.
func merge(taken, fix []Edit) ([]Edit, bool) {
	if len(fix) == 0 || selfOverlapping(fix) {
		return nil, false
	}
	var fresh []Edit
	for _, e := range fix {
		switch i, found := slices.BinarySearchFunc(taken, e, compare); {
		case found:
		case i > 0 && conflict(taken[i-1], e) || i < len(taken) && conflict(e, taken[i]):
			return nil, false
		default:
			fresh = append(fresh, e)
		}
	}
	for _, e := range fresh {
		i := sort.Search(len(taken), func(i int) bool { return compare(taken[i], e) >= 0 })
		if i == len(taken) || taken[i] != e {
			taken = slices.Insert(taken, i, e)
		}
	}
	return taken, true
}

// selfOverlapping says whether the edits of one fix overlap each other.
func selfOverlapping(fix []Edit) bool {
	sorted := slices.SortedFunc(slices.Values(fix), compare)
	sorted = slices.Compact(sorted)
	for i := 1; i < len(sorted); i++ {
		if overlap(sorted[i-1], sorted[i]) {
			return true
		}
	}
	return false
}

// conflict says whether edits of two fixes, a not after b, exclude each other.
func conflict(a, b Edit) bool {
	inserts := a.Start == a.End || b.Start == b.End
	return overlap(a, b) || inserts && b.Start == a.End
}
