package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// A function that scores what a policy wrote is called by a trainer, which nobody sees. So the
// call is made up here, by the tables: with texts or messages for answers, as the prompts of the
// data set are, and its columns by name. A function whose trainer stands in another file is told by its parameters.

// Scored is one evaluation of a function that scores answers.
type Scored struct {
	Func *FuncRef
	// By is how it is called, Frame the evaluation, nil where it was not followed.
	By    *library.Scoring
	Frame *Frame
	// Trainer is the call that was given the function, At the evaluation in which that stands; nil where
	// no trainer was seen.
	Trainer *ast.Call
	At      *Frame
	// Rows is what is known of a row of the trainer's data set; nil for nothing.
	Rows *DictRef
	// Form is what answers are.
	Form AnswerForm
	// Other is how functions with such a name and such parameters are called by another framework than the trainer's; nil for none.
	Other *library.Scoring
	// Partial says that other arguments were bound before.
	Partial bool
}

// AnswerForm is what a function that scores gets for an answer.
type AnswerForm uint8

// The forms.
const (
	FormUnknown AnswerForm = iota
	FormText
	FormMessages
)

// OpAnswer is what a policy wrote, OpColumn a value of a column of the data set.
const (
	OpAnswer = "answer"
	OpColumn = "column"
)

// trains notes the functions that a trainer of a library is given, and calls them as it does.
func (in *interp) trains(f *Frame, s *state, n ast.Node, class string, a callArgs) {
	by := in.table.ScoringBy(class)
	call, ok := n.(*ast.Call)
	if by == nil || !ok {
		return
	}
	funcs := a.arg(by.Position, by.Param)
	rows := in.rowOf(a.get("train_dataset"))
	for _, fn := range callables(funcs, maxNesting) {
		in.score(f, s, Scored{By: by, Trainer: call, At: f, Rows: rows}, fn)
	}
}

// callables are the functions among what a trainer was given: alone, in a list, or one of several.
func callables(v *Val, depth int) (out []*Val) {
	if v == nil || depth == 0 {
		return nil
	}
	switch r := v.Ref.(type) {
	case *FuncRef, *Instance:
		return []*Val{v}
	case *LibObject:
		if r.Name == partialName {
			return []*Val{v}
		}
	case *SeqRef:
		for _, e := range append(slices.Clone(r.Elems), r.Elem) {
			out = append(out, callables(e, depth-1)...)
		}
	case nil:
		if v.Op == OpPhi {
			for _, x := range v.In {
				out = append(out, callables(x, depth-1)...)
			}
		}
	}
	return out
}

// score calls one function as its trainer does.
func (in *interp) score(f *Frame, s *state, sc Scored, fun *Val) {
	sc.Form = in.formOf(sc.By, sc.Rows)
	if o, ok := fun.Ref.(*LibObject); ok {
		sc.Partial = o.Name == partialName
	}
	if sc.Func = scorer(fun); sc.Func == nil || len(in.res.Scored) >= maxScored {
		return
	}
	if other := in.scoring(sc.Func); other != nil && other.Title != sc.By.Title {
		sc.Other = other
	}
	var a callArgs
	for i, name := range sc.By.Given {
		v := in.given(sc, name)
		if i < sc.By.Positional {
			a.pos = append(a.pos, v)
		} else if slices.ContainsFunc(in.codeOf(sc.Func).params.List, func(p *ast.Param) bool { return p.Name == name }) {
			a.kw = append(a.kw, kwArg{name, v})
		}
	}
	for _, k := range sc.columns() {
		a.kw = append(a.kw, kwArg{k, in.listed(in.column(sc.Rows.Fields[k]))})
	}
	a.open = sc.By.Columns && (sc.Rows == nil || sc.Rows.Open)
	in.callVal(f, s, sc.Trainer, fun, a)
	sc.Frame = in.lastOf(sc.Func)
	in.res.Scored = append(in.res.Scored, sc)
}

// maxScored bounds the functions that are called so.
const maxScored = 64

// columns are the known columns of the data set that are passed by name.
func (sc Scored) columns() (out []string) {
	if sc.Rows == nil || !sc.By.Columns {
		return nil
	}
	for _, k := range sc.Rows.order {
		if !slices.Contains(sc.By.Dropped, k) && !slices.Contains(sc.By.Given, k) {
			out = append(out, k)
		}
	}
	return out
}

// Columns are the columns that the trainer passes by name, as far as they are known.
func (sc Scored) Columns() []string { return sc.columns() }

// scorer is the function behind what a trainer was given.
func scorer(fun *Val) *FuncRef {
	switch r := fun.Ref.(type) {
	case *FuncRef:
		return r
	case *Instance:
		if m := r.Class.Lookup("__call__"); m != nil {
			fn, _ := m.Ref.(*FuncRef)
			return fn
		}
	case *LibObject:
		if len(r.Pos) > 0 && r.Pos[0] != nil {
			fn, _ := r.Pos[0].Ref.(*FuncRef)
			return fn
		}
	}
	return nil
}

