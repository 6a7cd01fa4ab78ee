package archtest

import (
	"fmt"
	"strings"
)

// checkLayers holds every import of the module's own packages to the table of
// layers, and the table to the packages that exist.
func checkLayers(doc *document, t *codeTree) []Violation {
	found := unplacedPackages(doc, t)
	for _, f := range t.files {
		from, ok := doc.layerOf(f.pkg)
		if !ok {
			continue // reported as unplaced
		}
		for _, imp := range f.imports {
			if !imp.local || imp.path == f.pkg {
				continue
			}
			to, ok := doc.layerOf(imp.path)
			if ok && !mayImport(from, to, imp.path, f.test) {
				found = append(found, Violation{f.name, imp.line, layerMessage(from, to, f.pkg, imp.path)})
			}
		}
	}
	return found
}

// mayImport is the law of layers: a package imports what is below it, and of its
// own layer only what its row names. Test files may look sideways, since a test
// of syntax trees needs a parser to write its input in Python, and may use the
// helpers of tests. Those helpers and the tools may import every numbered layer.
func mayImport(from, to layerRow, imported string, inTest bool) bool {
	switch {
	case to.layer == layerTool:
		return false
	case to.layer == layerTest:
		return inTest || from.layer == layerTest || from.layer == layerTool
	case from.layer < 0:
		return true
	case from.layer == to.layer:
		return inTest || matchesAny(from.beside, imported)
	}
	return from.layer > to.layer
}

func layerMessage(from, to layerRow, pkg, imported string) string {
	switch {
	case to.layer == layerTool:
		return fmt.Sprintf("%s imports %s, a tool; nothing imports tools: move what is shared into a package of its own", pkg, imported)
	case to.layer == layerTest:
		return fmt.Sprintf("%s imports %s outside a test; that package is for tests only", pkg, imported)
	case from.layer == to.layer:
		return fmt.Sprintf("%s imports %s, its sibling in layer %d; siblings do not see each other: move what is shared to a lower layer", pkg, imported, to.layer)
	}
	return fmt.Sprintf("%s (layer %d) imports %s (layer %d); a package imports only what is below it", pkg, from.layer, imported, to.layer)
}

// unplacedPackages reports packages without a row and rows without a package.
func unplacedPackages(doc *document, t *codeTree) []Violation {
	var found []Violation
	packages := t.packages()
	for _, pkg := range packages {
		if _, ok := doc.layerOf(pkg); !ok {
			found = append(found, Violation{firstFile(t, pkg), 1, fmt.Sprintf("package %s has no row in %s's table of layers: give it one", pkg, documentName)})
		}
	}
	for _, row := range doc.layers {
		if !anyMatch(packages, row.pattern) {
			found = append(found, Violation{documentName, row.line, fmt.Sprintf("the table of layers places %s, which does not exist: remove the row", row.pattern)})
		}
	}
	return found
}

// checkUse wants every package of a numbered layer to be part of the program:
// imported by code that is not a test, or a command itself.
func checkUse(doc *document, t *codeTree) []Violation {
	imported := make(map[string]bool)
	for _, f := range t.files {
		for _, imp := range f.imports {
			imported[imp.path] = imported[imp.path] || imp.local && !f.test
		}
	}
	var found []Violation
	for _, pkg := range t.packages() {
		row, ok := doc.layerOf(pkg)
		if ok && row.layer >= 0 && !imported[pkg] && !t.command(pkg) {
			found = append(found, Violation{firstFile(t, pkg), 1, fmt.Sprintf("nothing but tests imports package %s: use it, or remove it", pkg)})
		}
	}
	return found
}

// checkFences holds imports to the table of fences.
func checkFences(doc *document, t *codeTree) []Violation {
	var found []Violation
	for _, fence := range doc.fences {
		for _, f := range t.files {
			if f.test || !fence.forbids(f.pkg) {
				continue
			}
			for _, imp := range f.imports {
				if imp.path != f.pkg && matchesAny(fence.imports, imp.path) {
					found = append(found, Violation{f.name, imp.line, fence.message(f.pkg, imp.path)})
				}
			}
		}
	}
	return found
}

func (r fenceRow) forbids(pkg string) bool {
	if len(r.only) > 0 {
		return !matchesAny(r.only, pkg)
	}
	return matchesAny(r.never, pkg)
}

func (r fenceRow) message(pkg, imported string) string {
	if len(r.only) > 0 {
		return fmt.Sprintf("%s imports %s; only %s may", pkg, imported, strings.Join(r.only, ", "))
	}
	return fmt.Sprintf("%s imports %s; %s may not", pkg, imported, strings.Join(r.never, ", "))
}

