// Package marksofothertemplate is rule TOK060, marks-of-other-template; rule.md says what it finds.
package marksofothertemplate

import (
	_ "embed"
	"slices"
	"strings"

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

// Analyzer reports marks of turns that the chat template of the tokenizer does not write.
var Analyzer = pass.Rule(Doc, run)

// parts are the parameters that hold marks, by the function or class that takes them.
var parts = map[string][]string{
	"train_on_responses_only": {"instruction_part", "response_part"}, "DataCollatorForCompletionOnlyLM": {"response_template", "instruction_template"},
}

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		src := p.In(f)
		for _, name := range parts[query.CalleeName(call)] {
			arg := query.Keyword(call, name)
			if arg == nil {
				continue
			}
			text, _ := f.Val(arg).Str()
			template, model := named(p, src)
			wrong, right := query.WrongMark(template, model, text)
			if wrong == "" || writes(p, wrong) {
				continue
			}
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived, Message: "`" + wrong + "` opens no turn in the tokenizer's chat template",
				Help: "take the marks of the template that the tokenizer has, which open turns with `" + right + "`",
			})
			break
		}
	}
}

// writes reports whether the program writes a mark into texts of its own: what is looked for there is what it wrote, and no chat template
// has a part in it. What opens one turn is no such text, as it is perhaps what is looked for, unless something is put together of it.
func writes(p *pass.Pass, mark string) (found bool) {
	has := func(e ast.Expr) bool {
		s, ok := e.(*ast.String)
		return ok && strings.Contains(s.Value, mark)
	}
	for m := range p.Modules() {
		ast.WalkModule(m.AST, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Call:
				return parts[query.CalleeName(n)] == nil && !found
			case *ast.FString:
				found = found || slices.ContainsFunc(n.Parts, has)
			case *ast.BinOp:
				found = found || has(n.X) || has(n.Y)
			case *ast.String:
				found = found || has(n) && !opensOne(n.Value, mark)
			}
			return !found
		})
	}
	return found
}

// opensOne reports whether a text is no more than what opens one turn.
func opensOne(text, mark string) bool {
	return strings.Count(text, mark) == 1 && !strings.Contains(strings.TrimSpace(text), "\n")
}

// setters are functions that give a tokenizer a chat template: that of a family, or another tokenizer's.
var setters = query.Words("setup_chat_format clone_chat_template")

// named are the chat template that a module sets, and the model that it loads; "" where there are several, or where the template is a
// text of its own.
func named(p *pass.Pass, src *pass.Source) (template, model string) {
	templates, models, own := map[string]bool{}, map[string]bool{}, query.AssignsAttr(src.AST, query.Words("chat_template"))
	formats, applies := false, false
	for f, call := range p.Calls() {
		if p.In(f) != src {
			continue
		}
		name := query.CalleeName(call)
		formats = formats || query.Keyword(call, "formatting_func") != nil
		applies = applies || name == "apply_chat_template"
		own = own || setters[name] || query.Keyword(call, "chat_template_path") != nil || name != "get_chat_template" && query.Keyword(call, "chat_template") != nil
		switch name {
		case "get_chat_template":
			templates[constant(f, query.Keyword(call, "chat_template"), call, 1)] = true
		case "from_pretrained":
			name := constant(f, query.Keyword(call, "model_name"), call, 0)
			if name == "" {
				name = constant(f, query.Keyword(call, "pretrained_model_name_or_path"), call, 0)
			}
			models[name] = true
		}
	}
	if own || formats && !applies { // a function writes the texts, and is not seen to ask the template
		return "", ""
	}
	return only(templates), only(models)
}

// constant is a text that a call passes by name or position.
func constant(f *infer.Frame, arg ast.Expr, call *ast.Call, i int) string {
	if arg == nil && i < len(call.Args) {
		arg = call.Args[i]
	}
	if arg == nil {
		return ""
	}
	text, ok := f.Val(arg).Str()
	if !ok {
		return "?" // which no table knows
	}
	return text
}

func only(of map[string]bool) string {
	if len(of) > 1 {
		return "?"
	}
	for name := range of {
		return name
	}
	return ""
}
