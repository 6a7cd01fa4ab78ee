package measure

// Repetition is rep-n, 1 - |different n-grams| / |n-grams| of one text (seq-rep-n of Welleck
// et al. 2019, arXiv 1908.04319, who count the tokens of a tokenizer): 0 where none comes twice, towards 1 in a loop. Tokens are
// words, characters or a tokenizer's. Not defined for fewer than n tokens, nor n < 1. It
// grows with the length of the text: compare texts of one length, or with the
// base model's.
func Repetition(tokens []string, n int) float64 {
	different, total := countGrams([][]string{tokens}, n)
	return 1 - float64(different)/float64(total)
}

// Distinct is distinct-n of a corpus, |different n-grams| / |n-grams| over all texts together
// (Li et al. 2016, arXiv 1510.03055). It falls with the size of the corpus: compare corpora of
// one size. Not defined where no text has n tokens, nor for n < 1.
func Distinct(texts [][]string, n int) float64 {
	different, total := countGrams(texts, n)
	return float64(different) / float64(total)
}

// countGrams counts the n-grams within the texts, and the different ones among them. Work is
// linear in n times the tokens: an n-gram is known by the number of the (n-1)-gram that it
// begins with and the token that it ends with.
func countGrams(texts [][]string, n int) (different, total int) {
	if n < 1 {
		return 0, 0
	}
	tokens := numbering[string]{}
	for _, text := range texts {
		total += max(0, len(text)-n+1)
	}
	if total == 0 {
		return 0, 0
	}
	singles, grams := make([][]int32, len(texts)), make([][]int32, len(texts))
	for i, text := range texts {
		singles[i] = tokens.all(text)
		grams[i] = append([]int32(nil), singles[i]...)
	}
	different = len(tokens)
	for size := 2; size <= n; size++ {
		pairs := numbering[[2]int32]{}
		for i, text := range grams {
			for at := 0; at+size <= len(singles[i]); at++ {
				text[at] = pairs.of([2]int32{text[at], singles[i][at+size-1]})
			}
		}
		different = len(pairs)
	}
	return different, total
}

// numbering gives equal things equal numbers, from 0 up.
type numbering[T comparable] map[T]int32

func (n numbering[T]) of(thing T) int32 {
	number, seen := n[thing]
	if !seen {
		number = int32(len(n))
		n[thing] = number
	}
	return number
}

func (n numbering[T]) all(things []T) []int32 {
	out := make([]int32, len(things))
	for i, thing := range things {
		out[i] = n.of(thing)
	}
	return out
}
