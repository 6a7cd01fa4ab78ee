package names

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// ownPrefix starts the names that the callback of rlvet writes (internal/audit/callback).
const ownPrefix = "rlvet/"

// own returns the meaning of a name that says it itself, whatever the trainer:
// rlvet/QUANTITY or rlvet/QUANTITY:UNIT.
func own(name string) (Meaning, bool) {
	text, ok := strings.CutPrefix(name, ownPrefix)
	if !ok {
		return Meaning{}, false
	}
	quantity, unit, given := strings.Cut(text, ":")
	m := Meaning{Quantity: record.Quantity(quantity)}
	if !slices.Contains(record.Quantities, m.Quantity) {
		return Meaning{}, false
	}
	if given {
		m.Unit, ok = record.ParseUnit(unit)
	}
	return m, ok
}
