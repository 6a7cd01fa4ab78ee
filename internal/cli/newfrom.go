package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/since"
)

// openBase finds the commit that --new-from means.
func (s *session) openBase(ctx context.Context) (err error) {
	if s.flags.newFrom == "" {
		return nil
	}
	if s.files.Since, err = since.Open(ctx, paths.Working(), s.flags.newFrom); err != nil && ctx.Err() == nil {
		err = fmt.Errorf("--new-from: %w", err)
	}
	return err
}

// nonEmpty refuses an empty --new-from: a variable that is not set.
func (f *checkFlags) nonEmpty(given bool) error {
	if given && f.newFrom == "" {
		return errors.New("--new-from is empty; name a commit, as in --new-from origin/main")
	}
	return nil
}
