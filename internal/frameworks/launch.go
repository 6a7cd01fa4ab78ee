package frameworks

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
)

// # Launchers
//
// How many processes train stands before the script: accelerate launch --num_processes 8
// train.py. It counts all machines. Where a launcher does not say it, it takes the GPUs that
// it finds, and nothing is known.

// launcher is how a program that starts processes is told their number: the product of its flags.
type launcher struct {
	flags []string // of which the first must be given
	files []string // the flags of a file that may say it as well
	never []string // flags with which the number is not known
}

var launchers = map[string]launcher{
	"accelerate": {flags: []string{"num_processes"}, files: []string{"config_file", "accelerate_config"}},
	"torchrun":   {flags: []string{"nproc_per_node", "nnodes"}},
	"deepspeed":  {flags: []string{"num_gpus", "num_nodes"}, never: []string{"hostfile", "include", "exclude", "H", "i", "e"}},
}

// modules are launchers that Python starts.
var modules = map[string]string{
	"accelerate.commands.launch": "accelerate", "torch.distributed.run": "torchrun", "torch.distributed.launch": "torchrun",
}

var plainPython = regexp.MustCompile(`^python[\d.]*$`)

// launched adds how many processes the words before an entry point start, where they say so.
func (r *Run) launched(from *reader, words []runconf.Word) {
	if s := processesOf(from, words); s != nil {
		r.Add(runconf.Setting{Key: "processes", Value: s.Value, At: s.At, From: s.From})
	}
}

// launchedWithin adds how many processes a command starts whose words have the flags of its launcher among them. Where the number is
// a flag, or stands in the command's own file, it is known.
func (r *Run) launchedWithin(from *reader, name string, words []runconf.Word) {
	l, ok := launchers[name]
	if !ok || r.Given("processes") != nil {
		return
	}
	if s := l.processes(from, words); s != nil {
		r.Add(runconf.Setting{Key: "processes", Value: s.Value, At: s.At, From: s.From})
	}
}

// processesOf returns how many processes are started, and where that stands; nil where it is not known.
func processesOf(from *reader, words []runconf.Word) *runconf.Setting {
	for i, w := range words {
		name := path.Base(w.Text)
		if of, ok := modules[w.Text]; ok {
			name = of
		}
		if l, ok := launchers[name]; ok && w.Known {
			return l.processes(from, words[i+1:])
		}
	}
	if isPlainPython(words) {
		return &runconf.Setting{Value: runconf.Of("1")}
	}
	return nil
}

// isPlainPython reports whether words are python and its own flags: python -u.
func isPlainPython(words []runconf.Word) bool {
	for i, w := range words {
		if !w.Known || (i == 0) != plainPython.MatchString(path.Base(w.Text)) || i > 0 && !strings.HasPrefix(w.Text, "-") {
			return false
		}
	}
	return len(words) > 0
}

// processes reads the flags of a launcher. Of several the first one stands for all.
func (l launcher) processes(from *reader, words []runconf.Word) *runconf.Setting {
	given := map[string]runconf.Setting{}
	flags, _ := flagsOf(words)
	for _, f := range flags {
		given[f.Key] = f.Setting
	}
	for _, flag := range slices.Concat(l.never, []string{""}) { // a flag of unknown name may be any
		if _, ok := given[flag]; ok {
			return nil
		}
	}
	product := 1
	for i, flag := range l.flags {
		s, ok := given[flag]
		n, isNumber := s.Value.Number()
		switch {
		case ok && isNumber && n >= 1:
			product *= int(n)
		case ok:
			return nil
		case i == 0:
			return l.fromFile(from, given)
		}
	}
	first := given[l.flags[0]]
	first.Value = runconf.Of(strconv.Itoa(product))
	return &first
}

// fromFile reads the file of a launcher's settings, which are named as its flags are.
func (l launcher) fromFile(from *reader, given map[string]runconf.Setting) *runconf.Setting {
	file := ""
	for _, flag := range l.files {
		if v := given[flag].Value; v.Kind == runconf.Text {
			file = v.Text
		}
	}
	d := from.document(file, 0)
	if d == nil {
		return nil
	}
	for _, s := range d.Settings {
		if n, isNumber := s.Value.Number(); s.Key == l.flags[0] && isNumber && n >= 1 {
			return &s
		}
	}
	return nil
}
