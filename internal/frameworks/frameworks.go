// Package frameworks knows how training frameworks are configured: which settings they have,
// what each is by default, and which values do not go together.
//
// Input: documents and commands of package runconf, or calls of a Python program that
// configure a trainer. Output: a Run, the settings of one run under the names of its framework's table, and
// what Run.Check finds wrong in it. One table a framework, NAME.toml, holds all that is
// said of it; doc.go describes its keys. A new framework is a new file.
//
// Limits: a check speaks only where each of its conditions is known to hold. A value that is not
// known, or a default that differs between the versions in question, makes no finding.
package frameworks

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/rlvet/rlvet/internal/runconf"
)

//go:embed *.toml
var files embed.FS

// Table is what is known of one framework. The keys of its file are in doc.go.
type Table struct {
	Name, Title string
	Package     string // on PyPI, whose version decides on defaults
	Own         string // the file that says the version in its own sources
	Home        string // the folder of its sources by which a copy is known that a project holds
	Repository  string // whose sources the rows name
	Read        string // the versions that were read, oldest to newest
	Since       string // the oldest version that is reckoned with where none is known

	// Loader is how the framework reads its documents: omegaconf, pyyaml, or typed where it converts each value to the type of its
	// field. Where it is not known a string that looks like a number is none.
	Loader string

	// Extends is the table of the framework that this one patches: its fields and checks hold here too, but for fields
	// that are here as well, and for the checks of the rules that Without names.
	Extends string
	Without []string

	// Origin are the sources that define the fields, and Compared how the last comparison with them ended; Beside are
	// the fields that they do not define: read by internal/tools/fieldcheck.
	Origin   []Origin
	Compared string
	Beside   []string

	Command    []Command
	Document   []Document
	Call       []Call
	Definition []Definition
	Field      map[string]Field
	Check      []Check

	aliases map[string]string // every name of a field, to the one in Field
}

// Command says how a command that runs the framework is recognised.
type Command struct {
	Module  string   // run by python -m, or by a launcher
	Words   []string // that follow each other: ["swift", "rlhf"]
	Script  string   // the end of a path: examples/scripts/dpo.py
	Style   string   // of its arguments: flags, hydra, or at, which is flags and @ FILE
	Set     map[string]string
	Needs   []string // flags of which one is there, where the name of a script says little
	Partial []string // flags and arguments that bring settings from elsewhere
	// Groups are all the first parts of keys that the entry point knows, where they are listed. A run that sets another one is of a program
	// that was made of the framework's, under its name.
	Groups []string
	// Launcher is the one that starts the processes, where its flags stand among the others.
	Launcher string
}

// Document says how a YAML, TOML or JSON document is recognised.
type Document struct {
	Keys    []string // all of which are there
	Any     []string // one of which is there, where any is given
	Without []string // none of which is there
	Values  map[string]string
	Each    bool     // each mapping at the top is a run of its own
	Prefix  string   // that the keys have in the document: config.
	Bases   []string // the framework's own that it starts from: where one is named the defaults hold for what is left out, and Keys may be missing
	Set     map[string]string
}

// Call says which class configures a run in Python: by its package and its own name, since people
// import it from wherever they find it.
type Call struct {
	Class        []string // trl.GRPOConfig
	Params       []string // the names of positional arguments
	Environments string   // the parameter whose environments are counted, as n_envs
	// Methods are those of the object that say more, with their parameters, as METHOD.PARAMETER.
	Methods map[string][]string
	// Chained says that methods hand back the object: Config().training(lr=1e-4).environment("CartPole-v1").
	Chained bool
	Trainer *Trainer
	// Import is the package that has to be imported too: one that patches the class.
	Import string
	Set    map[string]string
}

// Trainer is a class that takes a configuration, and has settings of its own: trainer.PARAMETER.
type Trainer struct {
	Class  []string
	Params []string
	Config string // the parameter that takes the configuration
	// Runner is a class that takes the trainer in turn: its settings are runner.PARAMETER.
	Runner *Trainer
}

// Calls returns the table and row of a class in a module that imports these packages, nil for none.
func Calls(name string, imports []string) (t *Table, row *Call) {
	if name == "" {
		return nil, nil
	}
	for _, table := range Tables() {
		for i := range table.Call {
			of := &table.Call[i]
			if !IsClass(of.Class, name) {
				continue
			}
			if of.Import != "" && slices.Contains(imports, of.Import) {
				return table, of
			}
			if row == nil && of.Import == "" {
				t, row = table, of
			}
		}
	}
	return t, row
}

// IsClass reports whether a qualified name is one of these classes, from whatever module of its package.
func IsClass(classes []string, name string) bool {
	return slices.ContainsFunc(classes, func(class string) bool {
		first := strings.IndexByte(class, '.')
		return name == class || strings.HasPrefix(name, class[:first+1]) && strings.HasSuffix(name, class[first:])
	})
}

