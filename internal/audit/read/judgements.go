package read

import (
	"github.com/rlvet/rlvet/internal/audit/record"
)

// isJudgements reports whether the columns are those of judgements.
func isJudgements(names []string) bool { return false }

func (c *collector) judgements(f candidate) error { return nil }

// Judgements reads what people or models said of checkpoints, from a CSV or JSONL file, and
// notes of what was left out. It fails where nothing can be read.
func Judgements(path string) (record.Judgements, []string, error) {
	return record.Judgements{}, nil, nil
}
