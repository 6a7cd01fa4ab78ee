// Package wrongtokenlogprob is rule DIST019, wrong-token-logprob; rule.md says what
// it finds.
package wrongtokenlogprob

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports log-probabilities read from the first entry of a dict that vLLM filled
// with several tokens.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("logprob") {
		if v.Op != infer.OpAttr+".logprob" || len(v.In) == 0 {
			continue
		}
		entries := firstOf(p, v)
		if entries == nil {
			continue
		}
		if params := severalTokens(entries); params != nil {
			p.Report(finding(p, v, params))
		}
	}
}

// firstOf returns the call of values() of which v reads the first element: by
// next(iter(...)), or list(...)[0].
func firstOf(p *pass.Pass, v *infer.Val) *infer.Val {
	element := v.In[0]
	if element == nil || element.Op != infer.OpIterate || len(element.In) == 0 || !(isNext(element) || isFirst(v)) {
		return nil
	}
	entries := element.In[0]
	for entries != nil && entries.Op == infer.OpDisplay && len(entries.In) == 1 {
		entries = entries.In[0]
	}
	if entries == nil || entries.Op != infer.OpCall+".values" || len(entries.In) != 1 {
		return nil
	}
	return entries
}

// isSorted reports whether a list was put in another order.
func isSorted(list *infer.Val) bool {
	if list == nil || list.Frame == nil {
		return false
	}
	call, ok := list.Node.(*ast.Call)
	if !ok {
		return false
	}
	fun := list.Frame.Val(call.Fun)
	if fun == nil {
		return false
	}
	lib, ok := fun.Ref.(*infer.LibRef)
	return ok && lib.Name == "builtins.sorted"
}

// isNext reports whether an element was taken by next().
func isNext(element *infer.Val) bool {
	call, ok := element.Node.(*ast.Call)
	if !ok {
		return false
	}
	fun := element.Frame.Val(call.Fun)
	if fun == nil {
		return false
	}
	lib, ok := fun.Ref.(*infer.LibRef)
	return ok && lib.Name == "builtins.next"
}

// isFirst reports whether v is x[0].logprob.
func isFirst(v *infer.Val) bool {
	at, ok := v.Node.(*ast.Attribute)
	if !ok {
		return false
	}
	sub, ok := at.X.(*ast.Subscript)
	if !ok || v.Frame == nil {
		return false
	}
	i, ok := v.Frame.Val(sub.Index).Int()
	return ok && i == 0 && !isSorted(v.Frame.Val(sub.X))
}

// severalTokens returns the sampling parameters behind a dict of log-probabilities
// where they ask for more tokens than the drawn one.
func severalTokens(entries *infer.Val) *infer.Val {
	var found *infer.Val
	infer.Walk(entries, 400, func(v *infer.Val) bool {
		if !roles.SamplesText(v) {
			return found == nil
		}
		if n, ok := roles.SettingOf(v, "logprobs").Int(); ok && n >= 1 && !isZero(roles.SettingOf(v, "temperature")) {
			found = v // at temperature 0 the drawn token is the likeliest, so there is no other before it
		}
		return false
	})
	return found
}

func isZero(v *infer.Val) bool {
	if v == nil {
		return false
	}
	c, ok := v.Float()
	return ok && c == 0
}

func finding(p *pass.Pass, v, params *infer.Val) pass.Finding {
	f := pass.At(v)
	f.Evidence = domain.Derived
	f.Related = p.Here(params, "the most likely tokens are requested here")
	return f
}
