package slurm

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/rlvet/rlvet/internal/harness"
)

// RunUnit runs one unit of a batch on this machine and writes its result beside it. dir
// is the batch's folder. The error says what kept it from that.
func RunUnit(ctx context.Context, dir string, index int) error {
	text, err := os.ReadFile(filepath.Join(dir, "batch.json"))
	if err != nil {
		return err
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("%s/batch.json: %w", dir, err)
	}
	u, err := d.unit(index)
	if err != nil {
		return err
	}
	results, err := harness.Local{Alone: true}.Launch(ctx, []harness.Unit{u})
	if err != nil {
		return err
	}
	if text, err = json.Marshal(results[0]); err != nil {
		return err
	}
	return maybe.WriteFile(resultFile(dir, index), text, 0o600)
}
