// Package answerformmistaken is rule RWD002, answer-form-mistaken; rule.md says what it finds.
package answerformmistaken

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports reward functions that read messages as text, or text as messages.
var Analyzer = pass.Rule(Doc, run)

// ofText are methods of text that lists have not.
var ofText = query.Words(`strip lstrip rstrip lower upper split rsplit splitlines replace startswith endswith find rfind removeprefix removesuffix partition
	rpartition casefold title encode`)

func run(p *pass.Pass) {
	for f, sc := range p.ScoringFrames {
		if sc.Form == infer.FormUnknown || p.In(f) == nil {
			continue
		}
		counted := messageCounts(f)
		for _, n := range f.Nodes() {
			if counted[n] {
				continue
			}
			at, message, why, help := mistake(f, n)
			v := f.Val(n)
			if at == nil || v == nil || query.AskedType(v) || query.TriedAbove(f, n) {
				continue
			}
			finding := pass.Finding{At: at, Frame: f, Evidence: domain.Derived, Message: message, Why: why, Help: help}
			if sc.Trainer != nil && p.In(sc.At) != nil {
				finding.Related = []pass.Related{{Source: p.In(sc.At), Node: sc.Trainer.Fun, Message: "this trainer's prompts are " + prompts(sc.Form)}}
			}
			p.Report(finding)
		}
	}
}

func prompts(form infer.AnswerForm) string {
	if form == infer.FormMessages {
		return "lists of messages, and so are its completions"
	}
	return "plain text, and so are its completions"
}

const (
	raises  = "it raises at the first batch, after the model was loaded and has generated"
	content = "take the text, `completion[0][\"content\"]`"
)

// mistake is the expression that takes an answer for what it is not, and what to say of it.
func mistake(f *infer.Frame, n ast.Node) (at ast.Node, message, why, help string) {
	switch n := n.(type) {
	case *ast.Call:
		if isLen(f, n) && messages(f.Val(n.Args[0])) {
			return n, "", "", ""
		}
		if fun, ok := n.Fun.(*ast.Attribute); ok && ofText[fun.Attr] && messages(f.Val(fun.X)) {
			return n, "a list of messages has no `" + fun.Attr + "()`", raises, content
		}
		if r, ok := query.RegexAt(f, n); ok && messages(r.Subject) {
			return n, "a list of messages is searched as if it were text", raises, content
		}
	case *ast.Compare:
		if len(n.Ops) == 1 && (n.Ops[0] == ast.In || n.Ops[0] == ast.NotIn) && messages(f.Val(n.Ys[0])) && f.Val(n.X).Is(domain.Text) {
			return n, "text is looked for in a list of messages, where it never is", "every completion gets the same reward, so advantages are 0 and nothing is learnt", content
		}
	case *ast.Subscript:
		if key, ok := f.Val(n.Index).Str(); ok && (key == "content" || key == "role") && text(f.Val(n.X)) {
			return n, "a completion that is text is read as a list of messages", "text has no key \"" + key + "\": " + raises, "use the completion itself, or make the prompts lists of messages"
		}
	}
	return nil, "", "", ""
}

// fewMessages is a number of messages that a conversation may have, and too few letters for any text.
const fewMessages = 2

// messageCounts are the lengths that ask how many messages there are: they are compared with so few, or stand as a condition.
func messageCounts(f *infer.Frame) map[ast.Node]bool {
	counts := map[ast.Node]bool{}
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.Compare:
			for _, pair := range [][2]ast.Expr{{n.X, n.Ys[0]}, {n.Ys[0], n.X}} {
				if few, ok := f.Val(pair[1]).Int(); ok && few <= fewMessages && len(n.Ops) == 1 {
					counts[pair[0]] = true
				}
			}
		case *ast.BoolOp:
			for _, x := range n.Values {
				counts[x] = true
			}
		case *ast.If:
			counts[n.Cond] = true
		case *ast.IfExp:
			counts[n.Cond] = true
		case *ast.UnaryOp:
			counts[n.X] = counts[n.X] || n.Op == ast.Not
		}
	}
	return counts
}

func isLen(f *infer.Frame, n *ast.Call) bool {
	name, ok := n.Fun.(*ast.Name)
	return ok && name.Ident == "len" && len(n.Args) == 1
}

// messages reports whether v is an answer that is a list of messages.
func messages(v *infer.Val) bool {
	v = infer.Strip(v)
	if v == nil || v.Op != infer.OpAnswer {
		return false
	}
	_, list := v.Ref.(*infer.SeqRef)
	return list
}

// text reports whether v is an answer that is text, or a letter of one.
func text(v *infer.Val) bool {
	v = infer.Strip(v)
	if v != nil && v.Op == infer.OpItem && len(v.In) > 0 {
		v = infer.Strip(v.In[0])
	}
	return v != nil && v.Op == infer.OpAnswer && v.Is(domain.Text)
}