// Field is one setting.
type Field struct {
	Alias   []string
	Default any // absent where it is not known; "null" for None
	Before  []Older
	Method  map[string]Field // where a method has another default
	Missing any              // what the framework's code takes where no configuration has the key; absent where it must have it
	Launch  bool             // people give it at the launch: a document alone that leaves it out does not say that it has its default
}

// Origin is a file of a framework that defines settings.
type Origin struct {
	File   string
	Class  string // of dataclasses, or of a constructor; "" for options of argparse and for YAML
	Prefix string // of its settings in the table
	Method string // of the framework's, where the file is of one
}

// Key returns the name in the table of a setting.
func (t *Table) Key(name string) (string, bool) {
	key, ok := t.aliases[name]
	return key, ok
}

// Default returns the default of a field in the newest version, as text.
func (t *Table) Default(key, method string) (string, bool) {
	field := t.Field[key]
	if own, ok := field.Method[method]; ok {
		field = own
	}
	v, known := valueOf(field.Default)
	if v.Kind == runconf.Null {
		return "null", known
	}
	return v.Text, known && v.Kind == runconf.Text
}

// Older is a default that held before a version.
type Older struct {
	Version string
	Default any
}

// Check is one thing that can be wrong with a run.
type Check struct {
	Rule     string // the name of the rule that reports it
	At       []string
	When     []string
	Headline string
	Why      string
	Help     string
	Severity string
	Source   string
	Until    string // holds only before this version, where the version is known

	conditions []condition
}

// Tables returns all tables by name. They are part of the program: a mistake in one is a panic, which
// every test meets.
var Tables = sync.OnceValue(func() []*Table {
	names, err := fs.Glob(files, "*.toml")
	if err != nil {
		panic(err)
	}
	var out []*Table
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		t, err := parse(strings.TrimSuffix(name, ".toml"), data, out)
		if err != nil {
			panic(fmt.Sprintf("internal/frameworks/%s: %v", name, err))
		}
		out = append(out, t)
	}
	return out
})

// parse reads a table, which may extend one of those before it, and resolves its conditions.
func parse(name string, data []byte, before []*Table) (*Table, error) {
	t := &Table{Name: name, aliases: map[string]string{}}
	d := toml.NewDecoder(strings.NewReader(string(data)))
	if err := d.DisallowUnknownFields().Decode(t); err != nil {
		return nil, tomlError(err)
	}
	if !slices.Contains([]string{"", "omegaconf", "pyyaml", "typed"}, t.Loader) {
		return nil, fmt.Errorf("loader is omegaconf, pyyaml or typed")
	}
	if t.Extends != "" {
		i := slices.IndexFunc(before, func(b *Table) bool { return b.Name == t.Extends })
		if i < 0 {
			return nil, fmt.Errorf("there is no table %q before this one", t.Extends)
		}
		t.extend(before[i])
	}
	for key, field := range t.Field {
		for _, alias := range append([]string{key}, field.Alias...) {
			if other, taken := t.aliases[alias]; taken {
				return nil, fmt.Errorf("field %s: %s is a name of %s too", key, alias, other)
			}
			t.aliases[alias] = key
		}
	}
	for _, d := range t.Definition {
		for _, key := range []string{d.Path, d.Name, d.Missing} {
			if _, known := t.Field[key]; !known {
				return nil, fmt.Errorf("definition of %s: the table has no field %q", d.Path, key)
			}
		}
	}
	for i := range t.Check {
		c := &t.Check[i]
		c.conditions = nil
		for _, text := range c.When {
			cond, err := parseCondition(text)
			if err != nil {
				return nil, fmt.Errorf("check of %v: %q: %w", c.At, text, err)
			}
			c.conditions = append(c.conditions, cond)
		}
		if err := t.verify(c); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// extend takes in what holds of the framework that this one patches.
func (t *Table) extend(base *Table) {
	for key, field := range base.Field {
		if _, own := t.Field[key]; !own {
			t.Field[key] = field
		}
	}
	t.Definition = append(t.Definition, base.Definition...)
	for _, c := range base.Check {
		if !slices.Contains(t.Without, c.Rule) {
			t.Check = append(t.Check, c)
		}
	}
}

func tomlError(err error) error {
	if e, ok := err.(*toml.StrictMissingError); ok {
		return fmt.Errorf("%s", e.String())
	}
	if e, ok := err.(*toml.DecodeError); ok {
		return fmt.Errorf("%s", e.String())
	}
	return err
}

// verify reports a check that names what the table does not have.
func (t *Table) verify(c *Check) error {
	keys := slices.Clone(c.At)
	for _, cond := range c.conditions {
		keys = append(keys, cond.keys()...)
	}
	for _, key := range keys {
		if _, known := t.Field[key]; !known && key != method {
			return fmt.Errorf("check of %v: the table has no field %q", c.At, key)
		}
	}
	if c.Rule == "" || len(c.At) == 0 || c.Source == "" || len(c.conditions) == 0 {
		return fmt.Errorf("check of %v: rule, at, when and source are required", c.At)
	}
	return nil
}

// method is the field that says which of its methods a framework runs.
const method = "method"
