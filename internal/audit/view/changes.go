package view

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/audit"
)

// Changes says which signals changed their level, a line each. What was not there before was
// unknown.
func Changes(before, after []audit.Signal) []string {
	was := map[string]audit.Level{}
	for _, s := range before {
		was[s.Name] = s.Level
	}
	var out []string
	for _, s := range after {
		old, known := was[s.Name]
		if !known {
			old = audit.Unknown
		}
		if s.Level == old || old == audit.Unknown && s.Level == audit.OK {
			continue
		}
		line := fmt.Sprintf("%s: %s -> %s", named(s.Name), old, s.Level)
		if facts := facts(&s); facts != "" {
			line += ": " + facts
		}
		out = append(out, line)
	}
	return out
}
