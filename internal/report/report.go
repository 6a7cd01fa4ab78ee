// Package report writes findings for people and for programs: concise and full
// text, JSON, SARIF 2.1.0, and what CI servers, reviews and coding agents read.
//
// Input is a result of vet, which is plain data: findings with their positions, the
// texts of the files that they lie in, and the pages of the rules. Output is
// bytes; the same report gives the same bytes. Each format is one file behind
// the interface Writer.
// Limits: columns assume a font in which wide characters take two cells.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// Writer writes a report in one format.
type Writer interface {
	Write(w io.Writer, r *vet.Result) error
}

// New returns the writer of a format. The look is that of the text formats.
func New(format string, look Look) (Writer, error) {
	switch format {
	case "concise":
		return &Concise{newPalette(look)}, nil
	case "full":
		return &Full{newPalette(look)}, nil
	case "json":
		return JSON{}, nil
	case "json-lines":
		return JSONLines{}, nil
	case "grouped":
		return &Grouped{newPalette(look)}, nil
	case "agent":
		return Agent{}, nil
	case "azure":
		return Azure{}, nil
	case "gitlab":
		return GitLab{}, nil
	case "junit":
		return JUnit{}, nil
	case "pylint":
		return Pylint{}, nil
	case "rdjson":
		return RDJSON{}, nil
	case "github":
		return GitHub{}, nil
	case "sarif":
		return SARIF{}, nil
	}
	return nil, fmt.Errorf("unknown output format %q", format)
}

// applicable reports whether --fix would apply the fix of f.
func applicable(r *vet.Result, f *finding.Finding) bool {
	if f.Fix == nil {
		return false
	}
	return f.Fix.Applicability == finding.Safe || r.UnsafeFixes && f.Fix.Applicability == finding.Unsafe
}

// printable replaces control characters, with which a source text could
// otherwise steer the reader's terminal. Tabs stay.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c >= 0x20 && c != 0x7f && !(0x80 <= c && c < 0xa0) {
			return c
		}
		return '\ufffd'
	}, s)
}

// printer collects the first error of many writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
