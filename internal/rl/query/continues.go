package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Language models of the program itself
//
// What a model of transformers yields has a name, `logits`. A model that the program defines is known for one that
// predicts the next token by how it generates: it is called with tokens that were made of what it said at their
// last position,
//
//	ids = torch.cat([ids, torch.multinomial(model(ids)[:, -1].softmax(-1), 1)], 1)
//
// Where it is not seen to generate, it is known by what it is made of: it looks its tokens up in an embedding, and ends in
// a layer with as many outputs as there are different tokens.

// continuing are the functions of the program that predict the next token.
func (g *Graph) continuing() map[*ast.FunctionDef]bool {
	g.findContinuing()
	return g.continues.defs
}

// NextScores are what models of the program say at the last position, of which the next token is made.
func (g *Graph) NextScores() []*infer.Val {
	g.findContinuing()
	return g.continues.scores
}

func (g *Graph) findContinuing() {
	c := &g.continues
	c.once.Do(func() {
		c.defs = map[*ast.FunctionDef]bool{}
		for v := range g.Each {
			if !isLastPosition(v) {
				continue
			}
			through := g.See(v).Input(0).Strip().calls()
			if slices.ContainsFunc(through, func(in *view) bool { return infer.Reaches(v, onlyTokens(in), maxSteps) }) {
				c.scores = append(c.scores, v)
				for _, in := range through {
					c.defs[defOf(in.frame)] = true
				}
			}
		}
	})
}

// calls are those of functions of the program through which s is seen, the innermost first.
func (s Seen) calls() (out []*view) {
	for in := s.in; in != nil && in.up != nil; in = in.up {
		if defOf(in.frame) != nil {
			out = append(out, in)
		}
	}
	return out
}

// isLastPosition reports whether v is x[:, -1], x[:, -1, :], x[..., -1, :], or x[-1] of one row.
func isLastPosition(v *infer.Val) bool {
	if v.Op != infer.OpItem || len(v.In) < 2 || v.In[0] == nil || v.In[1] == nil {
		return false
	}
	parts := []*infer.Val{v.In[1]}
	if seq, ok := v.In[1].Ref.(*infer.SeqRef); ok && !seq.List {
		parts = seq.Elems
	}
	i := slices.IndexFunc(parts, func(p *infer.Val) bool { n, ok := p.Int(); return ok && n == -1 })
	switch {
	case i < 0, i == len(parts)-1 && infer.IsEllipsis(parts[0]): // of the vocabulary
		return false
	case len(parts) == 1:
		return !v.In[0].Q.Shape.Known() || v.In[0].Q.Shape.Rank == 2
	}
	return i == 1
}

// onlyTokens is what a model is called with, nil where that may be more than tokens and their mask.
func onlyTokens(call *view) *infer.Val {
	args := call.args
	if len(args) > 0 && call.frame.Func.Self != nil {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	for _, a := range args[1:] {
		if a != nil && !a.IsNone() && !a.Is(domain.Mask) && a.Op != infer.OpConst {
			return nil
		}
	}
	return args[0]
}

// spoken reads s as what a language model of the program said of all positions of the tokens that it was called with.
func (s Seen) spoken() (Predicted, bool) {
	var model Seen
	for _, in := range s.calls() {
		if tokens := onlyTokens(in); tokens != nil && (s.g.continuing()[defOf(in.frame)] || s.isOfVocabulary(in)) {
			model = s.g.look(tokens, in.up)
		}
	}
	p := Predicted{Tokens: model.positions(false)}
	return p, len(p.Tokens) > 0
}

// isOfVocabulary reports whether s has as many scores as there are different tokens in the embedding in which a call looks up
// the tokens that it is given.
func (s Seen) isOfVocabulary(call *view) bool {
	_, outputs := layerOf(s.Val, "Linear", "out_features")
	tokens := takenAs(call, onlyTokens(call))
	if outputs == nil || tokens == nil {
		return false
	}
	found := false
	infer.Walk(s.Val, maxBody, func(v *infer.Val) bool {
		if of, words := layerOf(v, "Embedding", "num_embeddings"); of != nil && infer.Strip(of) == infer.Strip(tokens) {
			found = found || sameCount(words, outputs)
		}
		return !found
	})
	return found
}

// maxBody bounds the values between the scores of a model and the embedding of its tokens.
const maxBody = 2000

// layerOf reads v as what a layer of torch yields: what the layer was given, and a size that it was made with.
func layerOf(v *infer.Val, class, size string) (of, made *infer.Val) {
	if v == nil || len(v.In) < 2 || v.Fn == nil || !strings.HasSuffix(v.Op, "."+class+".__call__") {
		return nil, nil
	}
	o, ok := infer.RefOf(v.In[len(v.In)-1]).(*infer.LibObject)
	if !ok {
		return nil, nil
	}
	return v.In[0], o.Args[size]
}

// takenAs is the parameter of a call that an argument is handed for.
func takenAs(call *view, arg *infer.Val) *infer.Val {
	if i := slices.Index(call.args, arg); arg != nil && i >= 0 && i < len(call.frame.Params) {
		return call.frame.Params[i]
	}
	return nil
}

// sameCount reports whether two counts are one number, or come from one setting.
func sameCount(a, b *infer.Val) bool {
	n, ok1 := a.Int()
	m, ok2 := b.Int()
	x := infer.Strip(a)
	return ok1 && ok2 && n == m || x != nil && x.Node != nil && infer.SameSource(a, b) // what is not known at all is one value, too
}

// defOf is the function that an evaluation is of, nil of a lambda or module.
func defOf(f *infer.Frame) *ast.FunctionDef {
	if f == nil || f.Func == nil {
		return nil
	}
	return f.Func.Def
}
