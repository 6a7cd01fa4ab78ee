package measure

import (
	"math"
	"slices"
)

// CohenKappa is the agreement of two raters beyond chance, (p_o - p_e)/(1 - p_e) (Cohen
// 1960), of 1 for always to below 0 for less than by chance. a[i] and b[i] are what the two
// said of item i: any numbers, equal for equal words. N counts the items.
//
// prompts[i] is what item i belongs to, such as the prompt that several checkpoints answered:
// items of one prompt are not independent, and whole prompts vary (see ofPrompts). With nil all
// items are independent, and the error is that of Fleiss, Cohen and Everitt (1969), large-sample.
// An error of 0, where the raters never differ or one of them knows one word only, is not
// taken as if a few items proved it; Wilson's interval of the agreement takes its place. Kappa
// is not defined without items, nor where both raters know one word only: chance alone
// explains that.
func CohenKappa(a, b []int, prompts []string) Interval {
	sameLength(len(a), len(b))
	rows, columns := map[int]float64{}, map[int]float64{}
	n, agreed := float64(len(a)), 0.0
	for i := range a {
		rows[a[i]] += 1 / n
		columns[b[i]] += 1 / n
		agreed += equal(a[i], b[i]) / n
	}
	chance, words := 0.0, 0
	for _, word := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))) {
		chance, words = chance+rows[word]*columns[word], words+1
	}
	if words < 2 {
		return undefined(len(a))
	}
	k := kappa{agreed: agreed, chance: chance}
	for i := range a {
		k.add(equal(a[i], b[i]), (columns[a[i]]+rows[b[i]])/2)
	}
	variance, freedom, count := k.independent(math.Inf(1))
	if prompts != nil {
		variance, freedom, count = k.ofPrompts(prompts)
	}
	return k.interval(variance, freedom, count)
}

func equal(a, b int) float64 {
	if a == b {
		return 1
	}
	return 0
}

// kappa is an agreement beyond chance, and what each item does to it.
type kappa struct {
	agreed, chance float64
	// influences are how far kappa would move, times the number of items, with one more like
	// it: its derivatives by the shares of the answers.
	influences []float64
}

func (k *kappa) value() float64 { return (k.agreed - k.chance) / (1 - k.chance) }

// add takes an item of which a share of the pairs of raters agrees, and whose answers are what
// a share of the others says of other items.
func (k *kappa) add(agreed, expected float64) {
	k.influences = append(k.influences, (agreed-k.agreed-2*(1-k.value())*(expected-k.chance))/(1-k.chance))
}

// independent is the variance of kappa over items, the degrees of freedom of an item fewer or
// infinitely many, and the items.
func (k *kappa) independent(freedom float64) (float64, float64, int) {
	squares, n := 0.0, float64(len(k.influences))
	for _, v := range k.influences {
		squares += v * v
	}
	return squares / (n * math.Min(n, freedom)), freedom, len(k.influences)
}

// ofPrompts is the variance of kappa when whole prompts vary (linearised, prompts as the
// ultimate clusters; Binder 1983, Int. Stat. Review 51, 279), its degrees of freedom, and the
// number of prompts. The variance of one prompt is NaN.
func (k *kappa) ofPrompts(prompts []string) (variance, freedom float64, count int) {
	sameLength(len(prompts), len(k.influences))
	number, sums := numbering[string]{}, []float64{}
	for i, v := range k.influences {
		at := int(number.of(prompts[i]))
		if at == len(sums) {
			sums = append(sums, 0)
		}
		sums[at] += v
	}
	squares, groups := 0.0, float64(len(sums))
	for _, v := range sums {
		squares += v * v
	}
	if groups < 2 {
		return nan, 0, len(sums)
	}
	n := float64(len(k.influences))
	return squares / (n * n) * groups / (groups - 1), groups - 1, len(sums)
}

// interval is around kappa by its variance. A variance of 0 comes of observations that are all
// alike, not of certainty: then it is the interval of the agreement in so many independent
// ones, at the chance agreement that was seen. N counts the items.
func (k *kappa) interval(variance, freedom float64, independent int) Interval {
	beyond := func(agreement float64) float64 { return math.Max((agreement-k.chance)/(1-k.chance), -1) }
	if n := len(k.influences); !(variance < 1e-12) {
		return Around(beyond(k.agreed), math.Sqrt(variance), freedom, n).clip(-1, 1)
	}
	i := Wilson(math.Min(k.agreed, 1)*float64(independent), independent)
	return Interval{beyond(i.Value), beyond(i.Low), beyond(i.High), len(k.influences)}
}

// FleissKappa is the agreement of several raters beyond chance (Fleiss 1971). Row i of
// counts says how many raters chose each category for item i. Items may have different
// numbers of raters, and the raters need not be the same people; an item with fewer than
// two says nothing of agreement and is left out. N counts the items that are left.
//
// With differing numbers of raters each item counts alike (Gwet 2014, Handbook of Inter-Rater
// Reliability); with equal ones that is Fleiss' formula. The interval is over items, with
// Gwet's linearised variance and Student's distribution (the published errors of Fleiss
// hold for a kappa of 0 only), or over the prompts that the items belong to, where they are
// not nil; where all items are alike it is Wilson's, as in CohenKappa. Not defined without
// items, where only one category was chosen, and for counts below 0.
func FleissKappa(counts [][]int, prompts []string) Interval {
	items, ok := ratedItems(counts)
	n := float64(len(items))
	if !ok || n == 0 {
		return undefined(len(items))
	}
	overall, k := make([]float64, len(counts[0])), kappa{}
	for _, item := range items {
		k.agreed += item.agreed / n
		for j, share := range item.shares {
			overall[j] += share / n
		}
	}
	for _, share := range overall {
		k.chance += share * share
	}
	if 1-k.chance < 1e-12 {
		return undefined(len(items))
	}
	var of []string
	for _, item := range items {
		expected := 0.0
		for j, share := range item.shares {
			expected += overall[j] * share
		}
		k.add(item.agreed, expected)
		if prompts != nil {
			of = append(of, prompts[item.row])
		}
	}
	variance, freedom, count := k.independent(n - 1)
	if prompts != nil {
		variance, freedom, count = k.ofPrompts(of)
	}
	return k.interval(variance, freedom, count)
}

// ratedItem is what the raters of the item of a row said: the share of each category, and of
// the pairs of raters that agree.
type ratedItem struct {
	row    int
	shares []float64
	agreed float64
}

// ratedItems leaves out items with fewer than two raters. It is not ok for counts that are
// below 0, or rows of different lengths.
func ratedItems(counts [][]int) (items []ratedItem, ok bool) {
	for i, row := range counts {
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
		item := ratedItem{i, make([]float64, len(row)), float64(pairs) / float64(raters*(raters-1))}
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
