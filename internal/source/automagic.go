package source

import (
	"bytes"
	"slices"
	"strings"
)

// # Automagic
//
// IPython runs a magic without its %, pip install x, where it is the only line of its cell: in a cell of several lines it is a syntax
// error there, too. Where the line may be Python as well, as ls - l is, a name that the program has wins; only names of programs
// are taken for magics then.

// programs are the magics that are called as programs are, conventional words of a shell and of no Python.
var programs = strings.Fields("cat cd conda cp ldir lf lk ll ls lx mamba micromamba mkdir mv pip popd pushd pwd rm rmdir uv")

// otherMagics are further line magics that people type without %.
var otherMagics = strings.Fields("alias autoreload cls colors config env history load load_ext logstart matplotlib notebook pdoc pfile pinfo psource pylab reload_ext rerun reset " +
	"run save set_env system time timeit unload_ext who who_ls whos xmode")

// maskAutomagic blanks the only line of a cell where it is a magic without %, and reports whether it is. Before at the cell has
// nothing but blank lines.
func (m *masker) maskAutomagic(at int) bool {
	cell := bytes.TrimSpace(m.text[at:])
	if len(bytes.TrimSpace(m.text[:at])) > 0 || bytes.IndexByte(cell, '\n') >= 0 {
		return false
	}
	name := cell[:len(cell)-len(bytes.TrimLeft(cell, "abcdefghijklmnopqrstuvwxyz_"))]
	rest := string(bytes.TrimLeft(cell[len(name):], " \t"))
	isProgram := slices.Contains(programs, string(name))
	switch {
	case !isProgram && !slices.Contains(otherMagics, string(name)) || rest == "" || len(rest) == len(cell)-len(name):
		return false
	case strings.IndexByte("=,([:", rest[0]) >= 0:
		return false
	case !isProgram && strings.IndexByte("+-*/%@<>!&|^.", rest[0]) >= 0:
		return false
	}
	word, _, _ := strings.Cut(rest, " ")
	if slices.Contains([]string{"if", "is", "in", "and", "or", "not"}, word) {
		return false
	}
	if strings.HasSuffix(rest, "?") {
		return false // help on it
	}
	first := at + bytes.Index(m.text[at:], cell)
	m.maskLines(first, len(m.text))
	return true
}
