package claim

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed contracts/*.py
var files embed.FS

// Contract is what a quantity has to be.
type Contract struct {
	Quantity string // as a claim names it: "log-prob"
	Says     string // what has to hold
	Source   string // where that is from
	Probe    string // the source of the probe that checks it
	names    []string
}

// namesOf are words by which programs name a quantity, besides its own.
var namesOf = map[string][]string{
	"ratio":     {"ratios", "rho", "rhos", "importance"},
	"log-ratio": {"logratio", "logratios", "logr"},
	"advantage": {"adv", "advs", "advantages", "gae"},
	"target":    {"targets", "return", "returns", "ret", "y"},
	"log-prob":  {"logprob", "logprobs", "logp", "logps", "logpi", "lp"},
	"prob":      {"probs", "probability", "probabilities", "p", "pi"},
	"logits":    {"logit", "scores"},
	"mask":      {"masks", "valid"},
	"kl":        {"kls", "kld", "divergence"},
	"entropy":   {"entropies", "ent"},
	"loss":      {"losses", "objective"},
	"divisor":   {"denominator", "denom", "count", "n"},
	"std":       {"sigma", "scale", "stds"},
	"reward":    {"rewards", "rew", "r", "rs"},
	"done":      {"dones", "terminated", "truncated", "terminal", "terminals", "nonterminal"},
}

// head is the docstring of a contract: what holds, and the source.
var head = regexp.MustCompile(`^"""([a-z-]+): (.+)\n\nSource: ((?:.+\n)+)"""\n`)

var contracts = sync.OnceValue(func() []Contract {
	entries, err := files.ReadDir("contracts")
	if err != nil {
		panic(err) // the files are embedded: a mistake in the program, which every test meets
	}
	var out []Contract
	for _, e := range entries {
		text, err := files.ReadFile("contracts/" + e.Name())
		m := head.FindSubmatch(text)
		if err != nil || m == nil || string(m[1])+".py" != e.Name() {
			panic(fmt.Sprintf("contracts/%s must begin with a docstring \"QUANTITY: what holds\", an empty line and \"Source: ...\"", e.Name()))
		}
		name := string(m[1])
		source := strings.Join(strings.Fields(string(m[3])), " ")
		out = append(out, Contract{Quantity: name, Says: string(m[2]), Source: source, Probe: string(text), names: append([]string{name}, namesOf[name]...)})
	}
	return out
})

// ContractOf finds the contract of a quantity, which may be written log_prob or logprob.
func ContractOf(quantity string) (Contract, bool) {
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(quantity))
	for _, c := range contracts() {
		for _, name := range []string{c.Quantity, c.Quantity + "s"} {
			if plain == strings.ReplaceAll(name, "-", "") {
				return c, true
			}
		}
	}
	return Contract{}, false
}

// Quantities lists the names of the quantities that have contracts.
func Quantities() (out []string) {
	for _, c := range contracts() {
		out = append(out, c.Quantity)
	}
	return out
}

// Wanted says which expression of a line is the quantity.
func (c Contract) Wanted() Wanted {
	w := Wanted{Names: c.names, Guarded: c.Quantity == "std"}
	if c.Quantity == "log-ratio" {
		w.Hint, w.Never = "-", "call exp" // of (logp - old).exp() the difference
	}
	return w
}

// isCalled reports whether a name of a program is one of some words, or has one as a part:
// old_logp, ratioClipped.
func isCalled(name string, of []string) bool {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r >= '0' && r <= '9' })
	joined := strings.Join(parts, "-")
	return slices.ContainsFunc(of, func(w string) bool {
		if strings.Contains(w, "-") {
			return strings.Contains("-"+joined+"-", "-"+w+"-") || strings.Contains("-"+joined+"-", "-"+w+"s-")
		}
		return slices.Contains(parts, w)
	})
}

// QuantityOf is the quantity that a name of a program says its value is: "old_ratio" is a ratio,
// "kl_loss" a loss. It is "" where the name says nothing; of several the last word decides.
func QuantityOf(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !(r >= 'a' && r <= 'z') })
	for i := range parts {
		tail := strings.Join(parts[len(parts)-1-i:], "_")
		for _, c := range contracts() {
			if isCalled(tail, c.names) {
				return c.Quantity
			}
		}
	}
	return ""
}
