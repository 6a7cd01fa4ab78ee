package frameworks

import (
	"path"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
)

// talking are programs that only mention others.
var talking = []string{"echo", "printf", "pip", "pip3", "cat", "ls", "cp", "mv", "rm", "git", "grep", "tail", "cd", "mkdir", "pkill", "ps", "sed", "awk", "test", "wget", "curl", "apt-get", "conda-build"}

// ofCommand finds the entry point among the words of a command, behind whatever launches it, and
// reads the words behind it.
func ofCommand(c *runconf.Command) *Run {
	if slices.Contains(talking, path.Base(c.Words[0].Text)) {
		return nil
	}
	for i := range c.Words {
		for _, t := range Tables() {
			for row := range t.Command {
				if n := t.Command[row].at(c.Words[i:]); n > 0 && t.Command[row].needed(c.Words[i+n:]) {
					r := NewRun(t, t.Command[row].Set, c.Words[i].At)
					r.arguments(&t.Command[row], c.Words[i+n:])
					return r
				}
			}
		}
	}
	return nil
}

// at returns how many words the entry point takes at the start of words; 0 where it is not there.
func (row *Command) at(words []runconf.Word) int {
	text := words[0].Text
	switch {
	case row.Module != "":
		if text == row.Module {
			return 1
		}
	case row.Script != "":
		if text == row.Script || strings.HasSuffix(text, "/"+row.Script) {
			return 1
		}
	default:
		if len(words) < len(row.Words) || path.Base(text) != row.Words[0] {
			return 0
		}
		for i, w := range row.Words[1:] {
			if words[i+1].Text != w {
				return 0
			}
		}
		return len(row.Words)
	}
	return 0
}

// needed reports whether one of the flags is there without which a script is taken for another one.
func (row *Command) needed(words []runconf.Word) bool {
	return len(row.Needs) == 0 || slices.ContainsFunc(words, func(w runconf.Word) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
		return slices.Contains(row.Needs, name)
	})
}

// arguments reads the words behind an entry point, up to the next command in them.
func (r *Run) arguments(row *Command, words []runconf.Word) {
	for i, w := range words {
		if w.Known && slices.Contains([]string{"&&", ";", "|", "||", "2>&1"}, w.Text) {
			words = words[:i]
			break
		}
	}
	for _, w := range words {
		r.Open = r.Open || w.Rest
	}
	if row.Style == "hydra" {
		r.overrides(row, words)
	} else {
		r.flags(row, words)
	}
}

// overrides reads Hydra's key=value, of which + adds a key and ~ deletes one.
func (r *Run) overrides(row *Command, words []runconf.Word) {
	for _, w := range words {
		key, text, isPair := strings.Cut(w.Text, "=")
		switch {
		case slices.Contains(row.Partial, strings.TrimLeft(key, "-")) || slices.Contains(row.Partial, key):
			r.Open = true
		case strings.HasPrefix(key, "~"):
			delete(r.given, r.aliases[key[1:]])
		case isPair && !strings.HasPrefix(key, "-"):
			s := runconf.Setting{Key: strings.TrimLeft(key, "+"), At: w.At, From: w.From}
			if w.Known {
				s.Value = literal(text)
			}
			r.Add(s)
		case !isPair && !w.Known && !w.Rest:
			r.Open = true // the key is not known
		}
	}
}

// literal reads a value of Hydra's grammar.
func literal(text string) runconf.Value {
	switch {
	case text == "null" || text == "None" || text == "":
		return runconf.Value{Kind: runconf.Null}
	case len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0]:
		return runconf.Of(text[1 : len(text)-1])
	case strings.Contains(text, "${"):
		return runconf.Value{}
	case strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]"):
		v := runconf.Value{Kind: runconf.List}
		for _, item := range strings.Split(text[1:len(text)-1], ",") {
			if item = strings.TrimSpace(item); item != "" {
				v.Items = append(v.Items, literal(item))
			}
		}
		return v
	case strings.ContainsAny(text, "{}[]"):
		return runconf.Value{}
	}
	return runconf.Of(text)
}

// flags reads --key value, --key=value and --key, with - and _ alike.
func (r *Run) flags(row *Command, words []runconf.Word) {
	for i := 0; i < len(words); {
		w := words[i]
		i++
		if !isFlag(w) {
			if slices.ContainsFunc([]string{".yaml", ".yml", ".json"}, func(ext string) bool { return strings.HasSuffix(w.Text, ext) }) {
				r.Open = r.Open || slices.Contains(row.Partial, "FILE")
			}
			continue
		}
		name, text, joined := strings.Cut(w.Text, "=")
		name = strings.ReplaceAll(strings.TrimLeft(name, "-"), "-", "_")
		s := runconf.Setting{Key: name, At: w.At, From: w.From}
		var values []runconf.Word
		if joined {
			values = []runconf.Word{{Text: text, Known: w.Known}}
		} else if !w.Known {
			r.Open = true
			continue
		}
		for !joined && i < len(words) && !isFlag(words[i]) {
			values = append(values, words[i])
			i++
		}
		if n := len(values); n > 0 && !joined {
			if last := values[n-1]; last.At.Start >= s.At.Start && last.At.End-s.At.Start < 400 {
				s.At.End = max(s.At.End, last.At.End)
			}
			s.From = values[0].From
		}
		s.Value = flagValue(values)
		if slices.Contains(row.Partial, name) {
			r.Open = true
		}
		if positive, isNo := strings.CutPrefix(name, "no_"); isNo && len(values) == 0 && r.aliases[name] == "" {
			s.Key, s.Value = positive, runconf.Of("false")
		}
		r.Add(s)
	}
}

// isFlag tells --key and -k from values, of which some are negative numbers.
func isFlag(w runconf.Word) bool {
	if len(w.Text) < 2 || w.Text[0] != '-' {
		return false
	}
	_, isNumber := runconf.Of(w.Text).Number()
	return !isNumber
}

func flagValue(words []runconf.Word) runconf.Value {
	v := runconf.Value{Kind: runconf.List}
	for _, w := range words {
		if !w.Known {
			return runconf.Value{}
		}
		item := runconf.Of(w.Text)
		if w.Text == "None" || w.Text == "null" || w.Text == "none" {
			item = runconf.Value{Kind: runconf.Null}
		}
		v.Items = append(v.Items, item)
	}
	switch len(words) {
	case 0:
		return runconf.Of("true")
	case 1:
		return v.Items[0]
	}
	return v
}
