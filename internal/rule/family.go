package rule

import (
	"slices"
	"strings"
)

// Family is a group of rules that share a prefix and a folder.
type Family struct {
	Name   string // the folder: advantage
	Prefix string // of its codes: ADV
	Title  string // for headings
}

// Families lists the families in the order in which they are shown.
var Families = []Family{
	{"sampling", "DIST", "Sampling and distributions"},
	{"objective", "OBJ", "Policy objectives"},
	{"advantage", "ADV", "Returns and advantages"},
	{"kl", "KL", "KL and references"},
	{"value", "VAL", "Value functions"},
	{"replay", "OFF", "Off-policy learning and replay"},
	{"tokens", "TOK", "Tokens and sequences"},
	{"autograd", "GRAD", "Autograd"},
	{"loop", "LOOP", "Training loops and optimizers"},
	{"env", "ENV", "Environments"},
	{"seeding", "SEED", "Seeding and reproducibility"},
	{"config", "CFG", "Configuration"},
	{"reward", "RWD", "Reward functions"},
	{"suppression", "RLV", "Suppression comments"},
}

// IsFamily reports whether this is the name or the prefix of a family.
func IsFamily(name string) bool {
	return slices.ContainsFunc(Families, func(f Family) bool { return strings.EqualFold(name, f.Name) || strings.EqualFold(name, f.Prefix) })
}

// familyNamed returns the family with this name, or nil.
func familyNamed(name string) *Family {
	for i := range Families {
		if Families[i].Name == name {
			return &Families[i]
		}
	}
	return nil
}
