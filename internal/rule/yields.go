package rule

import (
	"fmt"
	"regexp"
	"slices"
)

// Cause is what two findings of one file have in common that are about one mistake.
type Cause string

// The causes, each of which includes the first.
const (
	Expression Cause = "expression" // one of the flagged expressions lies within the other
	Statement  Cause = "statement"  // both stand in one statement
	Origin     Cause = "origin"     // the value that makes one wrong comes from the other, or from where the other's does
)

// Yield is a rule that speaks instead of the one whose page says so, where both find something at the same cause: they would say one
// thing twice. A rule may yield to itself: of its findings at one cause the first speaks.
type Yield struct {
	To string // a code
	At Cause
}

// yieldShape is what an entry of "yields" looks like.
var yieldShape = regexp.MustCompile(fmt.Sprintf(`^([A-Z]{2,5}\d{3}) at the same (%s|%s|%s)$`, Expression, Statement, Origin))

func parseYield(text string) (Yield, bool) {
	m := yieldShape.FindStringSubmatch(text)
	if m == nil {
		return Yield{}, false
	}
	return Yield{To: m[1], At: Cause(m[2])}, true
}

// YieldsTo says at which cause a finding of the rule is not shown beside one of another.
func (d *Doc) YieldsTo(code string) (Cause, bool) {
	i := slices.IndexFunc(d.Yields, func(y Yield) bool { return y.To == code })
	if i < 0 {
		return "", false
	}
	return d.Yields[i].At, true
}

// checkYields fails where rules yield in a circle: nobody would speak.
func (r *Registry) checkYields() error {
	for _, e := range r.entries {
		for _, y := range e.Doc.Yields {
			if y.To != e.Doc.Code && r.reaches(y.To, e.Doc.Code, nil) {
				return fmt.Errorf("%s: it yields to %s, which yields to it", e.Doc.Path, y.To)
			}
		}
	}
	return nil
}

// reaches reports whether a rule yields to another, directly or not.
func (r *Registry) reaches(from, to string, seen []string) bool {
	e, ok := r.Lookup(from)
	if !ok || slices.Contains(seen, from) {
		return false
	}
	return slices.ContainsFunc(e.Doc.Yields, func(y Yield) bool { return y.To == to || r.reaches(y.To, to, append(seen, from)) })
}