// lastOf is the latest evaluation of a function.
func (in *interp) lastOf(fn *FuncRef) *Frame {
	var last *Frame
	for _, g := range in.codeOf(fn).memo {
		if g.Func.Closure == fn.Closure && (last == nil || g.LastCall >= last.LastCall) {
			last = g
		}
	}
	return last
}

// given is an argument that the trainer passes.
func (in *interp) given(sc Scored, name string) *Val {
	switch {
	case name == sc.By.Answers && sc.By.Each:
		return in.answer(FormText)
	case name == sc.By.Answers:
		return in.listed(in.answer(sc.Form))
	case name == "prompts" && sc.Rows != nil && sc.Rows.Fields["prompt"] != nil:
		return in.listed(in.column(sc.Rows.Fields["prompt"]))
	case sc.By.Each:
		return in.newVal(Val{Q: domain.Unknown, Op: OpColumn})
	case name == "prompts" || !slices.Contains(sc.By.Always, name):
		return in.newVal(Val{Q: domain.Unknown, Op: OpColumn})
	}
	return in.listed(in.newVal(Val{Q: domain.Unknown, Op: OpColumn}))
}

// answer is what the policy wrote, in a form.
func (in *interp) answer(form AnswerForm) *Val {
	text := in.newVal(Val{Q: domain.Of(domain.Text), Op: OpAnswer})
	switch form {
	case FormText:
		return text
	case FormMessages:
		message := in.newDict()
		message.set("role", in.newVal(Val{Q: domain.Of(domain.Text), Op: OpColumn}))
		message.set("content", text)
		m := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpDisplay, Ref: message, In: []*Val{text}})
		v := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpAnswer, In: []*Val{m}})
		v.Ref = &SeqRef{Elems: []*Val{m}, List: true, owner: in}
		return v
	}
	return in.newVal(Val{Q: domain.Unknown, Op: OpAnswer})
}

// column is a value of a data set's column.
func (in *interp) column(v *Val) *Val {
	w := in.newVal(Val{Q: domain.Unknown, Op: OpColumn})
	if v != nil {
		w.Q, w.Ref = v.Q, v.Ref
		w.In = []*Val{v}
	}
	return w
}

// listed is a list of as many as there are answers.
func (in *interp) listed(elem *Val) *Val {
	v := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpDisplay, In: []*Val{elem}})
	v.Ref = &SeqRef{Elem: elem, List: true, owner: in}
	return v
}

// formOf is the form of answers to the prompts of a data set.
func (in *interp) formOf(by *library.Scoring, rows *DictRef) AnswerForm {
	if !by.AsPrompts {
		return FormText
	}
	if rows == nil || rows.Fields["prompt"] == nil {
		return FormUnknown
	}
	return FormOf(rows.Fields["prompt"])
}

// FormOf tells a prompt that is text from one that is a list of messages.
func FormOf(v *Val) AnswerForm {
	switch r := v.Ref.(type) {
	case *SeqRef:
		for _, e := range append(slices.Clone(r.Elems), r.Elem) {
			if d, ok := RefOf(e).(*DictRef); ok && d.Fields["content"] != nil {
				return FormMessages
			}
		}
	case nil:
		if v.Is(domain.Text) {
			return FormText
		}
	}
	return FormUnknown
}

// scoring is how a function is called that nobody was seen to call, by its name and parameters.
func (in *interp) scoring(fn *FuncRef) *library.Scoring {
	if fn.Def == nil {
		return nil
	}
	has := func(param string) bool {
		return slices.ContainsFunc(fn.Def.Params.List, func(p *ast.Param) bool {
			return p.Name == param && p.Kind != ast.VarKwArgs || param == "**" && p.Kind == ast.VarKwArgs
		})
	}
	if fn.Class == nil {
		if fn.Closure != nil && fn.Closure.Func != nil {
			return nil
		}
		return in.table.ScoringNamed(fn.Def.Name, has)
	}
	if fn.Def.Name != "__call__" {
		return nil
	}
	return in.table.ScoringOf(fn.Class.Derives, has)
}

// scoringArgs puts what the trainer passes in place of unknown parameters.
func (in *interp) scoringArgs(by *library.Scoring, fn *FuncRef, args []*Val) {
	sc := Scored{By: by, Form: in.formOf(by, nil)}
	for i, p := range in.codeOf(fn).params.List {
		if i < len(args) && slices.Contains(by.Given, p.Name) && p.Kind != ast.VarKwArgs {
			args[i] = in.given(sc, p.Name)
		}
	}
}

// scoredEntry notes the evaluation of a function that nobody was seen to call.
func (in *interp) scoredEntry(by *library.Scoring, fn *FuncRef, f *Frame) {
	in.res.Scored = append(in.res.Scored, Scored{Func: fn, By: by, Frame: f, Form: in.formOf(by, nil)})
}
