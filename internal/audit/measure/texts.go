package measure

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Duplicates says of each completion whether it says the same as one for another prompt, but
// for case and white space: a policy that answers without reading the question. Prompt i
// belongs to completion i; the same answer to the same prompt is not counted. Empty
// completions are counted as equal. Short answers ("yes", "4") are equal in health, too:
// compare with the base model's.
func Duplicates(prompts, completions []string) []bool {
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
	copies := make([]bool, len(said))
	for i, text := range said {
		copies[i] = len(asked[text]) > 1
	}
	return copies
}

// plain is a text without what typing leaves to chance: case, and the amount of white space.
func plain(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

// Opening is the first k words of a text, in lower case, with a space between them; all
// words where there are fewer.
func Opening(text string, k int) string { return strings.ToLower(Beginning(text, k)) }

// Beginning is the same as it is written.
func Beginning(text string, k int) string {
	words := Words(text)
	return strings.Join(words[:max(0, min(k, len(words)))], " ")
}

// MostFrequent is the text that comes most often, the first by the alphabet among equally
// frequent ones; empty ones are left out, and "" is said where all are.
func MostFrequent(texts []string) string {
	counts := map[string]int{}
	for _, text := range texts {
		if text != "" {
			counts[text]++
		}
	}
	if len(counts) == 0 {
		return ""
	}
	return slices.MinFunc(slices.Collect(maps.Keys(counts)), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}