// checkModules holds imports of other people's modules to the table of
// dependencies, and the table to the imports that exist.
func checkModules(doc *document, t *codeTree) []Violation {
	var found []Violation
	used := make(map[string]bool)
	for _, f := range t.files {
		for _, imp := range f.imports {
			if imp.local || !foreign(imp.path) {
				continue
			}
			row, ok := doc.moduleOf(imp.path)
			if !ok {
				found = append(found, Violation{f.name, imp.line, fmt.Sprintf("%s is not in %s's table of dependencies: name it there with its reason, or do without", imp.path, documentName)})
				continue
			}
			user, allowed := row.userOf(f, doc.aside(f))
			used[row.module+" "+user] = true
			if !allowed {
				found = append(found, Violation{f.name, imp.line, fmt.Sprintf("%s imports %s; %s allows it to %s", f.pkg, imp.path, documentName, row.allowed())})
			}
		}
	}
	return append(found, idleModules(doc, used)...)
}

// idleModules reports users in the table of dependencies that use nothing.
func idleModules(doc *document, used map[string]bool) []Violation {
	var found []Violation
	for _, row := range doc.modules {
		users := row.users
		if row.tests {
			users = append(users[:len(users):len(users)], "tests")
		}
		for _, user := range users {
			if !used[row.module+" "+user] {
				found = append(found, Violation{documentName, row.line, fmt.Sprintf("%s is said to be used by %s, which does not import it: fix the row", row.module, user)})
			}
		}
	}
	return found
}

// foreign reports whether an import path belongs to another module: its first
// element has a dot, as the host of a module has.
func foreign(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".")
}

// moduleOf returns the row with the longest module path that contains an import.
func (d *document) moduleOf(imported string) (moduleRow, bool) {
	var best moduleRow
	for _, row := range d.modules {
		inside := imported == row.module || strings.HasPrefix(imported, row.module+"/")
		if inside && len(row.module) > len(best.module) {
			best = row
		}
	}
	return best, best.module != ""
}

// aside reports whether a file is no part of the program: a test, a helper of
// tests, a tool.
func (d *document) aside(f goFile) bool {
	row, ok := d.layerOf(f.pkg)
	return f.test || ok && row.layer < 0
}

// userOf returns the entry of the row under which a file may import the module.
func (r moduleRow) userOf(f goFile, aside bool) (user string, allowed bool) {
	for _, pattern := range r.users {
		if matches(pattern, f.pkg) {
			return pattern, true
		}
	}
	if aside && r.tests {
		return "tests", true
	}
	return "", false
}

func (r moduleRow) allowed() string {
	users := strings.Join(r.users, ", ")
	switch {
	case users == "":
		return "tests only"
	case r.tests:
		return users + " and tests"
	}
	return users
}

// checkSizes holds files and functions to the limits, and the table of
// exemptions to what still needs one.
func checkSizes(doc *document, t *codeTree) []Violation {
	var found []Violation
	needed := make(map[exemptionRow]bool)
	exempt := func(file, function string) bool {
		for _, row := range doc.exemptions {
			if row.file == file && row.function == function {
				needed[row] = true
				return true
			}
		}
		return false
	}
	for _, f := range t.files {
		if f.generated {
			continue
		}
		if f.lines > maxFileLines && !exempt(f.name, "") {
			found = append(found, Violation{f.name, 1, fmt.Sprintf("the file has %d lines, the limit is %d: split it by subject", f.lines, maxFileLines)})
		}
		for _, fn := range f.functions {
			if !f.test && fn.lines > maxFunctionLines && !exempt(f.name, fn.name) {
				found = append(found, Violation{f.name, fn.line, fmt.Sprintf("function %s has %d lines, the limit is %d: split it by step", fn.name, fn.lines, maxFunctionLines)})
			}
		}
	}
	for _, row := range doc.exemptions {
		if !needed[row] {
			found = append(found, Violation{documentName, row.line, fmt.Sprintf("the exemption of %s %s is not needed: remove the row", row.file, row.function)})
		}
	}
	return found
}

// checkPackageComments wants one package comment in every package.
func checkPackageComments(_ *document, t *codeTree) []Violation {
	var found []Violation
	for _, pkg := range t.packages() {
		files, commented := 0, false
		for _, f := range t.files {
			if f.pkg == pkg && !f.test {
				files++
				commented = commented || f.comment
			}
		}
		if files > 0 && !commented {
			found = append(found, Violation{firstFile(t, pkg), 1, fmt.Sprintf("package %s has no package comment: say its purpose, input, output and limits", pkg)})
		}
	}
	return found
}

// firstFile returns the first file of a package, for a position.
func firstFile(t *codeTree, pkg string) string {
	for _, f := range t.files {
		if f.pkg == pkg {
			return f.name
		}
	}
	return pkg
}

func anyMatch(names []string, pattern string) bool {
	for _, name := range names {
		if matches(pattern, name) {
			return true
		}
	}
	return false
}
