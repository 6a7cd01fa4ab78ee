package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/ast"
)

// operator plants one kind of bug.
type operator struct {
	name string
	// codes are the rules that should report it, or the families where it depends on the place
	// which rule does.
	codes []string
	// plant returns the edits that plant the bug at a node; none where it is no place for it.
	plant func(m *module, n ast.Node) []edit.Edit
}

func named(name string) *operator {
	i := slices.IndexFunc(operators, func(op operator) bool { return op.name == name })
	if i < 0 {
		return nil
	}
	return &operators[i]
}

// operators are all, by family.
var operators = slices.Concat(policyOperators, valueOperators, tokenOperators, loopOperators)

// What people call the quantities.
var (
	aRatio     = regexp.MustCompile(`(?i)ratio|^rho|is_?weight`)
	aLogProb   = regexp.MustCompile(`(?i)log_?p|neglog|^lp|lp$`)
	anOld      = regexp.MustCompile(`(?i)old|behav|rollout|b_log|mb_log|fixed|sampl`)
	anAdv      = regexp.MustCompile(`(?i)adv|^td_|gae`)
	aSurrogate = regexp.MustCompile(`(?i)surr|pg_loss|policy_loss|ratio|clip`)
	aLoss      = regexp.MustCompile(`(?i)loss|objective`)
	anEntropy  = regexp.MustCompile(`(?i)entropy|(^|_)ent($|_)`)
	aKL        = regexp.MustCompile(`(?i)(^|_)kl($|_|d)`)
	aTarget    = regexp.MustCompile(`(?i)target|expected|^y$|q_next|next_q`)
	aDone      = regexp.MustCompile(`(?i)(^|_)(not_?)?(done|dones|terminal|terminals|terminated|terminations?|nonterminal|masks?|undones?)$`)
	aDiscount  = regexp.MustCompile(`(?i)gamma|discount`)
	aTau       = regexp.MustCompile(`(?i)tau|polyak`)
	aMask      = regexp.MustCompile(`(?i)mask`)
	aReward    = regexp.MustCompile(`(?i)^(b_|batch_)?r(ew(ard)?s?)?(_batch|_b)?$`)
	aState     = regexp.MustCompile(`(?i)^(next|new)_?(obs|state|observation)s?$|^(obs|state|observation)s?_?(next|new|prime)?$|^s_?(prime|next)?$`)
	anOptim    = regexp.MustCompile(`(?i)optim|opt$|solver`)
)

// isDone reports whether a factor switches off what lies behind an episode's end.
func isDone(e ast.Expr) bool {
	if _, of, ok := calls(e, "float", "to", "unsqueeze", "view", "reshape", "squeeze"); ok && of != nil {
		e = of
	}
	if x, ok := oneMinus(e); ok {
		return says(x, aDone)
	}
	if u, ok := e.(*ast.UnaryOp); ok {
		return says(u, aDone)
	}
	return aDone.MatchString(word(e))
}

