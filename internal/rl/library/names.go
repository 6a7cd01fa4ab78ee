package library

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// The lexicon reads variable names the way a colleague does: the last words
// are the noun ("log probs"), the words before or after it say whose
// ("old", "ref") or nothing ("mb", "batch"). A name with any other word is not
// understood, since "reward_model" is no reward.

// lexiconSource is the layout of [names].
type lexiconSource struct {
	Nouns   map[string]nounSource   `toml:"nouns"`
	Weights map[string]weightSource `toml:"weights"` // by the kind of the term
	Whose   map[string]string       `toml:"whose"`
	Filler  []string                `toml:"filler"`
	Before  []string                `toml:"before"`
	// Settings are the last words of names of objects that hold settings.
	Settings []string `toml:"settings"`
}

// weightSource is the layout of what weights of one kind of terms are called.
type weightSource struct {
	Alone  []string `toml:"alone"`
	Term   []string `toml:"term"`
	Weight []string `toml:"weight"`
	Other  []string `toml:"other"`
}

// nounSource is the layout of a noun.
type nounSource struct {
	Kind    string `toml:"kind"`
	Range   any    `toml:"range"`
	Any     bool   `toml:"any"` // whatever words stand before it
	NonZero bool   `toml:"nonzero"`
}

// lexicon is the compiled lexicon.
type lexicon struct {
	nouns   map[string]noun // words joined by spaces
	weights map[domain.Kind]weightSource
	whose   map[string]domain.Whose
	filler  map[string]bool
	before  map[string]bool // fillers that stand before the noun only
	long    int             // words of the longest noun

	settings map[string]bool
}

type noun struct {
	value domain.Value
	any   bool
}

// build compiles the lexicon.
func (s *lexiconSource) build() (lexicon, error) {
	lex := lexicon{
		nouns: map[string]noun{}, weights: map[domain.Kind]weightSource{}, whose: map[string]domain.Whose{}, filler: map[string]bool{}, before: map[string]bool{},
		settings: map[string]bool{},
	}
	for text, n := range s.Nouns {
		k, err := kindSet(strings.Split(n.Kind, "|"))
		if err != nil {
			return lex, fmt.Errorf("noun %q: %w", text, err)
		}
		rng, err := parseRange(n.Range, nil)
		if err != nil {
			return lex, fmt.Errorf("noun %q: %w", text, err)
		}
		v := domain.Of(k)
		v.Range, v.Evidence = rng.eval(Args{}), domain.NameOnly
		if n.NonZero {
			v.Range = v.Range.AwayFromZero()
		}
		lex.nouns[text] = noun{value: v, any: n.Any}
		lex.long = max(lex.long, len(strings.Fields(text)))
	}
	for term, w := range s.Weights {
		k, err := kindSet([]string{term})
		if err != nil {
			return lex, fmt.Errorf("weights of %q: %w", term, err)
		}
		lex.weights[k] = w
	}
	for word, owner := range s.Whose {
		w, ok := owners[owner]
		if !ok {
			return lex, fmt.Errorf("unknown owner %q", owner)
		}
		lex.whose[word] = w
	}
	for _, w := range s.Filler {
		lex.filler[w] = true
	}
	for _, w := range s.Settings {
		lex.settings[w] = true
	}
	for _, w := range s.Before {
		lex.before[w] = true
	}
	return lex, nil
}

// value returns what a name says.
func (l lexicon) value(ident string) (domain.Value, bool) {
	words := splitWords(withoutAxes(ident))
	owner, words := l.trim(words, nil)
	for n := min(len(words), l.long); n > 0; n-- {
		head := words[len(words)-n:]
		found, ok := l.noun(head)
		if !ok {
			continue
		}
		before, rest := l.trim(words[:len(words)-n], l.before)
		if len(rest) > 0 && !found.any {
			return domain.Value{}, false
		}
		v := found.value
		if w := owner | before; w != 0 && v.Whose != 0 {
			v.Whose = w
		}
		return v, true
	}
	return domain.Value{}, false
}

// withoutAxes drops the letters by which some programs name the axes of a tensor: logits_BA is
// logits by batch and action. They are capitals behind a name in small letters.
func withoutAxes(ident string) string {
	i := strings.LastIndexByte(ident, '_')
	if i <= 0 {
		return ident
	}
	name, axes := ident[:i], ident[i+1:]
	if axes == "" || len(axes) > maxAxes || strings.ContainsFunc(name, unicode.IsUpper) || strings.ContainsFunc(axes, func(r rune) bool { return !unicode.IsUpper(r) }) {
		return ident
	}
	return name
}

// maxAxes is how many axes a name tells.
const maxAxes = 4

// weighs reports whether a name is that of the weight of terms of a kind, and whether it is
// a short one, which may weigh something else.
func (l lexicon) weighs(ident string, k domain.Kind) (is, alone bool) {
	w := l.weights[k]
	if slices.Contains(w.Alone, strings.ToLower(ident)) {
		return true, true
	}
	words := splitWords(ident)
	among := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return among(w.Term) && among(w.Weight) && !among(w.Other), false
}

// holdsSettings reports whether the last word of a name says that it holds settings.
func (l lexicon) holdsSettings(ident string) bool {
	words := splitWords(ident)
	return len(words) > 0 && l.settings[words[len(words)-1]]
}

// owner returns whose the words of a name say that something is, together.
func (l lexicon) owner(ident string) (w domain.Whose) {
	for _, word := range splitWords(ident) {
		w |= l.whose[word]
	}
	return w
}

// noun looks words up, in singular where the plural is not listed.
func (l lexicon) noun(words []string) (noun, bool) {
	text := strings.Join(words, " ")
	if n, ok := l.nouns[text]; ok {
		return n, true
	}
	one, plural := strings.CutSuffix(text, "s")
	n, ok := l.nouns[one]
	return n, ok && plural
}

// trim removes fillers and owners from the end, and returns the owners.
func (l lexicon) trim(words []string, more map[string]bool) (domain.Whose, []string) {
	var w domain.Whose
	for len(words) > 0 {
		last := words[len(words)-1]
		owner, ok := l.whose[last]
		if !ok && !l.filler[last] && !more[last] {
			break
		}
		w |= owner
		words = words[:len(words)-1]
	}
	return w, words
}

// splitWords splits snake_case and camelCase into lower-case words without
// digits.
func splitWords(ident string) []string {
	words := make([]string, 0, 4)
	start := 0 // of the word at hand
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(ident[start:end]))
		}
		start = end
	}
	var before rune
	for i, r := range ident {
		switch {
		case r == '_' || unicode.IsDigit(r):
			flush(i)
			start = i + utf8.RuneLen(r)
		case unicode.IsUpper(r) && unicode.IsLower(before):
			flush(i)
		}
		before = r
	}
	flush(len(ident))
	return slices.Clip(words)
}
