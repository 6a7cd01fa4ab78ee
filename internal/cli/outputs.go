package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// output is one place to which the report is written.
type output struct {
	format string
	file   string // "" for standard output
}

// readOutputs reads --output FORMAT[=FILE], of which there may be several. That a file
// cannot be written is said before the check, not after it.
func readOutputs(list []string) ([]output, error) {
	var out []output
	for _, text := range list {
		format, file, named := strings.Cut(text, "=")
		switch {
		case !slices.Contains(config.Formats, format):
			return nil, unknownFormat(format)
		case named && file == "":
			return nil, fmt.Errorf("--output %s: no file is named behind the =", text)
		case slices.ContainsFunc(out, func(o output) bool {
			return file != "" && o.file != "" && filepath.Clean(o.file) == filepath.Clean(file)
		}):
			return nil, fmt.Errorf("--output names %s twice; give each report a file of its own", file)
		case slices.ContainsFunc(out, func(o output) bool { return file == "" && o.file == "" }):
			return nil, fmt.Errorf("--output names two reports for standard output; give one of them a file, as in --output %s=FILE", format)
		}
		if file != "" {
			if err := writable(file); err != nil {
				return nil, fmt.Errorf("--output: %w", err)
			}
		}
		out = append(out, output{format, file})
	}
	return out, nil
}

func unknownFormat(name string) error {
	if near := words.Nearest(name, config.Formats); near != "" {
		return fmt.Errorf("--output: unknown format %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("--output: unknown format %q; the formats are %s", name, strings.Join(config.Formats, ", "))
}

// reports are where the report goes: as --output says, else as the settings and
// --output-file do.
func (s *session) reports() []output {
	if len(s.flags.outputs) > 0 {
		return s.flags.outputs
	}
	return []output{{s.settings.OutputFormat, s.flags.outputFile}}
}

// report writes the findings, or their counts, wherever they are wanted; standard is
// the stream for what has no file.
func (s *session) report(r *vet.Result, standard io.Writer) error {
	for _, o := range s.reports() {
		if err := s.write(r, o, standard); err != nil {
			return err
		}
	}
	s.tellWork(r)
	return nil
}

func (s *session) write(r *vet.Result, o output, standard io.Writer) error {
	var b bytes.Buffer
	look := report.Look{Quiet: s.flags.quiet}
	if o.file == "" {
		look.Coloured, look.Width = s.coloured(standard), s.width(standard)
	}
	if err := s.render(&b, r, o.format, look); err != nil {
		return err
	}
	if o.file == "" {
		if _, err := standard.Write(b.Bytes()); err != nil {
			return err
		}
	} else if err := writeFile(o.file, b.Bytes()); err != nil {
		return fmt.Errorf("--%s: %w", s.outputFlag(), err)
	}
	if o.format == "github" {
		return s.summariseStep(r)
	}
	return nil
}

func (s *session) outputFlag() string {
	if s.flags.outputFile != "" {
		return "output-file"
	}
	return "output"
}

// summariseStep adds the report to the summary of the job, where the runner of GitHub
// says where that is: annotations are few, and stand where few look.
func (s *session) summariseStep(r *vet.Result) error {
	path := s.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		s.warnf("GITHUB_STEP_SUMMARY: %v", notWritten(path, err))
		return nil // the runner's business; the findings are said all the same
	}
	return errors.Join(report.WriteMarkdown(f, r), f.Close())
}