var policyOperators = []operator{
	{"exp-dropped", []string{"OBJ"}, func(m *module, n ast.Node) []edit.Edit {
		if _, of, ok := calls(n, "exp"); ok && of != nil && aRatio.MatchString(m.target(n)) && !strings.Contains(m.target(n), "log") && (says(of, aLogProb) || says(of, aRatio)) {
			return m.put(n, "("+m.Source(of)+")")
		}
		return nil
	}},
	{"ratio-swapped", []string{"OBJ020"}, func(m *module, n ast.Node) []edit.Edit {
		_, of, ok := calls(n, "exp")
		if b, isBin := of.(*ast.BinOp); ok && isBin && b.Op == ast.Sub && aRatio.MatchString(m.target(n)) && !strings.Contains(m.target(n), "log") && says(b, aLogProb) {
			return m.swap(b.X, b.Y)
		}
		return nil
	}},
	{"clip-around-zero", []string{"OBJ022"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "clamp", "clip")
		if !ok || of == nil || !says(of, aRatio) {
			return nil
		}
		args := rest(call, of)
		if len(args) != 2 {
			return nil
		}
		low, isLow := oneMinus(args[0])
		high, isHigh := args[1].(*ast.BinOp)
		if !isLow || !isHigh || high.Op != ast.Add {
			return nil
		}
		return append(m.put(args[0], "-"+m.Source(low)), m.put(high, m.Source(high.Y))...)
	}},
	{"min-max-flipped", []string{"OBJ002", "OBJ005", "VAL012"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "min", "max", "minimum", "maximum")
		if !ok || of == nil || len(call.Args) != 2 || !says(call.Args[0], aSurrogate) || !says(call.Args[1], aSurrogate) {
			return nil
		}
		f := m.Source(call.Fun)
		for _, p := range [][2]string{{"minimum", "maximum"}, {"maximum", "minimum"}, {"min", "max"}, {"max", "min"}} {
			if head, ok := strings.CutSuffix(f, p[0]); ok {
				return m.put(call.Fun, head+p[1])
			}
		}
		return nil
	}},
	{"clip-lacks-advantage", []string{"OBJ"}, func(m *module, n ast.Node) []edit.Edit {
		_, clip, ok := product(n, func(e ast.Expr) bool { return says(e, anAdv) })
		if !ok {
			return nil
		}
		if _, of, isClip := calls(clip, "clamp", "clip"); isClip && of != nil && says(of, aRatio) {
			return m.put(n, m.Source(clip))
		}
		return nil
	}},
	{"negation-dropped", []string{"OBJ"}, func(m *module, n ast.Node) []edit.Edit {
		u, ok := n.(*ast.UnaryOp)
		if ok && m.Source(u)[0] == '-' && regexp.MustCompile(`(?i)(policy|actor|pg|pi|action)_?loss`).MatchString(m.target(n)) && says(u.X, aSurrogate) {
			return m.put(n, m.Source(u.X))
		}
		return nil
	}},
	{"entropy-sign", []string{"OBJ012"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Sub || !aLoss.MatchString(m.target(n)) || !says(b.Y, anEntropy) || says(b.X, anEntropy) || says(b.Y, regexp.MustCompile(`ent\w*loss`)) {
			return nil
		}
		return []edit.Edit{{Start: int(b.OpLoc.Start), End: int(b.OpLoc.End), New: "+"}}
	}},
	{"kl-sign", []string{"KL001"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Add || !aLoss.MatchString(m.target(n)) || !says(b.Y, aKL) {
			return nil
		}
		return []edit.Edit{{Start: int(b.OpLoc.Start), End: int(b.OpLoc.End), New: "-"}}
	}},
	{"kl-dropped", []string{"KL"}, func(m *module, n ast.Node) []edit.Edit {
		b, ok := n.(*ast.BinOp)
		if !ok || b.Op != ast.Add || !aLoss.MatchString(m.target(n)) || !says(b.Y, aKL) {
			return nil
		}
		return m.put(n, m.Source(b.X))
	}},
	{"eps-dropped", []string{"ADV009", "GRAD"}, func(m *module, n ast.Node) []edit.Edit {
		b, d, ok := standardised(n)
		if !ok || !says(b.X, regexp.MustCompile(`(?i)adv|rew|return|score`)) {
			return nil
		}
		return m.put(d, m.Source(d.X))
	}},
	{"eps-outside", []string{"ADV018"}, func(m *module, n ast.Node) []edit.Edit {
		b, d, ok := standardised(n)
		if !ok || !says(b.X, regexp.MustCompile(`(?i)adv|rew|return|score`)) {
			return nil
		}
		return m.put(n, m.operand(b.X)+" / "+m.operand(d.X)+" + "+m.Source(d.Y))
	}},
	{"softmax-dim", []string{"DIST025", "DIST", "VAL", "TOK"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "softmax", "log_softmax")
		if !ok || of == nil || says(of, regexp.MustCompile(`(?i)attn|attention|scores`)) {
			return nil
		}
		for _, k := range call.Keywords {
			if k.Name == "dim" && (m.Source(k.Value) == "-1" || m.Source(k.Value) == "1") {
				return m.put(k.Value, "0")
			}
		}
		if args := rest(call, of); len(args) > 0 && m.Source(args[0]) == "-1" {
			return m.put(args[0], "0")
		}
		return nil
	}},
	{"logits-as-probs", []string{"DIST001"}, func(m *module, n ast.Node) []edit.Edit {
		call, ok := n.(*ast.Call)
		if ok && word(call.Fun) == "Categorical" && len(call.Args) == 0 && len(call.Keywords) == 1 && call.Keywords[0].Name == "logits" {
			return m.put(call.Keywords[0], m.Source(call.Keywords[0].Value))
		}
		return nil
	}},
	{"rsample-to-sample", []string{"DIST007"}, func(m *module, n ast.Node) []edit.Edit {
		if call, _, ok := calls(n, "rsample"); ok {
			if at, ok := call.Fun.(*ast.Attribute); ok {
				return m.put(call, m.Source(at.X)+".sample("+argumentText(m, call)+")")
			}
		}
		return nil
	}},
	{"log-prob-not-summed", []string{"DIST003", "OBJ", "VAL"}, func(m *module, n ast.Node) []edit.Edit {
		call, of, ok := calls(n, "sum")
		if !ok || of == nil || len(call.Args)+len(call.Keywords) == 0 {
			return nil
		}
		if _, _, ok := calls(of, "log_prob"); ok {
			return m.put(call, m.Source(of))
		}
		return nil
	}},
	{"advantage-attached", []string{"OBJ011", "ADV017", "VAL"}, func(m *module, n ast.Node) []edit.Edit {
		return m.attached(n, func(x ast.Expr, to string) bool { return anAdv.MatchString(to) || anAdv.MatchString(word(x)) })
	}},
	{"old-log-prob-attached", []string{"OBJ007"}, func(m *module, n ast.Node) []edit.Edit {
		return m.attached(n, func(x ast.Expr, to string) bool {
			return anOld.MatchString(to+m.Source(x)) && (aLogProb.MatchString(to) || aLogProb.MatchString(word(x)))
		})
	}},
}

