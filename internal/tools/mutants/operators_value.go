package main

import (
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// masked finds done * x in a statement that discounts.
func (m *module) masked(n ast.Node) (mask, other ast.Expr, ok bool) {
	mask, other, ok = product(n, isDone)
	s := m.statement(n)
	if !ok || s == nil || aLoss.MatchString(m.target(n)) || !regexp.MustCompile(`gamma|discount|lam`).MatchString(m.Source(s)) {
		return nil, nil, false
	}
	return mask, other, true
}

// discounts reports whether the function around a node bootstraps.
func (m *module) discounts(n ast.Node) bool {
	s := m.statement(n)
	return s != nil && (aTarget.MatchString(m.target(n)) || aDiscount.MatchString(m.Source(s)))
}

// isUpdate reports whether a statement may copy weights into a target network.
func (m *module) isUpdate(n ast.Node) bool {
	return regexp.MustCompile(`(?i)polyak|soft_?update|copy_|target`).MatchString(m.function(n) + m.target(n) + m.Source(m.statement(n)))
}

// aCritic is what people call a value that a critic says, and aCriticLoss its error.
var (
	aCritic     = regexp.MustCompile(`(?i)(^|_)(q|qf|critic|value)s?_?\d?($|_)|target_q|q_?\d`)
	aCriticLoss = regexp.MustCompile(`(?i)(^|_)(v|vf|value|critic)_?loss$`)
)

// aNext is what people call the value of what comes next.
var aNext = regexp.MustCompile(`(?i)next|target|q`)

// smallerOfCritics is the call that takes the smaller of what two critics say, nil for anything else.
func smallerOfCritics(n ast.Node) *ast.Call {
	call, of, ok := calls(n, "min", "minimum")
	if !ok || of == nil || len(call.Args) != 2 || !says(call.Args[0], aCritic) || !says(call.Args[1], aCritic) {
		return nil
	}
	return call
}

var valueOperators = []operator{
	{"twins-larger", []string{"VAL092"}, func(m *module, n ast.Node) []edit.Edit {
		call := smallerOfCritics(n)
		if call == nil || !m.discounts(n) {
			return nil
		}
		return m.put(call.Fun, strings.Replace(m.Source(call.Fun), "min", "max", 1))
	}},
	{"twin-repeated", []string{"VAL093"}, func(m *module, n ast.Node) []edit.Edit {
		call := smallerOfCritics(n)
		if call == nil {
			return nil
		}
		return m.put(call.Args[1], m.Source(call.Args[0]))
	}},
	{"soft-target-sign", []string{"VAL091", "VAL008"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Sub || !says(b.Y, aLogProb) || says(b.X, aLogProb) || !m.discounts(n) || aLoss.MatchString(m.target(n)) {
			return nil
		}
		return []edit.Edit{{Start: int(b.OpLoc.Start), End: int(b.OpLoc.End), New: "+"}}
	}},
	{"error-not-squared", []string{"VAL094"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "mse_loss")
		if !ok || of == nil || len(call.Args) != 2 || !aCriticLoss.MatchString(m.target(n)) {
			return nil
		}
		return m.put(n, "("+m.operand(call.Args[0])+" - "+m.operand(call.Args[1])+").mean()")
	}},
	{"value-loss-subtracted", []string{"VAL096"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Add || !aLoss.MatchString(m.target(n)) || !says(b.Y, aCriticLoss) || says(b.X, aCriticLoss) {
			return nil
		}
		return []edit.Edit{{Start: int(b.OpLoc.Start), End: int(b.OpLoc.End), New: "-"}}
	}},
	{"index-as-value", []string{"VAL098"}, func(m *module, n ast.Node) []edit.Edit {
		sub, ok := n.(*ast.Subscript)
		if !ok || m.Source(sub.Index) != "0" || !aNext.MatchString(m.target(n)) {
			return nil
		}
		if _, of, ok := calls(sub.X, "max"); !ok || of == nil {
			return nil
		}
		return m.put(sub.Index, "1")
	}},
	{"done-mask-dropped", []string{"VAL", "ADV"}, func(m *module, n ast.Node) []edit.Edit {
		if _, other, ok := m.masked(n); ok {
			return m.put(n, m.Source(other))
		}
		return nil
	}},
	{"done-mask-inverted", []string{"VAL", "ADV"}, func(m *module, n ast.Node) []edit.Edit {
		mask, _, ok := m.masked(n)
		if !ok {
			return nil
		}
		if x, ok := oneMinus(mask); ok {
			return m.put(mask, m.Source(x))
		}
		return nil
	}},
	{"done-mask-added", []string{"VAL", "ADV"}, func(m *module, n ast.Node) []edit.Edit {
		mask, other, ok := m.masked(n)
		if !ok {
			return nil
		}
		return m.put(n, "("+m.operand(other)+" + "+m.operand(mask)+")")
	}},
	{"reward-dropped", []string{"VAL", "ADV"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if ok && b.Op == ast.Add && aReward.MatchString(word(b.X)) && says(b.Y, aDiscount) && aTarget.MatchString(m.target(n)) {
			return m.put(n, m.Source(b.Y))
		}
		return nil
	}},
	{"target-attached", []string{"VAL", "GRAD", "ADV", "OFF"}, func(m *module, n ast.Node) []edit.Edit {
		if w, ok := n.(*ast.With); ok && len(w.Items) == 1 && regexp.MustCompile(`^torch\.(no_grad|inference_mode)\(\)$`).MatchString(m.Source(w.Items[0].Context)) {
			body := m.Source(w)
			if regexp.MustCompile(`target|td_|next_q|q_next|expected`).MatchString(body) && regexp.MustCompile(`gamma|discount`).MatchString(body) && !m.frozen(w) {
				return []edit.Edit{{Start: int(w.Span().Start), End: int(w.Items[0].Context.Span().End), New: "if True"}}
			}
		}
		return m.attached(n, func(x ast.Expr, to string) bool {
			return aTarget.MatchString(to+word(x)) && !anAdv.MatchString(to) && !m.frozen(x)
		})
	}},
	{"returns-not-reversed", []string{"ADV", "VAL"}, func(m *module, n ast.Node) []edit.Edit {
		call, ok := n.(*ast.Call)
		if !ok || word(call.Fun) != "reversed" || len(call.Args) != 1 {
			return nil
		}
		loop, ok := m.above[n].(*ast.For)
		if ok && loop.Iter == ast.Expr(call) && aDiscount.MatchString(m.Source(loop)) {
			return m.put(n, m.Source(call.Args[0]))
		}
		return nil
	}},
	{"squeeze-dropped", []string{"VAL", "DIST004", "GRAD", "OBJ", "ADV"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "squeeze", "view", "flatten", "reshape")
		if !ok || of == nil {
			return nil
		}
		if args := rest(call, of); len(args) > 1 || len(args) == 1 && m.Source(args[0]) != "-1" && m.Source(args[0]) != "1" {
			return nil
		}
		up, inLoss := m.above[n].(*ast.Call)
		inLoss = inLoss && regexp.MustCompile(`(?i)mse|smooth_l1|huber|loss`).MatchString(m.Source(up.Fun)) && !aLoss.MatchString(word(of))
		if inLoss || regexp.MustCompile(`(?i)^new_?values?$|^values?$|^q_?values?$|state_values`).MatchString(m.target(n)) && word(call.Fun) == "squeeze" {
			return m.put(n, m.Source(of))
		}
		return nil
	}},
	{"polyak-swapped", []string{"VAL", "OFF"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Add || !m.isUpdate(n) {
			return nil
		}
		isWeight := func(e ast.Expr) bool { return says(e, aTau) }
		x, _, okX := product(b.X, isWeight)
		y, _, okY := product(b.Y, isWeight)
		if !okX || !okY {
			return nil
		}
		_, first := oneMinus(x)
		_, second := oneMinus(y)
		if first == second {
			return nil
		}
		return m.swap(x, y)
	}},
	{"target-aliased", []string{"VAL", "OFF", "KL009"}, func(m *module, n ast.Node) []edit.Edit {
		if _, of, ok := calls(n, "deepcopy"); ok && of != nil && regexp.MustCompile(`(?i)targ|ref`).MatchString(m.target(n)) {
			return m.put(n, m.Source(of))
		}
		return nil
	}},
	{"target-loads-itself", []string{"VAL", "OFF"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "load_state_dict")
		if !ok || len(call.Args) != 1 || !regexp.MustCompile(`(?i)targ|old`).MatchString(word(of)) {
			return nil
		}
		if _, from, ok := calls(call.Args[0], "state_dict"); ok && from != nil && m.Source(from) != m.Source(of) {
			return m.put(from, m.Source(of))
		}
		return nil
	}},
	{"tanh-correction-dropped", []string{"DIST005", "DIST"}, func(m *module, n ast.Node) []edit.Edit {
		switch s := n.(type) {
		case *ast.AugAssign:
			if s.Op == ast.Sub && aLogProb.MatchString(word(s.Target)) && regexp.MustCompile(`log\(.*1.*-.*(pow|\*\*|tanh)|softplus`).MatchString(m.Source(s.Value)) {
				return m.put(s, "pass")
			}
		case *ast.BinOp:
			if s.Op == ast.Sub && aLogProb.MatchString(m.target(s)) && regexp.MustCompile(`log\(.*1.*-.*(pow|\*\*|tanh)`).MatchString(m.Source(s.Y)) {
				return m.put(s, m.Source(s.X))
			}
		}
		return nil
	}},
	{"exploration-dropped", []string{"DIST050"}, func(m *module, n ast.Node) []edit.Edit {
		c, ok := n.(*ast.Compare)
		if !ok || len(c.Ys) != 1 || !says(c, regexp.MustCompile(`(?i)^eps(ilon)?$|_eps(ilon)?$|^eps_`)) || !says(c, regexp.MustCompile(`^(random|rand|uniform|sample)$`)) {
			return nil
		}
		greedyBelow := says(c.X, regexp.MustCompile(`(?i)eps`)) // epsilon > draw explores
		if draws := c.Ops[0] == ast.Lt || c.Ops[0] == ast.LtE; draws != greedyBelow {
			return m.put(n, "False")
		}
		return m.put(n, "True")
	}},
	{"state-not-advanced", []string{"ENV009"}, func(m *module, n ast.Node) []edit.Edit {
		s, ok := n.(*ast.Assign)
		if !ok || len(s.Targets) != 1 || !aState.MatchString(word(s.Targets[0])) || !regexp.MustCompile(`(?i)^(next|new)_|_?(next|new|prime|_)$`).MatchString(word(s.Value)) {
			return nil
		}
		_, from := s.Value.(*ast.Name)
		_, to := s.Targets[0].(*ast.Name)
		if from && to {
			return m.put(n, "pass")
		}
		return nil
	}},
}

// frozen reports whether a target network makes the value: it is in no optimizer, and needs
// no detach.
func (m *module) frozen(n ast.Node) bool {
	found := false
	ast.Walk(n, func(x ast.Node) bool {
		if call, ok := x.(*ast.Call); ok && regexp.MustCompile(`(?i)target|tgt|_old|frozen`).MatchString(m.Source(call.Fun)) {
			found = true
		}
		return !found
	})
	return found
}
