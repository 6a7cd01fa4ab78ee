package library

import (
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// rearrange is the shape of an einops pattern such as "(b g) a -> b g a":
// names on the right are looked up among the keyword sizes and, where they
// stand alone, among the axes of the left side.
func rearrange(a Args, p []ref) domain.Shape {
	o, _ := a.get(p[1])
	pattern, ok := o.Const.(string)
	left, right, arrow := strings.Cut(pattern, "->")
	if !ok || !arrow || strings.Contains(pattern, "...") {
		return domain.UnknownShape
	}
	sizes := axisSizes(a, shapeOf(a, p[0]), groups(left))
	var out []domain.Dim
	for _, g := range groups(right) {
		out = append(out, productOf(g, sizes))
	}
	return domain.MakeShape(out...)
}

// groups splits one side of a pattern into axes, each a list of names.
func groups(side string) [][]string {
	var out [][]string
	open := false
	side = strings.NewReplacer("(", " ( ", ")", " ) ").Replace(side)
	for _, w := range strings.Fields(side) {
		switch {
		case w == "(":
			out, open = append(out, nil), true
		case w == ")":
			open = false
		case open:
			out[len(out)-1] = append(out[len(out)-1], w)
		default:
			out = append(out, []string{w})
		}
	}
	return out
}

// axisSizes returns the size of each name of a pattern's left side.
func axisSizes(a Args, s domain.Shape, left [][]string) map[string]domain.Dim {
	sizes := map[string]domain.Dim{}
	for name, o := range a.extra {
		sizes[name] = sizeDim(o)
	}
	if !s.Known() || int(s.Rank) != len(left) {
		return sizes
	}
	for i, names := range left {
		d, _ := s.Dim(i)
		if len(names) == 1 {
			sizes[names[0]] = d
			continue
		}
		solve(sizes, names, d)
	}
	return sizes
}

// solve finds the one unknown factor of an axis of constant size.
func solve(sizes map[string]domain.Dim, names []string, d domain.Dim) {
	missing, product := "", domain.ConstDim(1)
	for _, n := range names {
		f, ok := sizes[n]
		switch {
		case !ok && missing != "" || ok && f.N < 0:
			return
		case !ok:
			missing = n
		default:
			product = product.Times(f)
		}
	}
	if missing != "" && d.N >= 0 && product.N > 0 && d.N%product.N == 0 {
		sizes[missing] = domain.ConstDim(int(d.N / product.N))
	}
}

// productOf multiplies the sizes of a group of names.
func productOf(names []string, sizes map[string]domain.Dim) domain.Dim {
	if len(names) == 1 {
		if d, ok := sizes[names[0]]; ok {
			return d
		}
		if names[0] != "1" {
			return domain.UnknownDim
		}
	}
	product := domain.ConstDim(1)
	for _, n := range names {
		d, ok := sizes[n]
		switch {
		case n == "1":
		case !ok:
			return domain.UnknownDim
		default:
			product = product.Times(d)
		}
	}
	return product
}
