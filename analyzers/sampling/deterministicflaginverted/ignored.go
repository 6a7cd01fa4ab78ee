package deterministicflaginverted

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// asking are further names of flags that ask for an action without exploration, or for one with it. They ask plainly only where an evaluation
// sets them otherwise than their default has them.
var asking = query.Words(`evaluate evaluation eval eval_mode eval_flag evaluating is_eval is_evaluate test testing test_mode is_test explore exploration exploring
	train training is_train is_training train_mode noise add_noise with_noise use_noise noisy apply_noise stochastic random deterministic is_deterministic greedy sample`)

// ignored reports flags that evaluations set, and that the function which they call never reads, though it draws.
func ignored(p *pass.Pass) {
	seen := map[*ast.Param]bool{}
	for _, t := range p.Roles.Trials() {
		if !p.Trains(t.Step.Frame) {
			continue
		}
		for _, c := range t.Choices {
			if c.Up == nil || c.Frame.Func == nil || c.Frame.Func.Def == nil || p.In(c.Frame) == nil {
				continue
			}
			for i, q := range c.Frame.Func.Def.Params.List {
				if seen[q] || !asking[q.Name] || slices.Contains(names, q.Name) && p.In(c.Frame) == p.Source {
					continue
				}
				said := asksOtherwise(c, q)
				if said == nil || isRead(c.Frame.Func.Def, q.Name) || !leftOff(p, c, i) {
					continue
				}
				if draw := drawnFor(p, t, c); draw != nil {
					seen[q] = true
					p.Report(pass.Finding{
						At: q, Frame: c.Frame, Evidence: domain.Annotated,
						Message: "flag for exploration never read",
						Why:     "the evaluation asks for actions without exploration, and gets what training gets",
						Help:    "leave out what is drawn where the flag says so",
						Related: append(p.There(query.Place{Frame: c.Frame, Node: draw}, "this is drawn whatever the flag says"),
							p.There(query.Place{Frame: c.Up.Frame, Node: said}, "the evaluation sets the flag here")...),
					})
				}
			}
		}
	}
}

// asksOtherwise is the expression by which a call sets a flag to what its default is not.
func asksOtherwise(c *roles.Choice, q *ast.Param) ast.Expr {
	v, said := c.Param(q.Name)
	k, ok := q.Default.(*ast.Constant)
	set, known := roles.Truth(v)
	if said == nil || !known || !ok || k.Kind != ast.True && k.Kind != ast.False || set == (k.Kind == ast.True) {
		return nil
	}
	return said
}

// leftOff reports whether somebody calls the function of a choice without what the evaluation asks for by a flag, one of its parameters: who acts in
// evaluations alone draws what is meant for them.
func leftOff(p *pass.Pass, c *roles.Choice, flag int) bool {
	asked, _ := c.Param(c.Frame.Func.Def.Params.List[flag].Name)
	set, _ := roles.Truth(asked)
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def != c.Frame.Func.Def {
			continue
		}
		for site := range f.Sites {
			if flag >= len(site.Args) {
				return true
			}
			if is, known := roles.Truth(site.Args[flag]); !known || is != set {
				return true
			}
		}
	}
	return false
}

// drawnFor is a call in a function that draws; the function returns something of it, and the action of the evaluation is made of that. What draws
// without a look at the arguments is no policy that explores.
func drawnFor(p *pass.Pass, t *roles.Trial, c *roles.Choice) ast.Node {
	action := t.Step.Frame.Val(t.Step.Node.Args[0])
	if !dependsOnGiven(c.Frame, c.Frame.Result) {
		return nil
	}
	for call := range query.In[*ast.Call](c.Frame) {
		v := c.Frame.Val(call)
		if v != nil && p.Roles.Draws(c.Frame, call) && infer.Reaches(v, c.Frame.Result, drawReach) && infer.Reaches(v, action, drawReach) {
			return call
		}
	}
	return nil
}

// drawReach bounds the way from what a function returns back to a draw.
const drawReach = 400

// isRead reports whether a function reads a parameter, or hands on all its variables.
func isRead(fn *ast.FunctionDef, name string) bool {
	read := false
	ast.WalkStmts(fn.Body, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		read = read || ok && (x.Ident == name || x.Ident == "locals")
		return !read
	})
	return read
}
