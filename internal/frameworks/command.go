package frameworks

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
)

// talking are programs that only mention others.
var talking = []string{"echo", "printf", "pip", "pip3", "cat", "ls", "cp", "mv", "rm", "git", "grep", "tail", "cd", "mkdir", "pkill", "ps", "sed", "awk", "test", "wget", "curl", "apt-get", "conda-build"}

// ofCommand finds the entry point among the words of a command, behind whatever launches it, and
// reads the words behind it.
func ofCommand(from *reader, c *runconf.Command) *Run {
	if slices.Contains(talking, path.Base(c.Words[0].Text)) {
		return nil
	}
	for i := range c.Words {
		for _, t := range Tables() {
			for row := range t.Command {
				if n := t.Command[row].at(c.Words[i:]); n > 0 && t.Command[row].needed(c.Words[i+n:]) {
					r := NewRun(t, t.Command[row].Set, c.Words[i].At)
					r.launched(from, c.Words[:i])
					r.arguments(from, &t.Command[row], c.Words[i+n:])
					r.launchedWithin(from, t.Command[row].Launcher, c.Words[i+n:])
					if c.Cut != nil {
						r.open() // what it leaves out is behind its end
					}
					r.copied = from.around.Holds(t.Home)
					r.defined(from)
					return r
				}
			}
		}
	}
	return ofScript(from, c)
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
		if row.Style == "at" {
			return 1 // the others are arguments
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
func (r *Run) arguments(from *reader, row *Command, words []runconf.Word) {
	for i, w := range words {
		if w.Known && slices.Contains([]string{"&&", ";", "|", "||", "2>&1"}, w.Text) {
			words = words[:i]
			break
		}
	}
	for i, w := range words {
		if w.Rest && (i == 0 || !r.isValue(words[i-1], w)) {
			r.open()
		}
	}
	switch row.Style {
	case "hydra":
		r.composition(from, row, words)
		r.overrides(row, words)
	case "at":
		r.flags(from, row, r.behindAt(from, words))
	default:
		r.flags(from, row, words)
	}
}

// flagKey is the setting that a flag names: --learning-rate is learning_rate.
func flagKey(flag string) string {
	return strings.ReplaceAll(strings.TrimLeft(flag, "-"), "-", "_")
}

// behindAt adds the configurations that stand behind an @, those of a part behind its flag: @ rl.toml --trainer @ train.toml. It
// returns the other words.
func (r *Run) behindAt(from *reader, words []runconf.Word) (rest []runconf.Word) {
	for i := 0; i < len(words); i++ {
		switch {
		case words[i].Text != "@":
			rest = append(rest, words[i])
		case i+1 == len(words) || !words[i+1].Known:
			r.open()
		default:
			prefix := ""
			if n := len(rest); n > 0 && isFlag(rest[n-1]) {
				prefix = flagKey(rest[n-1].Text) + "."
				rest = rest[:n-1]
			}
			i++
			r.named(from, words[i].Text, prefix)
		}
	}
	return rest
}

// several are parts of the names that people give to variables which hold several words.
var several = []string{"arg", "opt", "flag", "extra", "param", "overrid", "conf", "cmd", "command", "setting"}

// isValue reports whether what is not known is a value of the flag before it, and no further flags.
func (r *Run) isValue(flag, w runconf.Word) bool {
	if !isFlag(flag) {
		return w.Name == "" && !flag.Rest // one more of several: --sizes 1 2 $(seq 4 8)
	}
	if !flag.Known || strings.Contains(flag.Text, "=") {
		return false
	}
	if byDefault, _ := valueOf(r.Field[r.aliases[flagKey(flag.Text)]].Default); byDefault.Text == "false" || byDefault.Text == "true" {
		return false
	}
	return !slices.ContainsFunc(several, func(part string) bool { return strings.Contains(strings.ToLower(w.Name), part) })
}

// overrides reads Hydra's key=value, of which + adds a key and ~ deletes one.
func (r *Run) overrides(row *Command, words []runconf.Word) {
	for _, w := range words {
		key, text, isPair := strings.Cut(w.Text, "=")
		switch {
		case slices.Contains(row.Partial, strings.TrimLeft(key, "-")): // see composition
		case strings.HasPrefix(key, "~"):
			delete(r.given, r.aliases[key[1:]])
		case isPair && !strings.HasPrefix(key, "-"):
			s := runconf.Setting{Key: strings.TrimLeft(key, "+"), At: w.At, From: w.From}
			if group, _, nested := strings.Cut(key, "."); nested && len(row.Groups) > 0 && !slices.Contains(row.Groups, strings.TrimLeft(group, "+")) {
				r.Foreign = r.Foreign || group[0] != '+' // what is added is for code of the user's, which the framework calls
			}
			if w.Known {
				s.Value = literal(text)
			}
			r.Add(s)
		case !isPair && !w.Known && !w.Rest:
			r.open() // the key is not known
		}
	}
}

// leadingZero is how a text begins that is no number to Hydra, though all of it are digits.
var leadingZero = regexp.MustCompile(`^[-+]?0[0-9_]+$`)

// literal reads a value of Hydra's grammar.
func literal(text string) runconf.Value {
	switch {
	case text == "null" || text == "None" || text == "":
		return runconf.Value{Kind: runconf.Null}
	case len(text) >= 2 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0]:
		return runconf.Value{Kind: runconf.Text, Text: text[1 : len(text)-1], Reads: runconf.AsString}
	case leadingZero.MatchString(text):
		return runconf.Value{Kind: runconf.Text, Text: text, Reads: runconf.AsString}
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

// flags reads --key value, --key=value and --key, with - and _ alike. They override the files that they name.
func (r *Run) flags(from *reader, row *Command, words []runconf.Word) {
	given, rest := flagsOf(words)
	positional := slices.Contains(row.Partial, "FILE")
	for _, w := range rest {
		if positional && isConfiguration(w.Text) {
			r.named(from, w.Text, "")
		}
	}
	for _, f := range given {
		switch {
		case f.Key == "" || f.Value.Kind != runconf.Text && slices.Contains(row.Partial, f.Key):
			r.open() // which flag, or which file, is not known
		case slices.Contains(row.Partial, f.Key):
			r.named(from, f.Value.Text, "")
		}
	}
	for _, w := range rest {
		if key, text, isPair := strings.Cut(w.Text, "="); positional && isPair {
			s := runconf.Setting{Key: key, At: w.At, From: w.From}
			if w.Known {
				s.Value = literal(text)
			}
			r.Add(s)
		}
	}
	for _, s := range given {
		if positive, isNo := strings.CutPrefix(s.Key, "no_"); isNo && s.bare && r.aliases[s.Key] == "" {
			s.Key, s.Value = positive, runconf.Of("false")
		}
		r.Add(s.Setting)
	}
}

// isConfiguration reports whether a word is the name of a configuration.
func isConfiguration(text string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json", ".toml"}, path.Ext(text)) && !strings.Contains(text, "=")
}

// given is a flag; bare says that no value follows. Its key is "" where it is not known.
type given struct {
	runconf.Setting
	bare bool
}

// flagsOf parts flags with their values from the other words.
func flagsOf(words []runconf.Word) (flags []given, rest []runconf.Word) {
	for i := 0; i < len(words); {
		w := words[i]
		i++
		if !isFlag(w) {
			rest = append(rest, w)
			continue
		}
		name, text, joined := strings.Cut(w.Text, "=")
		if !joined && !w.Known {
			flags = append(flags, given{})
			continue
		}
		name = flagKey(name)
		s := runconf.Setting{Key: name, At: w.At, From: w.From}
		var values []runconf.Word
		if joined {
			values = []runconf.Word{{Text: text, Known: w.Known}}
		}
		for !joined && i < len(words) && !isFlag(words[i]) {
			values = append(values, words[i])
			i++
		}
		if n := len(values); n > 0 && !joined {
			if last := values[n-1]; last.At.File == s.At.File && last.At.Start >= s.At.Start && last.At.End-s.At.Start < 400 {
				s.At.End = max(s.At.End, last.At.End)
			}
			s.From = values[0].From
		}
		s.Value = flagValue(values)
		flags = append(flags, given{s, len(values) == 0})
	}
	return flags, rest
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
