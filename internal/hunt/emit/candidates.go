package emit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/words"
)

// gradient is the test of the first function of the program's whose gradient is wrong and
// whose inputs were recorded.
func (e *Emitter) gradient(context.Context) (*candidate, error) {
	for _, g := range e.Result.Gradients {
		if g.Verdict != "wrong" || g.Record == nil || g.Row == g.ForwardRow || g.Order != 1 {
			continue
		}
		record, err := os.ReadFile(filepath.Join(e.Result.Record, *g.Record))
		if err != nil {
			return nil, fmt.Errorf("the recorded inputs cannot be read: %w", err)
		}
		class := g.Function[strings.LastIndex(g.Function, ".")+1:]
		if strings.Contains(g.Function, "<") {
			return nil, &refused{fmt.Sprintf("%s is made within a function, where a test cannot find it", g.Function)}
		}
		c := &candidate{name: snake(class) + "_gradient", record: record, what: "the gradient of " + class}
		h := e.head(g.Filename, "json", "sys")
		h.Class = class
		v := gradientTest{h, snake(class), "", docstring(e.Result.Place(g.Filename, g.Cell, g.Row)), c.recordFile(), precision(g.Dtype), g.Kinks}
		if g.Pattern != nil {
			v.Pattern = docstring(*g.Pattern)
		}
		c.text = []byte(v.text())
		return c, nil
	}
	return nil, nil
}

// gradientTest is what gradient.qtpl shows.
type gradientTest struct {
	head
	Snake, Pattern, Place, Record, Dtype string
	Kinks                                int
}

func precision(dtype string) string {
	if dtype == "float32" {
		return dtype
	}
	return "float64"
}

// recorded is what hunt.batch wrote.
type recorded struct {
	Function, Module string
	Record, Reason   *string
}

// finite is the test of the function that holds the first bad line, at a call that is
// recorded in one more run.
func (e *Emitter) finite(ctx context.Context) (*candidate, error) {
	r := e.Result
	bad, f := r.FirstBad, r.Failure
	if bad == nil || f == nil || e.Record == 0 || bad.Cell > 0 {
		return nil, nil
	}
	file, err := filepath.Rel(e.Plan.Root, bad.Filename)
	if err != nil || !filepath.IsLocal(file) {
		return nil, nil
	}
	from := max(0, f.Step-1)
	p := e.Plan
	p.Seeds, p.Kept = []int{f.Seed}, filepath.Join(e.Work, "batch")
	p.Instruments = []harness.Instrument{
		{Name: "hunt.guards", Settings: map[string]any{}},
		{Name: "hunt.batch", Settings: map[string]any{"file": filepath.ToSlash(file), "row": bad.Row, "from": from, "to": f.Step, "max_record": e.Record}},
	}
	if _, err := e.Run(ctx, "running the failing seed again, to record the call that fails", []harness.Plan{p}); err != nil {
		return nil, err
	}
	saw, record, err := readBatch(filepath.Join(p.Kept, strconv.Itoa(f.Seed), f.Process))
	if err != nil {
		return nil, err
	}
	return e.finiteOf(saw, record, file), nil
}

func readBatch(dir string) (saw recorded, record []byte, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "batch.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return saw, nil, &refused{"the call that fails was not seen again"}
	}
	if err == nil {
		err = protocol.ReadFile("hunt.batch", text, &saw)
	}
	switch {
	case err != nil:
		return saw, nil, err
	case saw.Record == nil && saw.Reason != nil:
		return saw, nil, &refused{*saw.Reason}
	}
	record, err = os.ReadFile(filepath.Join(dir, "batch.pt"))
	return saw, record, err
}

func (e *Emitter) finiteOf(saw recorded, record []byte, file string) *candidate {
	c := &candidate{name: snake(strings.ReplaceAll(saw.Function, ".", "_")) + "_finite", record: record, what: "the call of " + saw.Function}
	bad := e.Result.FirstBad
	h := e.head(filepath.Join(e.Plan.Root, file), "importlib", "json", "sys")
	v := finiteTest{h, docstring(saw.Function), snake(strings.ReplaceAll(saw.Function, ".", "_")), docstring(e.Result.Place(bad.Filename, bad.Cell, bad.Row)), c.recordFile(), saw.Module}
	c.text = []byte(v.text())
	return c
}

// finiteTest is what finite.qtpl shows.
type finiteTest struct {
	head
	Called, Snake, Place, Record, Module string
}

// more losses than until the failure are looked at, since a bad gradient shows in the next.
const more = 3

