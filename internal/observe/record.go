package observe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// records are what the processes of a run showed, by the absolute paths of the modules.
type records struct {
	byPath      map[string]*infer.Record
	files       []string // absolute, of the modules in which something was evaluated
	seen, sites int
}

// maxRecord bounds the file of a record.
const maxRecord = 200 << 20

// written is the file that recorder.py writes.
type written struct {
	Files []string
	Sites []site
}

// site is one place in it.
type site struct {
	At        [3]int // file, start, end
	What      string // read, made, block
	Count     int
	Kinds     []string
	Gradient  []bool
	Shape     []int
	Constants []struct{ Type, Text string }
	Called    []string
	Classes   []string
	Origins   []int
	Elements  map[string][]int
	Length    *int
}

// readAll reads what the first process of a run left in a folder.
func readAll(folder string, roots []string, p *program.Program) (*records, error) {
	out := &records{byPath: map[string]*infer.Record{}}
	path := filepath.Join(folder, "recorder.json")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return out, nil
	case err != nil:
		return nil, err
	case info.Size() > maxRecord:
		return nil, fmt.Errorf("the record of the run has %d MB, and may have %d", info.Size()>>20, maxRecord>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var w written
	if err := protocol.ReadFile("recorder.recorder", text, &w); err != nil {
		return nil, err
	}
	return out, out.take(&w, roots, p)
}

// take makes records of what was written.
func (r *records) take(w *written, roots []string, p *program.Program) error {
	modules, paths := map[string]*infer.Record{}, map[*infer.Record]string{}
	var list []*infer.Record
	for _, name := range w.Files {
		m := &infer.Record{Sights: map[ast.Span]*infer.Sight{}, Blocks: map[ast.Span]int{}}
		list, modules[name] = append(list, m), m
		shown := name
		if p.Notebook != nil && name == filepath.ToSlash(program.NotebookScript(p.Script)) {
			shown = p.Script
		}
		for _, root := range roots {
			paths[m] = filepath.Join(root, filepath.FromSlash(shown))
			r.byPath[paths[m]] = m
		}
	}
	sights := make([]*infer.Sight, len(w.Sites))
	for i := range w.Sites {
		s := &w.Sites[i]
		if s.At[0] < 0 || s.At[0] >= len(list) {
			return errors.New("the record of the run names a file that it does not list")
		}
		m, span := list[s.At[0]], ast.Span{Start: uint32(s.At[1]), End: uint32(s.At[2])}
		if s.What == "block" {
			m.Blocks[span] += s.Count
			continue
		}
		r.sites++
		sights[i] = s.sight(modules)
		m.Sights[span] = sights[i]
		if s.Count == 0 {
			continue
		}
		r.seen++
		if path := paths[m]; !slices.Contains(r.files, path) {
			r.files = append(r.files, path)
		}
		for _, symbol := range slices.Concat(sights[i].Called, sights[i].Classes) {
			if used := paths[symbol.In]; used != "" && symbol.In != m && !slices.Contains(m.Uses, used) {
				m.Uses = append(m.Uses, used)
			}
		}
	}
	for i := range w.Sites {
		if sights[i] != nil {
			w.Sites[i].link(sights[i], sights)
		}
	}
	return nil
}

// sight is a site without its origins.
func (s *site) sight(modules map[string]*infer.Record) *infer.Sight {
	out := &infer.Sight{Count: s.Count, Made: s.What == "made", Length: -1, Shape: s.Shape, Rank: s.Shape != nil}
	if len(s.Shape) == 1 && s.Shape[0] == -2 {
		out.Shape, out.Rank = nil, false
	}
	for _, g := range s.Gradient {
		out.Attached, out.Detached = out.Attached || g, out.Detached || !g
	}
	if s.Length != nil {
		out.Length = *s.Length
	}
	for _, c := range s.Constants {
		if value := constant(c.Type, c.Text); value != nil {
			out.Constants = append(out.Constants, value)
		}
	}
	if len(s.Kinds) != 1 {
		return out
	}
	switch s.Kinds[0] {
	case "tensor":
		out.Array = infer.LibTorch
	case "array":
		out.Array, out.Detached = infer.LibNumpy, true
	case "callable":
		out.Called = symbols(s.Called, modules)
	case "object":
		out.Classes = symbols(s.Classes, modules)
	case "list", "dict":
		if len(s.Classes) == 1 {
			out.Holds = s.Classes[0]
		}
	}
	return out
}

// constant is a value of Python as evaluation has it, nil where it is none of those that it follows.
func constant(kind, text string) any {
	switch kind {
	case "str":
		return text
	case "bool":
		return text == "True"
	case "NoneType":
		return library.None{}
	case "int":
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i
		}
	case "float":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return f
		}
	}
	return nil
}

// symbols reads the names of functions and classes: "FILE:OFFSET" in the program, or public ones.
func symbols(names []string, modules map[string]*infer.Record) (out []infer.Symbol) {
	for _, name := range names {
		symbol := infer.Symbol{Name: name}
		if path, offset, ok := cutLast(name, ":"); ok {
			start, err := strconv.ParseUint(offset, 10, 32)
			symbol = infer.Symbol{In: modules[path], Start: uint32(start)}
			if err != nil {
				symbol = infer.Symbol{}
			}
		}
		out = append(out, symbol)
	}
	return out
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// link fills in the sights from which the values of a site came.
func (s *site) link(out *infer.Sight, all []*infer.Sight) {
	out.Origins = pick(s.Origins, all)
	for key, list := range s.Elements {
		if found := pick(list, all); found != nil {
			if out.Elements == nil {
				out.Elements = map[string][]*infer.Sight{}
			}
			out.Elements[key] = found
		}
	}
}

// pick takes sights by their numbers; nil where one is none.
func pick(numbers []int, all []*infer.Sight) (out []*infer.Sight) {
	for _, n := range numbers {
		if n < 0 || n >= len(all) || all[n] == nil {
			return nil
		}
		out = append(out, all[n])
	}
	return out
}
