package measure

import (
	"cmp"
	"slices"
	"strings"
)

// Duplicates is the share of the completions that say the same as one for another prompt, but
// for case and white space: a policy that answers without reading the question. Prompt i
// belongs to completion i; the same answer to the same prompt is not counted. Empty
// completions are counted as equal. Short answers ("yes", "4") are equal in health, too:
// compare with the base model's. NaN without completions.
func Duplicates(prompts, completions []string) float64 {
	sameLength(len(prompts), len(completions))
	asked := map[string]map[string]bool{}
	said := make([]string, len(completions))
	for i, text := range completions {
		said[i] = plain(text)
		if asked[said[i]] == nil {
			asked[said[i]] = map[string]bool{}
		}
		asked[said[i]][prompts[i]] = true
	}
	copies := 0
	for _, text := range said {
		if len(asked[text]) > 1 {
			copies++
		}
	}
	return float64(copies) / float64(len(completions))
}

// plain is a text without what typing leaves to chance: case, and the amount of white space.
func plain(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// Opening is the first k words of a text, in lower case, with a space between them; all
// words where there are fewer.
func Opening(text string, k int) string {
	words := Words(text)
	return strings.ToLower(strings.Join(words[:max(0, min(k, len(words)))], " "))
}

// CommonOpening is the opening of k words that the most completions share, and their share;
// among equally common ones the first by the alphabet. Completions without words are left
// out; "" and NaN where none is left. Boilerplate shows against the base model: ShareOpening
// says how often its completions begin so.
func CommonOpening(completions []string, k int) (opening string, share float64) {
	counts, total := map[string]int{}, 0
	for _, text := range completions {
		if first := Opening(text, k); first != "" {
			counts[first]++
			total++
		}
	}
	if total == 0 {
		return "", nan
	}
	openings := make([]string, 0, len(counts))
	for first := range counts {
		openings = append(openings, first)
	}
	opening = slices.MinFunc(openings, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return opening, float64(counts[opening]) / float64(total)
}

// ShareOpening is the share of the completions with words that begin with an opening of k
// words; NaN where none has words.
func ShareOpening(completions []string, k int, opening string) float64 {
	same, total := 0, 0
	for _, text := range completions {
		if first := Opening(text, k); first != "" {
			total++
			if first == opening {
				same++
			}
		}
	}
	return float64(same) / float64(total)
}