// program is the test that runs the program to where it failed.
func (e *Emitter) program(context.Context) (*candidate, error) {
	r, f := e.Result, e.Result.Failure
	if f == nil || len(e.Plan.Overlay) > 0 {
		return nil, nil
	}
	name := strings.TrimSuffix(filepath.Base(r.Script), ".py")
	c := &candidate{name: snake(name) + fmt.Sprintf("_seed_%d", f.Seed), what: "the program under seed " + strconv.Itoa(f.Seed), runs: true}
	v := programTest{
		Shown: docstring(r.Shown(r.Script)), Detail: docstring(f.Detail), Snake: snake(name), Root: e.root(), ModuleName: e.Plan.Module,
		Program: python(e.Plan.Module), Folder: "str(ROOT)", Seed: f.Seed, Backwards: f.Backward + 1 + more, Arguments: append([]string{}, e.Plan.Args...), Respect: e.Plan.RespectSeeds,
	}
	if e.Plan.Module == "" {
		v.Program = fmt.Sprintf("str(%s)", below("ROOT", e.Plan.Script))
		v.Folder = fmt.Sprintf("str(%s)", below("ROOT", filepath.Dir(e.Plan.Script)))
	}
	c.text = []byte(v.text())
	return c, nil
}

// programTest is what program.qtpl shows.
type programTest struct {
	Shown, Detail, Snake, Root, Program, Folder, ModuleName string
	Seed, Backwards                                         int
	Arguments                                               []string
	Respect                                                 bool
}

// root is the project's folder as the test finds it.
func (e *Emitter) root() string {
	rel, err := filepath.Rel(e.Plan.Root, e.Dir)
	if err != nil || rel == "." {
		return "HERE"
	}
	if n := strings.Count(filepath.ToSlash(rel), "/"); n > 0 {
		return fmt.Sprintf("HERE.parents[%d]", n)
	}
	return "HERE.parent"
}

// below is a path below a folder, as an expression.
func below(folder, path string) string {
	if path = filepath.ToSlash(path); path != "." && path != "" {
		return folder + " / " + python(path)
	}
	return folder
}

// head is how a test comes to what it tries.
type head struct {
	Imports []string
	// Above is the folder for sys.path, Import the module, Alias what it is called, Class
	// what is taken of it.
	Above, Import, Alias, Class string
	// Definitions says that the file trains when it is imported; Path is it.
	Definitions bool
	Path        string
}

// head finds a file's module: a dotted name below a folder that Python looks in.
func (e *Emitter) head(filename string, imports ...string) head {
	rel, err := filepath.Rel(e.Plan.Root, filename)
	if err != nil {
		rel = filepath.Base(filename)
	}
	above, name := ".", strings.TrimSuffix(filepath.ToSlash(rel), ".py")
	if e.Plan.Module == "" { // Python looks in the script's folder
		if in, err := filepath.Rel(filepath.Dir(e.Plan.Script), filepath.FromSlash(name)); err == nil && filepath.IsLocal(in) {
			above, name = filepath.Dir(e.Plan.Script), filepath.ToSlash(in)
		}
	}
	dotted := strings.TrimSuffix(strings.ReplaceAll(name, "/", "."), ".__init__")
	h := head{Above: below(e.root(), above), Import: dotted, Alias: dotted[strings.LastIndex(dotted, ".")+1:], Imports: imports, Path: below(e.root(), rel)}
	if trains(filename) || !isName(dotted) {
		h.Definitions, h.Alias = true, "program"
		h.Imports = append([]string{"ast"}, append(imports, "types")...)
	}
	return h
}

// trains reports whether a file does more than define when it is imported: it calls
// something, or loops, at its outermost level.
func trains(filename string) bool {
	text, err := os.ReadFile(filename)
	if err != nil || bytes.Contains(text, []byte("\nif __name__ ==")) {
		return false
	}
	for line := range bytes.Lines(text) {
		for _, word := range []string{"for ", "while ", "with ", "main(", "train("} {
			if bytes.HasPrefix(line, []byte(word)) {
				return true
			}
		}
		if name, rest, ok := bytes.Cut(line, []byte("(")); ok && len(rest) > 0 && isName(string(name)) {
			return true
		}
	}
	return false
}

// isName reports whether a text is a dotted name of Python's.
func isName(text string) bool {
	for _, part := range strings.Split(text, ".") {
		for i, c := range part {
			if !(c == '_' || unicode.IsLetter(c) || i > 0 && unicode.IsDigit(c)) {
				return false
			}
		}
		if part == "" {
			return false
		}
	}
	return true
}

// nameParts are the words of a name in camel case, or what is between other signs.
var nameParts = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// snake is GatedUnit as gated_unit, and SquaredReLU as squared_relu: a word of two letters
// belongs to the next.
func snake(name string) string {
	out, join := "", true
	for _, word := range nameParts.FindAllString(name, -1) {
		if !join {
			out += "_"
		}
		out, join = out+strings.ToLower(word), len(word) <= 2
	}
	if out == "" {
		return "program"
	}
	return out
}

// docstring is a text of the program's as it may stand in a docstring.
func docstring(text string) string {
	return strings.NewReplacer(`\`, "/", `"`, "'").Replace(words.Plain(text))
}
