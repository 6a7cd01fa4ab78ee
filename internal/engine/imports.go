package engine

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/project"
)

// # Imports before parsing
//
// Modules are checked in the order of their imports, and each is parsed only
// when its turn comes: the trees of a large repository do not fit into memory at
// once. So the imports are read from the bytes. A line that begins with import
// or from is one; that such a line can stand inside a string costs nothing, since
// an import that is not one only adds an edge to a file that exists.

// importName is one imported dotted name, as written.
type importName struct {
	level  int
	dotted string
	tie    project.Tie // as the statement stands
	role   importRole
}

// importRole is what a dotted name is to the statement that names it.
type importRole uint8

const (
	whole    importRole = iota // a module: b of "import a.b" and of "from b import *"
	onTheWay                   // a package above it
	holder                     // b of "from b import c"
	member                     // b.c of "from b import c", a module or a name in one
)

// scanImports returns the names that a text imports. "from a import b" yields a
// and a.b, and "import a.b" yields a and a.b: b may be a module.
func scanImports(text []byte) []importName {
	var out []importName
	tie := project.Needed
	for at := 0; at < len(text); {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		line := text[at : at+end]
		body := line
		for len(body) > 0 && (body[0] == ' ' || body[0] == '\t' || body[0] == '\f') {
			body = body[1:]
		}
		if len(body) == len(line) && len(body) > 0 && body[0] != '#' && body[0] != ')' {
			tie = tieUnder(body)
		}
		if bytes.HasPrefix(body, []byte("import")) || bytes.HasPrefix(body, []byte("from")) {
			out = append(out, readImport(text[at+len(line)-len(body):], tie)...)
		}
		at += end + 1
	}
	return out
}

// tieUnder is that of imports in the block that a line at the margin starts: some do not
// run when the module is imported.
func tieUnder(line []byte) project.Tie {
	for _, p := range []string{"def ", "async def ", "@"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return project.Loose
		}
	}
	for _, p := range []string{"if TYPE_CHECKING", "if typing.TYPE_CHECKING"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return project.ForTypes
		}
	}
	return project.Needed
}

// readImport reads the statement at the start of text.
func readImport(text []byte, tie project.Tie) []importName {
	words := statementWords(text)
	if len(words) < 2 {
		return nil
	}
	var out []importName
	add := func(level int, dotted string, role importRole) {
		for i := range len(dotted) {
			if dotted[i] == '.' {
				out = append(out, importName{level, dotted[:i], tie, onTheWay})
			}
		}
		out = append(out, importName{level, dotted, tie, role})
	}
	if words[0] == "import" {
		for _, w := range firstOfEach(words[1:]) {
			add(0, w, whole)
		}
		return out
	}
	if words[0] != "from" {
		return nil
	}
	at := 1
	module := ""
	for at < len(words) && words[at] != "import" {
		module += words[at]
		at++
	}
	name := strings.TrimLeft(module, ".")
	level := len(module) - len(name)
	if at == len(words) {
		return nil
	}
	names := firstOfEach(words[at+1:])
	if slices.Contains(names, "*") {
		add(level, name, whole)
		return out
	}
	add(level, name, holder)
	for _, w := range names {
		out = append(out, importName{level, strings.TrimPrefix(name+"."+w, "."), tie, member})
	}
	return out
}

// firstOfEach returns the dotted name at the start of each item of a list with
// commas: the names of "a.b as c, d".
func firstOfEach(words []string) []string {
	var out []string
	name, open := "", true
	for _, w := range append(words, ",") {
		switch {
		case w == ",":
			if name != "" {
				out = append(out, name)
			}
			name, open = "", true
		case open && (w == "." || name == "" || strings.HasSuffix(name, ".")):
			name += w
		default:
			open = false
		}
	}
	return out
}

// statementWords splits an import statement, which ends with the line unless
// parentheses or a backslash carry it on, into words, dots and commas.
func statementWords(text []byte) []string {
	const limit = 1 << 16
	var words []string
	depth, start := 0, -1
	flush := func(i int) {
		if start >= 0 {
			words = append(words, string(text[start:i]))
			start = -1
		}
	}
	for i := 0; i < min(len(text), limit); i++ {
		c := text[i]
		switch {
		case c == '\\':
			flush(i)
			if i+1 < len(text) && text[i+1] == '\r' {
				i++
			}
			i++
		case c == '#':
			flush(i)
			if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
				i += n - 1
			} else {
				return words
			}
		case c == '(':
			flush(i)
			depth++
		case c == ')':
			flush(i)
			return words
		case c == ';' || c == '\n' && depth == 0:
			flush(i)
			return words
		case c == ',' || c == '.':
			flush(i)
			words = append(words, string(c))
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f':
			flush(i)
		case start < 0:
			start = i
		}
	}
	flush(min(len(text), limit))
	return words
}

// gathers reports whether a file is the __init__.py of a package around another: most of
// these import what lies below them.
func gathers(path, below string) bool {
	dir, name := filepath.Split(path)
	return name == "__init__.py" && strings.HasPrefix(below, dir)
}

// resolveImports finds the files that the names mean.
func (l *loader) resolveImports(m *module) {
	known := map[string]int{}
	add := func(path string, tie project.Tie) {
		if path == "" || path == m.abs {
			return
		}
		if gathers(path, m.abs) {
			tie = max(tie, project.ForTypes)
		}
		if i, ok := known[path]; ok {
			m.Imports[i].Tie = min(m.Imports[i].Tie, tie)
			return
		}
		known[path] = len(m.Imports)
		m.Imports = append(m.Imports, project.Import{Path: path, Tie: tie})
	}
	from := "" // the file of the holder that the members behind it are of
	for _, in := range m.imports {
		path, ok := m.resolver.Resolve(&m.Module, in.level, in.dotted)
		if path == "" && in.role != onTheWay {
			m.elsewhere = append(m.elsewhere, in.dotted[strings.LastIndexByte(in.dotted, '.')+1:])
		}
		switch in.role {
		case whole:
			add(path, in.tie)
		case onTheWay:
			add(path, project.Loose)
		case holder:
			from = path
			add(path, project.Loose)
		case member:
			switch {
			case ok:
				add(path, in.tie)
			case !strings.HasSuffix(in.dotted, "__"): // __version__ and its like are no definitions
				add(from, in.tie)
			}
		}
	}
	m.imports = nil
	if record := l.options.Records[m.abs]; record != nil {
		for _, path := range record.Uses {
			add(path, project.Loose)
		}
	}
}
