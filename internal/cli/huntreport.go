package cli

import (
	"fmt"
	"os"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/hunt/postmortem"
)

// writeReport writes the post-mortem where one is asked for.
func (h *hunting) writeReport(r *hunt.Result) error {
	if h.flags.report == "" || r.Error != "" {
		return nil
	}
	files, err := postmortem.Write(h.flags.report, r)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	for what, path := range files {
		r.Files[what] = path
	}
	return nil
}

// folder says before anything runs what would keep files from being written to a folder.
func folder(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is a file; name a folder", flag, path)
	}
	return nil
}