// standardised takes x / (std + eps) apart.
func standardised(n ast.Node) (quotient, divisor *ast.BinOp, ok bool) {
	b, isBin := n.(*ast.BinOp)
	if !isBin || b.Op != ast.Div {
		return nil, nil, false
	}
	d, isSum := b.Y.(*ast.BinOp)
	if !isSum || d.Op != ast.Add || !says(d.X, regexp.MustCompile(`(^|_)std($|_)`)) {
		return nil, nil, false
	}
	_, isNumber := d.Y.(*ast.Number)
	return b, d, isNumber || says(d.Y, regexp.MustCompile(`(?i)eps`))
}

// attached drops a detach() of a value that is meant.
func (m *module) attached(n ast.Node, meant func(x ast.Expr, to string) bool) []edit.Edit {
	call, ok := n.(*ast.Call)
	if !ok || word(call.Fun) != "detach" || len(call.Args) > 0 {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || !meant(at.X, m.target(n)) {
		return nil
	}
	if up, ok := m.above[n].(*ast.Attribute); ok && slices.Contains([]string{"cpu", "numpy", "item", "tolist"}, up.Attr) {
		return nil
	}
	return m.put(n, m.operand(at.X))
}

func argumentText(m *module, call *ast.Call) string {
	var parts []string
	for _, a := range call.Args {
		parts = append(parts, m.Source(a))
	}
	for _, k := range call.Keywords {
		parts = append(parts, m.Source(k))
	}
	return strings.Join(parts, ", ")
}
