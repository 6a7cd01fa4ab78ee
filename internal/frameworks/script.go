package frameworks

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
)

// # Scripts of one's own
//
// accelerate launch train.py --num_generations 8: train.py is nobody's but its author's, and its parser has the fields of a framework's
// classes. Which they are stands in the script, which is searched, not evaluated. What the script itself changes is not known: where it may
// change something, only what the command says is.

var (
	parserOf  = regexp.MustCompile(`\b(?:HfArgumentParser|TrlParser)\(\s*(?:dataclass_types\s*=\s*)?([^)=\]]+)`)
	classOf   = regexp.MustCompile(`(?m)^class (\w+)\(([\w.]+)\)`)
	importOf  = regexp.MustCompile(`(?m)^\s*(?:import|from)\s+(\w+)`)
	changes   = regexp.MustCompile(`(?i)\w*(?:args?|conf\w*)\.\w+\s*[-+*/]?=[^=]|\bsetattr\(|\breplace\(|LoraConfig`)
	nameAlone = regexp.MustCompile(`[\w.]+`)
)

// ofScript is the run of a script that parses the flags of a framework's configuration, nil where it is none.
func ofScript(from *reader, c *runconf.Command) *Run {
	i := slices.IndexFunc(c.Words, func(w runconf.Word) bool { return w.Known && path.Ext(w.Text) == ".py" })
	if i < 1 { // a program starts it
		return nil
	}
	_, text := from.find(c.Words[i].Text)
	t, row, closed := parsed(string(text))
	if row == nil {
		return nil
	}
	r := NewRun(t, row.Set, c.Words[i].At)
	r.Open = !closed
	r.Forget("trainer.")
	r.launched(from, c.Words[:i])
	r.arguments(from, &Command{Style: "flags", Partial: []string{"config"}}, c.Words[i+1:])
	return r
}

// parsed finds the configuration among the classes that a script's only parser is made of. closed says that the script changes none of it.
func parsed(script string) (t *Table, row *Call, closed bool) {
	found := parserOf.FindAllStringSubmatch(script, -1)
	if len(found) != 1 {
		return nil, nil, false
	}
	bases := map[string]string{}
	for _, m := range classOf.FindAllStringSubmatch(script, -1) {
		bases[m[1]] = m[2]
	}
	var imports []string
	for _, m := range importOf.FindAllStringSubmatch(script, -1) {
		imports = append(imports, m[1])
	}
	if !slices.Contains(imports, "trl") {
		return nil, nil, false
	}
	closed = !changes.MatchString(script)
	for _, name := range nameAlone.FindAllString(found[0][1], -1) {
		base, own := bases[name]
		if !own {
			base = name
		}
		last := base[strings.LastIndexByte(base, '.')+1:]
		of, class := Calls("trl."+last, imports)
		switch {
		case class != nil && row != nil:
			return nil, nil, false
		case class != nil:
			t, row = of, class
		}
		closed = closed && !own && (class != nil || slices.Contains([]string{"ScriptArguments", "ModelConfig"}, last))
	}
	return t, row, closed
}
