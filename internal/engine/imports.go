package engine

import (
	"bytes"
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
	level    int
	dotted   string
	deferred bool // inside a function: does not run with the module
}

// scanImports returns the names that a text imports. "from a import b" yields a
// and a.b, and "import a.b" yields a and a.b: b may be a module.
func scanImports(text []byte) []importName {
	var out []importName
	deferred := false
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
			deferred = opensFunction(body)
		}
		if bytes.HasPrefix(body, []byte("import")) || bytes.HasPrefix(body, []byte("from")) {
			out = append(out, readImport(text[at+len(line)-len(body):], deferred)...)
		}
		at += end + 1
	}
	return out
}

// opensFunction reports whether a line at the margin starts a block that does
// not run when the module is imported.
func opensFunction(line []byte) bool {
	for _, p := range []string{"def ", "async def ", "@", "if TYPE_CHECKING", "if typing.TYPE_CHECKING"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}

// readImport reads the statement at the start of text.
func readImport(text []byte, deferred bool) []importName {
	words := statementWords(text)
	if len(words) < 2 {
		return nil
	}
	var out []importName
	add := func(level int, dotted string) {
		for i := range len(dotted) {
			if dotted[i] == '.' {
				out = append(out, importName{level, dotted[:i], deferred})
			}
		}
		out = append(out, importName{level, dotted, deferred})
	}
	if words[0] == "import" {
		for _, w := range firstOfEach(words[1:]) {
			add(0, w)
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
	add(level, name)
	for _, w := range firstOfEach(words[at+1:]) {
		if w != "*" {
			out = append(out, importName{level, strings.TrimPrefix(name+"."+w, "."), deferred})
		}
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

// resolveImports finds the files that the names mean.
func resolveImports(m *module) {
	known := map[string]int{}
	for _, in := range m.imports {
		path, ok := m.resolver.Resolve(&m.Module, in.level, in.dotted)
		if !ok || path == m.abs {
			continue
		}
		if i, ok := known[path]; ok {
			m.Imports[i].Deferred = m.Imports[i].Deferred && in.deferred
			continue
		}
		known[path] = len(m.Imports)
		m.Imports = append(m.Imports, project.Import{Path: path, Deferred: in.deferred})
	}
	m.imports = nil
}
