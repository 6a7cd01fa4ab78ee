package measure

import "math"

// CohenKappa is the agreement of two raters beyond chance, (p_o - p_e)/(1 - p_e) (Cohen
// 1960), of 1 for always to below 0 for less than by chance. a[i] and b[i] are what the two
// said of item i: any numbers, equal for equal words. N counts the items.
//
// The interval has the large-sample error of Fleiss, Cohen and Everitt (1969). That error is 0
// where the raters never differ, or one of them knows one word only, as if a few items proved
// it; Wilson's interval of the agreement takes its place there. Kappa is not defined without
// items, nor where both raters know one word only: chance alone explains that.
func CohenKappa(a, b []int) Interval {
	sameLength(len(a), len(b))
	table, n := crossTable(a, b), float64(len(a))
	k := len(table)
	rows, columns := make([]float64, k), make([]float64, k)
	agreed := 0.0
	for i := range table {
		for j, share := range table[i] {
			rows[i] += share
			columns[j] += share
		}
		agreed += table[i][i]
	}
	chance := 0.0
	for i := range rows {
		chance += rows[i] * columns[i]
	}
	if k < 2 {
		return undefined(len(a))
	}
	kappa := (agreed - chance) / (1 - chance)
	// Fleiss, Cohen and Everitt 1969, equation 13: the terms of the diagonal, those off
	// it, and what is taken off.
	on, off := 0.0, 0.0
	for i := range table {
		on += table[i][i] * math.Pow(1-(rows[i]+columns[i])*(1-kappa), 2)
		for j, share := range table[i] {
			if i != j {
				off += share * math.Pow(columns[i]+rows[j], 2)
			}
		}
	}
	less := math.Pow(kappa-chance*(1-kappa), 2)
	variance := (on + math.Pow(1-kappa, 2)*off - less) / (n * math.Pow(1-chance, 2))
	return kappaInterval(agreed, chance, variance, math.Inf(1), len(a))
}

// crossTable is the share of the items on which the first rater said the row's word and the
// second the column's.
func crossTable(a, b []int) [][]float64 {
	index := map[int]int{}
	for _, words := range [][]int{a, b} {
		for _, w := range words {
			if _, seen := index[w]; !seen {
				index[w] = len(index)
			}
		}
	}
	table := make([][]float64, len(index))
	for i := range table {
		table[i] = make([]float64, len(index))
	}
	for i := range a {
		table[index[a[i]]][index[b[i]]] += 1 / float64(len(a))
	}
	return table
}

// kappaInterval is around kappa by its variance. A variance of 0 comes of observations that are
// all alike, not of certainty: then it is the interval of the agreement, at the chance
// agreement that was seen.
func kappaInterval(agreed, chance, variance, freedom float64, n int) Interval {
	beyond := func(agreement float64) float64 { return math.Max((agreement-chance)/(1-chance), -1) }
	if variance < 1e-12 {
		i := Wilson(math.Min(agreed, 1)*float64(n), n)
		return Interval{beyond(i.Value), beyond(i.Low), beyond(i.High), n}
	}
	return around(beyond(agreed), math.Sqrt(variance), freedom, n).clip(-1, 1)
}

// FleissKappa is the agreement of several raters beyond chance (Fleiss 1971). Row i of
// counts says how many raters chose each category for item i. Items may have different
// numbers of raters, and the raters need not be the same people; an item with fewer than
// two says nothing of agreement and is left out. N counts the items that are left.
//
// With differing numbers of raters each item counts alike (Gwet 2014, Handbook of Inter-Rater
// Reliability); with equal ones that is Fleiss' formula. The interval is over items, with
// Gwet's linearised variance and Student's distribution (the published errors of Fleiss
// hold for a kappa of 0 only); where all items are alike it is Wilson's, as in CohenKappa. Not
// defined without items, where only one category was chosen, and for counts below 0.
func FleissKappa(counts [][]int) Interval {
	items, ok := ratedItems(counts)
	if n := len(items); !ok || n == 0 {
		return undefined(n)
	}
	n := float64(len(items))
	overall := make([]float64, len(items[0].shares))
	agreed := 0.0
	for _, item := range items {
		agreed += item.agreed / n
		for j, share := range item.shares {
			overall[j] += share / n
		}
	}
	chance := 0.0
	for _, share := range overall {
		chance += share * share
	}
	if 1-chance < 1e-12 {
		return undefined(len(items))
	}
	kappa := (agreed - chance) / (1 - chance)
	variance := 0.0
	for _, item := range items {
		expected := 0.0
		for j, share := range item.shares {
			expected += overall[j] * share
		}
		own := (item.agreed-chance)/(1-chance) - 2*(1-kappa)*(expected-chance)/(1-chance)
		variance += (own - kappa) * (own - kappa) / (n * (n - 1))
	}
	return kappaInterval(agreed, chance, variance, n-1, len(items))
}

// ratedItem is what the raters of one item said: the share of each category, and of the
// pairs of raters that agree.
type ratedItem struct {
	shares []float64
	agreed float64
}

// ratedItems leaves out items with fewer than two raters. It is not ok for counts that are
// below 0, or rows of different lengths.
func ratedItems(counts [][]int) (items []ratedItem, ok bool) {
	for _, row := range counts {
		if len(row) != len(counts[0]) {
			return nil, false
		}
		raters, pairs := 0, 0
		for _, c := range row {
			if c < 0 {
				return nil, false
			}
			raters += c
			pairs += c * (c - 1)
		}
		if raters < 2 {
			continue
		}
		item := ratedItem{make([]float64, len(row)), float64(pairs) / float64(raters*(raters-1))}
		for j, c := range row {
			item.shares[j] = float64(c) / float64(raters)
		}
		items = append(items, item)
	}
	return items, true
}

// AgreementWord is the word of Landis and Koch (1977) for a kappa; "undefined" for NaN.
func AgreementWord(kappa float64) string {
	switch {
	case math.IsNaN(kappa):
		return "undefined"
	case kappa < 0:
		return "poor"
	case kappa <= 0.20:
		return "slight"
	case kappa <= 0.40:
		return "fair"
	case kappa <= 0.60:
		return "moderate"
	case kappa <= 0.80:
		return "substantial"
	}
	return "almost perfect"
}
