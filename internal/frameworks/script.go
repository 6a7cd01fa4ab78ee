package frameworks

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	pyparse "github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/runconf"
)

// # Scripts of one's own
//
// accelerate launch train.py --num_generations 8: train.py is nobody's but its author's, and its parser has the fields of a framework's
// classes. Which they are stands in the script, which is searched, not evaluated. What the script itself changes is not known: where it may
// change something, only what the command says is.

var (
	parserOf  = regexp.MustCompile(`\b(?:HfArgumentParser|TrlParser)\(\s*(?:dataclass_types\s*=\s*)?([^)=\]]+)`)
	plainOf   = regexp.MustCompile(`(?m)^class (\w+):`)
	classOf   = regexp.MustCompile(`(?m)^class (\w+)\(([\w.]+)\)`)
	importOf  = regexp.MustCompile(`(?m)^\s*(?:import|from)\s+(\w+)`)
	changes   = regexp.MustCompile(`(?i)\w*(?:args?|conf\w*)\.\w+\s*[-+*/]?=[^=]|\bsetattr\(`)
	copies    = regexp.MustCompile(`\breplace\b`)
	adapter   = regexp.MustCompile(`LoraConfig`)
	rewards   = regexp.MustCompile(`\breward_funcs\s*=`)
	written   = regexp.MustCompile(`\breward_funcs\s*=\s*\[((?:\s*[\w.]+\s*,)*\s*[\w.]+\s*),?\s*\]`)
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
		return ofLiterals(from, c, i, text)
	}
	r := NewRun(t, row.Set, c.Words[i].At)
	r.Open = !closed
	r.Forget("trainer.")
	if adapter.Match(text) { // what the flags say of one is not all
		r.Forget("use_peft")
	}
	if n := rewardsOf(string(text)); n > 0 {
		r.Add(runconf.Setting{Key: "trainer.reward_funcs", Value: runconf.Value{Kind: runconf.List, Items: make([]runconf.Value, n)}})
	}
	r.launched(from, c.Words[:i])
	r.arguments(from, &Command{Style: "flags", Partial: []string{"config"}}, c.Words[i+1:])
	if c.Cut != nil {
		r.open()
	}
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
	harmless := []string{"ScriptArguments", "ModelConfig"}
	for _, m := range plainOf.FindAllStringSubmatch(script, -1) {
		harmless = append(harmless, m[1]) // no two classes of a parser share a field
	}
	var imports []string
	for _, m := range importOf.FindAllStringSubmatch(script, -1) {
		imports = append(imports, m[1])
	}
	if !slices.Contains(imports, "trl") {
		return nil, nil, false
	}
	closed = !changed(script)
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
		closed = closed && !own && (class != nil || slices.Contains(harmless, last))
	}
	return t, row, closed
}

// changed reports whether a script may change a configuration after it was made.
func changed(script string) bool {
	if changes.MatchString(script) {
		return true
	}
	if !copies.MatchString(script) {
		return false
	}
	parser := pyparse.New()
	defer parser.Close()
	tree, err := parser.Parse(context.Background(), "", []byte(script))
	if err != nil {
		return true
	}
	names, _ := ImportedIn(tree)
	found := false
	ast.WalkModule(tree, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			of := qualified(call.Fun, names)
			found = found || of == "dataclasses.replace" || of == "copy.replace"
		}
		return true
	})
	return found
}

// rewardsOf is how many reward functions the script's only trainer takes, 0 where they are not a list of names.
func rewardsOf(script string) int {
	list := written.FindStringSubmatch(script)
	if list == nil || len(rewards.FindAllString(script, 2)) > 1 {
		return 0
	}
	return len(nameAlone.FindAllString(list[1], -1))
}
