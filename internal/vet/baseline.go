package vet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/source"
)

// Baseline is the list of findings that a project had when it started to use
// rlvet, so that only new ones are reported. Findings are known by path, from
// the folder of the baseline, and fingerprint, which edits elsewhere in the file
// do not change; each entry covers one finding. The rest is for the reader.
type Baseline struct {
	Version  int     `json:"version"`
	Findings []Known `json:"findings"`

	dir string // of its file
}

// Known is an entry of a baseline.
type Known struct {
	Fingerprint string `json:"fingerprint"`
	Filename    string `json:"filename"`
	Code        string `json:"code"`
	Row         int    `json:"row"`
	Message     string `json:"message"`
}

const baselineVersion = 1

// NewBaseline is the baseline of some findings that is to have a path.
func NewBaseline(path string, findings []finding.Finding) *Baseline {
	b := &Baseline{Version: baselineVersion, Findings: []Known{}, dir: filepath.Dir(path)}
	for _, f := range findings {
		b.Findings = append(b.Findings, Known{f.Fingerprint, paths.From(b.dir, f.Range.File), f.Code, f.Range.Start.Row, f.Message})
	}
	return b
}

// Keep adds entries of an earlier baseline that stay, file by file.
func (b *Baseline) Keep(entries []Known) {
	b.Findings = append(b.Findings, entries...)
	slices.SortStableFunc(b.Findings, func(x, y Known) int { return strings.Compare(x.Filename, y.Filename) })
}

// ReadBaseline reads a baseline's file.
func ReadBaseline(path string) (*Baseline, error) {
	shown := paths.From(paths.Working(), path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("baseline %s cannot be read; correct its path", shown)
	}
	b := &Baseline{dir: filepath.Dir(path)}
	if err := json.Unmarshal(data, b); err != nil || b.Version != baselineVersion {
		return nil, fmt.Errorf("%s: this is no baseline that this version reads; name the file that --write-baseline wrote", shown)
	}
	return b, nil
}

// BaselineOf reads the baseline of settings. The error says where it is named.
func BaselineOf(s *config.Settings) (*Baseline, error) {
	b, err := ReadBaseline(s.Baseline)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Origin("baseline"), err)
	}
	return b, nil
}

// Fresh returns the findings that the baseline of the settings does not know.
func Fresh(s *config.Settings, findings []finding.Finding) ([]finding.Finding, error) {
	if s.Baseline == "" {
		return findings, nil
	}
	b, err := BaselineOf(s)
	if err != nil {
		return findings, err
	}
	fresh, _ := b.unknown(findings)
	return fresh, nil
}

// dropKnown drops the findings that the baseline knows.
func (f *Files) dropKnown(r *Result) error {
	if f.Settings.Baseline == "" || f.All {
		return nil
	}
	b, err := BaselineOf(f.Settings)
	if err != nil {
		return err
	}
	fresh, _, gone := f.Compare(b, r)
	r.Baselined += len(r.Findings) - len(fresh)
	r.Findings = fresh
	r.More, _ = b.unknown(r.More)
	if f.Since == nil && f.whole() { // else not all findings are among them
		r.Gone = len(gone)
	}
	return nil
}

// whole reports whether the projects of all inputs are checked as a whole.
func (f *Files) whole() bool {
	return !slices.ContainsFunc(f.Inputs, func(in config.Input) bool { return !f.coverage().Whole(in) })
}

// Compare parts the findings of a check and the entries of a baseline: findings that it does
// not know, entries that stay, and entries of which a check of their file found nothing any
// more. An entry covers one finding.
func (f *Files) Compare(b *Baseline, r *Result) (fresh []finding.Finding, stay, gone []Known) {
	fresh, left := b.unknown(r.Findings)
	for _, e := range slices.Backward(b.Findings) { // the first ones are taken for found
		key := [2]string{e.Filename, e.Fingerprint}
		if left[key] > 0 && f.looked(b.dir, e, r) {
			left[key]--
			gone = append(gone, e)
		} else {
			stay = append(stay, e)
		}
	}
	slices.Reverse(stay)
	return fresh, stay, gone
}

// Unseen are the entries of a baseline of which a check can say nothing: it did not find
// them, and would not have.
func (f *Files) Unseen(b *Baseline, r *Result) (out []Known) {
	_, left := b.unknown(r.Findings)
	for _, e := range slices.Backward(b.Findings) {
		if key := [2]string{e.Filename, e.Fingerprint}; left[key] > 0 {
			left[key]--
			if !f.looked(b.dir, e, r) {
				out = append(out, e)
			}
		}
	}
	slices.Reverse(out)
	return out
}

// unknown returns the findings that the baseline does not know, and how often each entry is
// left.
func (b *Baseline) unknown(findings []finding.Finding) (fresh []finding.Finding, left map[[2]string]int) {
	left = map[[2]string]int{}
	for _, e := range b.Findings {
		left[[2]string{e.Filename, e.Fingerprint}]++
	}
	for _, f := range findings {
		key := [2]string{paths.From(b.dir, f.Range.File), f.Fingerprint}
		if left[key] > 0 {
			left[key]--
		} else {
			fresh = append(fresh, f)
		}
	}
	return fresh, left
}

// looked reports whether the check would have found what an entry says, if it were
// there: the file was checked with all that may call it, and its rule on, or there is no
// such file.
func (f *Files) looked(dir string, e Known, r *Result) bool {
	if !paths.Exist(filepath.Join(dir, filepath.FromSlash(e.Filename))) {
		return true
	}
	for _, in := range f.Inputs {
		if paths.From(dir, in.Path) == e.Filename {
			return len(r.Fatal()) == 0 && readable(in.Path, r) && in.Settings.EnabledFor(in.Path)[e.Code] && f.coverage().Whole(in)
		}
	}
	return false
}

// readable reports whether a file that the check found nothing in could be read. A
// configuration in a folder that could not is passed over as data, some of them in silence.
func readable(path string, r *Result) bool {
	if slices.ContainsFunc(r.Problems, func(p finding.Problem) bool { return p.File == path }) {
		return false
	}
	_, err := source.Read(path)
	return r.Files[path] != nil || err == nil
}
