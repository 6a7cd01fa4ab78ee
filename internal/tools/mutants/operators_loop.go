package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// isStep reports whether a statement is the step of an optimizer.
func isStep(s ast.Node) bool {
	call, of, ok := calls(expression(s), "step")
	return ok && of != nil && len(call.Args)+len(call.Keywords) == 0 && anOptim.MatchString(word(of))
}

// before reports whether one of the statements before s in its block has a text.
func (m *module) before(s ast.Stmt, text string) bool {
	for earlier, rest := range m.block {
		if earlier != s && slices.Contains(rest, s) && m.mentions(earlier, text) {
			return true
		}
	}
	return false
}

var loopOperators = []operator{
	{"zero-grad-dropped", []string{"LOOP"}, func(m *module, n ast.Node) []edit.Edit {
		if _, _, ok := calls(expression(n), "zero_grad"); !ok {
			return nil
		}
		if slices.ContainsFunc(m.next(n.(ast.Stmt), 7), func(s ast.Stmt) bool { return m.mentions(s, "backward") }) {
			return m.put(n, "pass")
		}
		return nil
	}},
	{"step-dropped", []string{"LOOP"}, func(m *module, n ast.Node) []edit.Edit {
		if isStep(n) && m.before(n.(ast.Stmt), "backward") {
			return m.put(n, "pass")
		}
		return nil
	}},
	{"zero-grad-behind-backward", []string{"LOOP"}, func(m *module, n ast.Node) []edit.Edit {
		s, ok := n.(ast.Stmt)
		if !ok {
			return nil
		}
		if _, of, ok := calls(expression(n), "zero_grad"); !ok || of == nil {
			return nil
		}
		behind := m.next(s, 1)
		if len(behind) == 1 && expression(behind[0]) != nil && strings.HasSuffix(m.Source(behind[0]), ".backward()") {
			return m.swap(s, behind[0])
		}
		return nil
	}},
	{"clip-after-step", []string{"LOOP004"}, func(m *module, n ast.Node) []edit.Edit {
		s, ok := n.(ast.Stmt)
		if !ok {
			return nil
		}
		if _, _, ok := calls(expression(n), "clip_grad_norm_", "clip_grad_value_", "clip_grad_norm"); !ok {
			return nil
		}
		if behind := m.next(s, 1); len(behind) == 1 && isStep(behind[0]) {
			return m.swap(s, behind[0])
		}
		return nil
	}},
	{"step-doubled", []string{"LOOP029"}, func(m *module, n ast.Node) []edit.Edit {
		if isStep(n) {
			return m.put(n, m.Source(n)+"; "+m.Source(n))
		}
		return nil
	}},
	{"backward-dropped", []string{"LOOP"}, func(m *module, n ast.Node) []edit.Edit {
		if _, of, ok := calls(expression(n), "backward"); ok && of != nil && aLoss.MatchString(word(of)) {
			return m.put(n, "pass")
		}
		return nil
	}},
	{"parentheses-dropped", []string{"LOOP026"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(expression(n), "zero_grad", "step")
		if ok && of != nil && len(call.Args)+len(call.Keywords) == 0 && anOptim.MatchString(word(of)) {
			return m.put(n, m.Source(call.Fun))
		}
		return nil
	}},
	{"bound-flipped", []string{"OFF016"}, func(m *module, n ast.Node) []edit.Edit {
		call, ok := n.(*ast.Call)
		if !ok || len(call.Args) != 2 || !regexp.MustCompile(`(?i)eps|explor`).MatchString(m.target(n)) {
			return nil
		}
		switch m.Source(call.Fun) {
		case "max":
			return m.put(call.Fun, "min")
		case "min":
			return m.put(call.Fun, "max")
		}
		return nil
	}},
	{"period-inverted", []string{"LOOP041"}, func(m *module, n ast.Node) []edit.Edit {
		st, ok := n.(*ast.If)
		if !ok || len(st.Then) == 0 || !m.mentions(st, "load_state_dict") {
			return nil
		}
		c, ok := st.Cond.(*ast.Compare)
		if !ok || len(c.Ys) != 1 || c.Ops[0] != ast.Eq || m.Source(c.Ys[0]) != "0" || !strings.Contains(m.Source(c.X), "%") {
			return nil
		}
		return m.put(c, m.Source(c.X))
	}},
	{"reset-dropped", []string{"ENV010"}, func(m *module, n ast.Node) []edit.Edit {
		st, ok := n.(*ast.If)
		if !ok {
			return nil
		}
		for _, s := range st.Then {
			as, ok := s.(*ast.Assign)
			if !ok {
				continue
			}
			if _, of, ok := calls(as.Value, "reset"); ok && of != nil && strings.HasSuffix(m.Source(of), "env") {
				return m.put(s, "pass")
			}
		}
		return nil
	}},
	{"unscale-dropped", []string{"LOOP006"}, func(m *module, n ast.Node) []edit.Edit {
		if _, _, ok := calls(expression(n), "unscale_"); ok {
			return m.put(n, "pass")
		}
		return nil
	}},
	{"loss-not-divided", []string{"LOOP009"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if ok && b.Op == ast.Div && aLoss.MatchString(word(b.X)) && says(b.Y, regexp.MustCompile(`(?i)accum`)) {
			return m.put(n, m.Source(b.X))
		}
		return nil
	}},
	{"result-dropped", []string{"GRAD", "LOOP"}, func(m *module, n ast.Node) []edit.Edit {
		s, ok := n.(*ast.Assign)
		if !ok || len(s.Targets) != 1 {
			return nil
		}
		_, of, ok := calls(s.Value, "clamp", "detach", "masked_fill", "squeeze", "unsqueeze", "to", "clip")
		if !ok || of == nil || m.Source(of) != m.Source(s.Targets[0]) || regexp.MustCompile(`(?i)model|net|policy|actor|critic`).MatchString(word(of)) {
			return nil
		}
		return m.put(n, m.Source(s.Value))
	}},
}

