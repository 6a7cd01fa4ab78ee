package ast

import "strings"

// Assigned are the targets that a node itself assigns to, in source order: names, attributes, items, and displays of them. The variable
// of a comprehension is none: it has a scope of its own.
func Assigned(n Node) []Expr {
	var target Expr
	switch n := n.(type) {
	case *Assign:
		return n.Targets
	case *AugAssign:
		target = n.Target
	case *AnnAssign:
		target = n.Target
	case *For:
		target = n.Target
	case *WithItem:
		target = n.Target
	}
	if target == nil {
		return nil
	}
	return []Expr{target}
}

// Named are the names that a node itself binds without a target: those of imports, handlers, patterns and of the walrus.
func Named(n Node) []string {
	switch n := n.(type) {
	case *Import:
		return imported(n.Names)
	case *ImportFrom:
		return imported(n.Names)
	case *Handler:
		return []string{n.Name}
	case *NamedExpr:
		return []string{n.Target.Ident}
	case *MatchAs:
		return []string{n.Name}
	case *MatchStar:
		return []string{n.Name}
	case *MatchMapping:
		return []string{n.Rest}
	}
	return nil
}

func imported(list []*Alias) []string {
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = a.Bound()
	}
	return out
}

// Bound is the name that an import binds: the first one of a dotted name.
func (a *Alias) Bound() string {
	if a.AsName != "" {
		return a.AsName
	}
	first, _, _ := strings.Cut(a.Name, ".")
	return first
}
