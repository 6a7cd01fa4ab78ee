package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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
	if err := b.save(s.flags.writeBaseline); err != nil {
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
	b, err := readBaseline(path)
	if err != nil {
		return err
	}
	fresh, _, gone := s.compare(b, r)
	r.Baselined += len(r.Findings) - len(fresh)
	r.Findings = fresh
	if s.base == nil { // else old findings are not among them
		r.Gone = len(gone)
	}
	return nil
}

// compare parts the findings and the entries: findings that the baseline does not know,
// entries that stay, and entries of which a check of their file found nothing any more.
// An entry covers one finding.
func (s *session) compare(b *baseline, r *report.Report) (fresh []finding.Finding, stay, gone []baselineEntry) {
	dir := filepath.Dir(s.settings.Baseline)
	fresh, known := b.unknown(dir, r.Findings)
	for _, e := range slices.Backward(b.Findings) { // the first ones are taken for found
		key := [2]string{e.Filename, e.Fingerprint}
		if known[key] > 0 && s.looked(dir, e, r) {
			known[key]--
			gone = append(gone, e)
		} else {
			stay = append(stay, e)
		}
	}
	slices.Reverse(stay)
	return fresh, stay, gone
}

// unknown returns the findings that the baseline in a folder does not know, and how often
// each entry is left.
func (b *baseline) unknown(dir string, findings []finding.Finding) (fresh []finding.Finding, left map[[2]string]int) {
	left = b.counts()
	for _, f := range findings {
		key := [2]string{relative(dir, f.Range.File), f.Fingerprint}
		if left[key] > 0 {
			left[key]--
		} else {
			fresh = append(fresh, f)
		}
	}
	return fresh, left
}

// looked reports whether the check would have found what an entry says, if it were
// there: the file was checked as a whole, with its rule on, or there is no such file.
func (s *session) looked(dir string, e baselineEntry, r *report.Report) bool {
	path := filepath.Join(dir, filepath.FromSlash(e.Filename))
	if !fileExists(path) {
		return true
	}
	for _, in := range s.inputs {
		if relative(dir, in.Path) == e.Filename {
			broken := slices.ContainsFunc(r.Problems, func(p finding.Problem) bool { return p.Fatal && p.File == in.Path })
			return !broken && in.Settings.EnabledFor(in.Path)[e.Code]
		}
	}
	return false
}

// readBaseline reads a file that --write-baseline wrote.
func readBaseline(path string) (*baseline, error) {
	shown := relative(workingDir(), path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("baseline %s cannot be read; write it with --write-baseline %s", shown, shown)
	}
	b := &baseline{}
	if err := json.Unmarshal(data, b); err != nil || b.Version != baselineVersion {
		return nil, fmt.Errorf("%s: this is no baseline of this version; write it again with --write-baseline %s", shown, shown)
	}
	return b, nil
}

// counts returns how often each finding is known.
func (b *baseline) counts() map[[2]string]int {
	known := map[[2]string]int{}
	for _, e := range b.Findings {
		known[[2]string{e.Filename, e.Fingerprint}]++
	}
	return known
}

// save writes the baseline.
func (b *baseline) save(path string) error {
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
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
