// Package postmortem writes what a hunt found as a report that people discuss and keep.
//
// Purpose: of a failure of training everything that a machine knows, in the order in which
// engineers tell it: summary, impact, timeline, reproduction, cause, evidence, what was
// tried, the fix, why nothing caught it, and what will.
//
// Input: a [hunt.Result]. Output: postmortem.md, and postmortem.html with the plots, which
// loads nothing. Both are written from one document ([document]), and the same result
// gives the same bytes.
//
// Limits: every number is one of the result. What only people know (who was affected, who
// does what until when) is a marked gap that they fill in.
package postmortem

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"github.com/rlvet/rlvet/internal/hunt"
)

// The names of the files.
const (
	Markdown = "postmortem.md"
	Page     = "postmortem.html"
)

// Write writes both files into a folder, which it makes where there is none, each as a
// whole or not at all. It returns their paths by what they are: "post-mortem", "page".
func Write(dir string, r *hunt.Result) (map[string]string, error) {
	d := documentOf(r)
	var page bytes.Buffer
	if err := d.writeHTML(&page); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made: %w", dir, err)
	}
	files := map[string]string{"post-mortem": filepath.Join(dir, Markdown), "page": filepath.Join(dir, Page)}
	if err := maybe.WriteFile(files["post-mortem"], []byte(d.markdown()), 0o644); err != nil {
		return nil, err
	}
	return files, maybe.WriteFile(files["page"], page.Bytes(), 0o644)
}
