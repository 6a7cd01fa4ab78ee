package library

import (
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

func BenchmarkApply(b *testing.B) {
	f := Load().Operator("sub")
	pos := []Operand{v(domain.LogProb, of(domain.Current)), v(domain.LogProb, of(domain.Old))}
	for b.Loop() {
		f.Apply(f.Bind(pos, nil))
	}
}

func BenchmarkLoad(b *testing.B) {
	docs := embedded()
	for b.Loop() {
		if _, err := parse(docs); err != nil {
			b.Fatal(err)
		}
	}
}
