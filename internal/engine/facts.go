package engine

import (
	"fmt"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
)

// factKey names a fact: one of a type for each module.
type factKey struct {
	module *module
	typ    reflect.Type
}

// exportFact stores a package fact of a module, unless the attempt is over.
func (r *run) exportFact(at *attempt, m *module, f analysis.Fact) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at.over || m.group.known != nil {
		return // known to importers already
	}
	r.facts[factKey{m, reflect.TypeOf(f)}] = f
}

// importFact copies the fact of a package into f, if there is one.
func (r *run) importFact(reader *module, pkg *types.Package, f analysis.Fact) bool {
	m := r.moduleOf(reader, pkg)
	if m == nil {
		return false
	}
	r.mu.Lock()
	stored, ok := r.facts[factKey{m, reflect.TypeOf(f)}]
	r.mu.Unlock()
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(stored).Elem())
	}
	return ok
}

// moduleOf returns the module of a package as far as reader may see it.
func (r *run) moduleOf(reader *module, pkg *types.Package) *module {
	if pkg == reader.pkg {
		return reader
	}
	m := r.packages[pkg]
	if m == nil || m.group == reader.group && m.rank >= reader.rank {
		return nil
	}
	return m
}

// packageFacts lists the facts of the modules that reader imports directly.
func (r *run) packageFacts(reader *module) []analysis.PackageFact {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []analysis.PackageFact
	for _, m := range reader.direct {
		for key, f := range r.facts {
			if key.module == m && r.moduleOf(reader, m.pkg) != nil {
				out = append(out, analysis.PackageFact{Package: m.pkg, Fact: f})
			}
		}
	}
	return out
}

// noObjectFacts refuses facts about objects: a Python module has no types.Object.
func noObjectFacts(types.Object, analysis.Fact) {
	panic("facts about objects do not exist here: export one about the package")
}

func noObjectFact(o types.Object, f analysis.Fact) bool {
	panic(fmt.Sprintf("fact %T about object %v: facts about objects do not exist here", f, o))
}
