package harness

// Reproduction says whether two runs of the same seed are the same.
type Reproduction struct {
	Same bool `json:"same"`
	// Losses is the number that was compared; Difference is the first that differs,
	// counted from 0.
	Losses     int `json:"losses"`
	Difference int `json:"difference,omitempty"`
}

// Compare compares the first losses of two runs.
func Compare(a, b SeedRun) *Reproduction {
	n := min(len(a.Losses), len(b.Losses))
	for i := range n {
		if a.Losses[i] != b.Losses[i] {
			return &Reproduction{Losses: n, Difference: i}
		}
	}
	return &Reproduction{Same: a.Steps == b.Steps || len(a.Losses) == len(b.Losses), Losses: n}
}
