package roles

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// layersOf is the set of objects that a network is made of, itself included.
func layersOf(r infer.Ref) map[infer.Ref]bool {
	out := map[infer.Ref]bool{}
	var visit func(r infer.Ref, depth int)
	vals := func(depth int, list ...*infer.Val) {
		for _, v := range list {
			if v != nil && v.Ref != nil && (v.Is(domain.Module) || query.IsContainer(v)) {
				visit(v.Ref, depth-1)
			}
		}
	}
	visit = func(r infer.Ref, depth int) {
		if depth == 0 || out[r] {
			return
		}
		out[r] = true
		switch r := r.(type) {
		case *infer.Instance:
			vals(depth, inOrder(r.Attrs)...)
		case *infer.LibObject:
			vals(depth, r.Pos...)
		case *infer.SeqRef:
			vals(depth, append(slices.Clone(r.Elems), r.Elem)...)
		case *infer.DictRef:
			vals(depth, append(inOrder(r.Fields), r.Elem)...)
		}
	}
	visit(r, 6)
	return out
}

// inOrder returns the values in the order of their names: how deep an object lies
// may decide whether it is seen.
func inOrder(m map[string]*infer.Val) []*infer.Val {
	var out []*infer.Val
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[name])
	}
	return out
}

// LayersOf is the set of objects that a network is made of, itself included.
// It is not to be changed.
func (m *Model) LayersOf(n *Network) map[infer.Ref]bool {
	return m.parts.get(n.Ref, func() map[infer.Ref]bool { return layersOf(n.Ref) })
}

// Holds reports whether part is the object whole or one of its layers.
func (m *Model) Holds(whole, part infer.Ref) bool { return m.Holdings(whole)[part] }

// Holdings is the set of an object and its layers. It is not to be changed.
func (m *Model) Holdings(whole infer.Ref) map[infer.Ref]bool {
	return m.layers.get(whole, func() map[infer.Ref]bool {
		of := map[infer.Ref]bool{}
		infer.AddHeld(whole, of)
		return of
	})
}

// IsLayer reports whether a network is a layer of another.
func (m *Model) IsLayer(n *Network) bool {
	return slices.ContainsFunc(m.Networks, func(whole *Network) bool { return whole != n && m.LayersOf(whole)[n.Ref] })
}

// LanguageModels returns the trained networks that yield tokens: language models of libraries, and networks that
// have an embedding of tokens.
func (m *Model) LanguageModels() []*Network {
	var out []*Network
	for _, n := range m.Networks {
		if n.Trained && (n.Scores() == domain.TokenIDs || m.embeds(n)) {
			out = append(out, n)
		}
	}
	return out
}

func (m *Model) embeds(n *Network) bool {
	for r := range m.LayersOf(n) {
		if o, ok := r.(*infer.LibObject); ok && o.Name == "torch.nn.Embedding" {
			return true
		}
	}
	return false
}
