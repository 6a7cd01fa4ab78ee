package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
)

// A baseline is the list of findings that a project had when it started to use
// rlvet, so that only new ones are reported. Findings are known by path, from
// the folder of the baseline, and fingerprint, which edits elsewhere in the file
// do not change; each entry covers one finding. The rest is for the reader.
type baseline struct {
	Version  int             `json:"version"`
	Findings []baselineEntry `json:"findings"`
}

type baselineEntry struct {
	Fingerprint string `json:"fingerprint"`
	Filename    string `json:"filename"`
	Code        string `json:"code"`
	Row         int    `json:"row"`
	Message     string `json:"message"`
}

const baselineVersion = 1

// saveBaseline writes all findings as the baseline.
func (s *session) saveBaseline(j *judged) error {
	s.tell(j.report.Problems)
	b := baseline{Version: baselineVersion, Findings: []baselineEntry{}}
	dir := filepath.Dir(s.flags.writeBaseline)
	for _, f := range j.report.Findings {
		b.Findings = append(b.Findings, baselineEntry{f.Fingerprint, relative(dir, f.Range.File), f.Code, f.Range.Start.Row, f.Message})
	}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if err := writeFile(s.flags.writeBaseline, append(data, '\n')); err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	for _, p := range j.report.Problems {
		if p.Fatal {
			s.exit = exitFailure
		}
	}
	if !s.flags.quiet {
		fmt.Fprintf(s.Stderr, "Wrote %s to %s. Pass --baseline %s, or set baseline = %q, to report only new ones.\n",
			count(len(b.Findings), "finding"), s.flags.writeBaseline, s.flags.writeBaseline, filepath.ToSlash(s.flags.writeBaseline))
	}
	return nil
}

// applyBaseline drops the findings that the baseline knows.
func (s *session) applyBaseline(r *report.Report) error {
	path := s.settings.Baseline
	if path == "" {
		return nil
	}
	known, err := readBaseline(path)
	if err != nil {
		return err
	}
	fresh, dropped := unknown(known, path, r.Findings)
	r.Findings, r.Baselined = fresh, r.Baselined+dropped
	return nil
}

// unknown returns the findings that a baseline does not know, and how many it does;
// what it knows is used up.
func unknown(known map[[2]string]int, path string, findings []finding.Finding) (fresh []finding.Finding, dropped int) {
	for _, f := range findings {
		key := [2]string{relative(filepath.Dir(path), f.Range.File), f.Fingerprint}
		if known[key] > 0 {
			known[key]--
			dropped++
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh, dropped
}

// readBaseline returns how often each finding is known.
func readBaseline(path string) (map[[2]string]int, error) {
	shown := relative(workingDir(), path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("baseline %s cannot be read; write it with --write-baseline %s", shown, shown)
	}
	var b baseline
	if err := json.Unmarshal(data, &b); err != nil || b.Version != baselineVersion {
		return nil, fmt.Errorf("%s: this is no baseline of this version; write it again with --write-baseline %s", shown, shown)
	}
	known := map[[2]string]int{}
	for _, e := range b.Findings {
		known[[2]string{e.Filename, e.Fingerprint}]++
	}
	return known, nil
}

// relative returns a path as seen from a folder, with slashes; the path itself
// where there is no way.
func relative(dir, path string) string {
	absDir, err1 := filepath.Abs(dir)
	abs, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(absDir, abs)
	if err1 != nil || err2 != nil || err3 != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
