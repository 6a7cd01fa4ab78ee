package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// Metric is what a number of a log measures. An empty Unit is the one that the logger
// tells, or none.
type Metric struct {
	Quantity record.Quantity
	Unit     record.Unit
}

// ParseMetric reads QUANTITY or QUANTITY:UNIT. The words of a unit may be joined by hyphens
// or underscores, so that a shell needs no quotes.
func ParseMetric(text string) (Metric, error) {
	quantity, unit, given := strings.Cut(text, ":")
	m := Metric{Quantity: record.Quantity(strings.TrimSpace(quantity))}
	if !slices.Contains(record.Quantities, m.Quantity) {
		return m, unknownName("quantity", quantity, quantities(), "quantities")
	}
	if !given {
		return m, nil
	}
	var known bool
	if slices.Contains([]string{"percent", "per-cent", "%", "pct"}, strings.ToLower(strings.TrimSpace(unit))) {
		return m, fmt.Errorf("unknown unit %q; a share is logged as 0 to 1, not in percent: divide it by 100 and write %s:share, or for a score write %s:points", unit, m.Quantity, m.Quantity)
	}
	if m.Unit, known = record.ParseUnit(unit); !known {
		return m, unknownName("unit", unit, units(), "units")
	}
	return m, nil
}

func unknownName(what, name string, all []string, plural string) error {
	if near := words.Nearest(name, all); near != "" {
		return fmt.Errorf("unknown %s %q; did you mean %q?", what, name, near)
	}
	return fmt.Errorf("unknown %s %q; the %s are %s", what, name, plural, strings.Join(all, ", "))
}

func quantities() (out []string) {
	for _, q := range record.Quantities {
		out = append(out, string(q))
	}
	return out
}

func units() (out []string) {
	for _, u := range record.Units {
		out = append(out, u.Typed())
	}
	return out
}

// applyAudit adds the metrics of a layer; those of a more important one win, name by name.
func (s *Settings) applyAudit(l *Layer) error {
	if l.Values.Audit.Metrics == nil {
		return nil
	}
	s.origins["audit.metrics"] = l.at("audit.metrics")
	if s.Metrics == nil {
		s.Metrics = map[string]Metric{}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Values.Audit.Metrics)) {
		m, err := ParseMetric(l.Values.Audit.Metrics[name])
		if err != nil {
			return errorAt(l.atEntry("audit.metrics", name), "%q: %v", name, err)
		}
		s.Metrics[name] = m
	}
	return nil
}
