package engine

import (
	"cmp"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/project"
)

// place identifies findings that are one.
type place struct {
	code, file string
	start, end int
}

// merge makes the final list: one finding for each code and place, the best
// explained one where several passes found it, sorted, with fingerprints.
func (r *run) merge(res *Result) []finding.Finding {
	best := map[place]*raw{}
	for f := range r.reported(res.Reporters) {
		key := place{f.Code, f.Range.File, f.Range.StartByte, f.Range.EndByte}
		old := best[key]
		if old == nil {
			best[key] = f
			continue
		}
		severity := slices.MinFunc([]finding.Severity{f.Severity, old.Severity}, finding.Severity.Compare) // as bad as in the run that it hurts most
		if better(f, old) {
			best[key] = f
		}
		best[key].Severity = severity
	}
	list := make([]*raw, 0, len(best))
	for _, f := range best {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *raw) int { return compareFindings(&a.Finding, &b.Finding) })
	counts := map[[3]string]int{}
	out := make([]finding.Finding, 0, len(list))
	for _, f := range list {
		key := [3]string{f.Code, f.Range.File, f.statement}
		f.Fingerprint = finding.Fingerprint(f.Code, project.Relative(f.module.resolver.Root(), f.module.abs), f.statement, counts[key])
		counts[key]++
		res.Files[f.module.Path] = f.module.File
		for _, rel := range f.Related {
			res.Files[rel.Range.File] = r.sources[rel.Range.File].File
		}
		out = append(out, f.Finding)
	}
	return out
}

// reported goes through what the rules said on every module, and notes which
// modules reported on others.
func (r *run) reported(reporters map[string][]string) func(yield func(*raw) bool) {
	return func(yield func(*raw) bool) {
		for m, y := range r.yields {
			for i := range y.findings {
				f := y.findings[i]
				f.module = r.sources[f.Range.File]
				if f.module == m && r.isPart(m) {
					continue
				}
				if known := reporters[f.Range.File]; f.module != m && !slices.Contains(known, m.Path) {
					reporters[f.Range.File] = append(known, m.Path)
				}
				if !yield(&f) {
					return
				}
			}
		}
	}
}

func compareFindings(a, b *finding.Finding) int {
	return cmp.Or(
		cmp.Compare(a.Range.File, b.Range.File),
		cmp.Compare(a.Range.StartByte, b.Range.StartByte),
		cmp.Compare(a.Range.EndByte, b.Range.EndByte),
		cmp.Compare(a.Code, b.Code),
	)
}

var strength = map[finding.Evidence]int{finding.Table: 6, finding.Derived: 5, finding.Used: 4, finding.Annotated: 3, finding.Named: 2, finding.NameOnly: 1}

// better says whether a explains more than b: stronger evidence, then the severity, of which
// the page's own, "", is the highest, then the longer origin, then a fix. The rest is order of text, so that the choice does not
// depend on which pass came first.
func better(a, b *raw) bool {
	return cmp.Or(
		cmp.Compare(strength[a.Evidence], strength[b.Evidence]),
		b.Severity.Compare(a.Severity),
		cmp.Compare(len(a.Related), len(b.Related)),
		cmp.Compare(fixes(a), fixes(b)),
		cmp.Compare(b.Message, a.Message),
		cmp.Compare(b.Why, a.Why),
		cmp.Compare(b.Help, a.Help),
		slices.CompareFunc(b.Related, a.Related, compareRelated),
	) > 0
}

// fixes ranks a fix; where passes disagree on how safe it is, the weaker wins.
func fixes(r *raw) int {
	switch {
	case r.Fix == nil:
		return 0
	case r.Fix.Applicability == finding.DisplayOnly:
		return 3
	case r.Fix.Applicability == finding.Unsafe:
		return 2
	}
	return 1
}

func compareRelated(a, b finding.Related) int {
	return cmp.Or(cmp.Compare(a.Range.File, b.Range.File), cmp.Compare(a.Range.StartByte, b.Range.StartByte), cmp.Compare(a.Message, b.Message))
}

func sortProblems(list []finding.Problem) {
	slices.SortFunc(list, finding.Problem.Compare)
}