var tokenOperators = []operator{
	{"masked-mean-over-all", []string{"TOK", "KL007", "ADV010", "OBJ"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Div || !regexp.MustCompile(`mask.*\.sum\(`).MatchString(m.Source(b.Y)) {
			return nil
		}
		call, of, ok := calls(b.X, "sum")
		if !ok || of == nil {
			return nil
		}
		if _, _, ok := product(of, func(e ast.Expr) bool { return says(e, aMask) }); !ok {
			return nil
		}
		if at, isMethod := call.Fun.(*ast.Attribute); isMethod && at.X == of {
			return m.put(n, m.operand(of)+".mean("+argumentText(m, call)+")")
		}
		return m.put(n, "torch.mean("+m.Source(of)+")")
	}},
	{"empty-mask-not-guarded", []string{"TOK008", "TOK"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Div {
			return nil
		}
		if _, of, ok := calls(b.Y, "clamp", "clamp_min"); ok && of != nil && regexp.MustCompile(`mask.*\.sum\(`).MatchString(m.Source(of)) {
			return m.put(b.Y, m.Source(of))
		}
		return nil
	}},
	{"shift-dropped", []string{"TOK"}, func(m *module, n ast.Node) []edit.Edit {
		s, ok := n.(*ast.Subscript)
		if !ok || !regexp.MustCompile(`labels?$|input_ids$|tokens$|targets?$`).MatchString(word(s.X)) || !strings.HasSuffix(m.Source(s), "[:, 1:]") || !regexp.MustCompile(`logits\[:, :-1`).Match(m.Text) {
			return nil
		}
		return m.put(n, m.Source(s.X)+"[:, :-1]")
	}},
	{"mask-of-the-wrong-end", []string{"TOK", "OBJ018"}, func(m *module, n ast.Node) []edit.Edit {
		s, ok := n.(*ast.Subscript)
		if ok && aMask.MatchString(word(s.X)) && strings.HasSuffix(m.Source(s), "[:, 1:]") {
			return m.put(n, m.Source(s.X)+"[:, :-1]")
		}
		return nil
	}},
}
