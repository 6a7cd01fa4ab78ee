package report

import (
	"fmt"
	"io"

	"github.com/rlvet/rlvet/internal/harness"
)

// writeAnnotations writes a workflow command a finding: an error for what was confirmed, a
// notice for what was refuted, a warning where nothing was proved, since the finding stands.
func writeAnnotations(w io.Writer, list []confirmation) error {
	p := &printer{w: w}
	for _, c := range list {
		for i, f := range c.Findings {
			if c.Outcome == nil {
				continue
			}
			p.printf("::%s title=%s,file=%s%s::%s\n", annotation(c.Outcome.Targets[i].Verdict),
				propertyEscape.Replace(fmt.Sprintf("rlvet confirm (%s %s)", f.Code, f.Name)), propertyEscape.Replace(f.Range.File),
				githubLines(f.Range), messageEscape.Replace(fmt.Sprintf("%s: %s %s\n%s", place(f.Range), f.Code, f.Line(), c.inShort(i))))
		}
		for _, x := range c.problems() {
			if x.Fatal && x.File != "" {
				p.printf("::error title=rlvet,file=%s,line=%d::%s\n", propertyEscape.Replace(x.File), fileLine(x), messageEscape.Replace(notChecked(x)))
			}
		}
	}
	return p.err
}

func annotation(v harness.Verdict) string {
	switch v {
	case harness.Confirmed:
		return "error"
	case harness.Refuted:
		return "notice"
	}
	return "warning"
}
