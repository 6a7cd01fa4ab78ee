package runconf

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Script is what a shell script would run, as far as its text tells.
type Script struct {
	Commands []*Command
	// Documents are the configurations that the script writes into files.
	Documents []*Document
}

// Command is one command with its words, of which variables are replaced by what the script assigned.
type Command struct {
	Words []Word
	At    Span
	Cut   *Cut // nil for a command that gets all of its options
}

// Word is one word of a command.
type Word struct {
	// Text is the word, or what comes before the first part of it that is not known.
	Text  string
	Known bool
	// Rest stands for any number of words that are not known: what the variable Name holds, "" for the output of a command.
	Rest bool
	Name string
	// At is where the word is written, From where the variable in it was assigned.
	At, From Span
}

// maxSteps bounds the statements that are followed: functions may call each other.
const maxSteps = 20000

// Shell reads a script for bash or another POSIX shell, with those that it sources. around may be nil.
func Shell(text []byte, around *Around) (*Script, error) {
	s := &shell{text: text, around: around, out: &Script{}, vars: map[string]*variable{}, funcs: map[string]*function{}, sources: new(int)}
	return s.out, s.read()
}

// shell follows the statements of a script in order, and knows what its variables hold. A branch
// is followed with a copy of the variables; those that it changes are unknown behind it.
type shell struct {
	text    []byte
	base    int    // added to all positions
	file    string // of the text; "" for the script itself
	around  *Around
	out     *Script
	vars    map[string]*variable // absent: what the environment has
	funcs   map[string]*function
	args    []Word // of the function that is followed; nil outside: those of the script are not known
	depth   int    // of functions and of scripts in words
	steps   int
	foreign bool // a script was sourced that is not known
	spent   int  // bytes and words that expansion made
	// sources counts the scripts that were sourced, in all.
	sources *int
}

// variable is what an assignment gave: words for an array, one text else.
type variable struct {
	known bool
	text  string
	array bool
	words []Word
	at    Span
}

// function is a function with the text that it stands in.
type function struct {
	*syntax.FuncDecl
	text []byte
	base int
	file string
}

// maxOpen is how many brackets and keywords of a script may be open at a time. The parser descends
// at each, and Go ends a program whose stack overflows.
const maxOpen = 2000

// opening is what nests in a script, and what ends it.
var opening = regexp.MustCompile(`[({\[]|[)}\]]|\b(?:if|while|until|for|select|case)\b|\b(?:fi|done|esac)\b`)

func nestsTooDeep(text []byte) bool {
	depth := 0
	for _, at := range opening.FindAllIndex(text, -1) {
		switch string(text[at[0]:at[1]]) {
		case ")", "}", "]", "fi", "done", "esac":
			depth = max(0, depth-1)
		default:
			depth++
		}
		if depth > maxOpen {
			return true
		}
	}
	return false
}

func (s *shell) read() error {
	if nestsTooDeep(s.text) {
		return &Error{Message: "this script nests deeper than any that people write; leave it out with exclude"}
	}
	file, err := parseBash(s.text)
	var wrong syntax.ParseError
	switch {
	case errors.As(err, &wrong):
		return &Error{Line: int(wrong.Pos.Line()), Message: "this is no script that bash reads: " + wrong.Text}
	case err != nil:
		return &Error{Message: "this is no script that bash reads: " + err.Error()}
	}
	s.statements(file.Stmts)
	return nil
}

func (s *shell) span(n syntax.Node) Span {
	return Span{Start: s.base + int(n.Pos().Offset()), End: s.base + int(n.End().Offset()), File: s.file}
}

func (s *shell) statements(list []*syntax.Stmt) {
	var command *syntax.Stmt // the last one that is not made of its options
	for _, st := range list {
		switch {
		case command != nil && leaves(command, "exit", "return"):
			return
		case command != nil && s.takesOptionsOf(command, st):
			continue
		case command != nil && leaves(command, "exec"):
			return
		}
		s.statement(st)
		command = st
	}
}

// leaves reports whether a statement is one of the commands behind which nothing of its list is run; exec without a program
// only redirects.
func leaves(st *syntax.Stmt, by ...string) bool {
	call, ok := st.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && !st.Background && slices.Contains(by, call.Args[0].Lit()) && (call.Args[0].Lit() != "exec" || len(call.Args) > 1)
}

func (s *shell) statement(st *syntax.Stmt) {
	if s.steps++; st == nil || s.steps > maxSteps {
		return
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(c, st.Redirs)
	case *syntax.DeclClause:
		s.declare(c)
	case *syntax.ArithmCmd:
		s.computed(c)
	case *syntax.LetClause:
		s.computed(c)
	case *syntax.BinaryCmd:
		s.statement(c.X)
		s.branches([]*syntax.Stmt{c.Y}, nil)
	case *syntax.Block:
		s.statements(c.Stmts)
	case *syntax.Subshell:
		s.branches(c.Stmts)
	case *syntax.TimeClause:
		s.statement(c.Stmt)
	case *syntax.FuncDecl:
		if c.Name != nil {
			s.funcs[c.Name.Value] = &function{c, s.text, s.base, s.file}
		}
	case *syntax.IfClause:
		s.choice(c)
	case *syntax.CaseClause:
		bodies := [][]*syntax.Stmt{nil}
		for _, item := range c.Items {
			bodies = append(bodies, item.Stmts)
		}
		s.branches(bodies...)
	case *syntax.WhileClause:
		s.loop("", c.Do)
	case *syntax.ForClause:
		name := ""
		if words, ok := c.Loop.(*syntax.WordIter); ok {
			name = words.Name.Value
		}
		s.loop(name, c.Do)
	}
	s.written(st.Redirs)
}

// choice follows each branch of an if.
func (s *shell) choice(c *syntax.IfClause) {
	var bodies [][]*syntax.Stmt
	for ; c != nil; c = c.Else {
		bodies = append(bodies, c.Then)
		if c.Else == nil && len(c.Cond) > 0 {
			bodies = append(bodies, nil) // none may be taken
		}
	}
	s.branches(bodies...)
}

// branches follows lists of statements of which one at most is run.
func (s *shell) branches(bodies ...[]*syntax.Stmt) {
	before := s.vars
	changed := map[string]bool{}
	for _, body := range bodies {
		s.vars = maps.Clone(before)
		s.statements(body)
		for name, v := range s.vars {
			if before[name] != v {
				changed[name] = true
			}
		}
	}
	s.vars = before
	for name := range changed {
		s.vars[name] = &variable{}
	}
}

// loop follows a body once, with the variables unknown that it changes.
func (s *shell) loop(name string, body []*syntax.Stmt) {
	if name != "" {
		s.vars[name] = &variable{}
	}
	for _, st := range body {
		syntax.Walk(st, func(n syntax.Node) bool {
			if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
				s.vars[a.Name.Value] = &variable{}
			}
			return true
		})
	}
	s.branches(body)
}

func (s *shell) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	v := &variable{at: s.span(a)}
	old := s.vars[a.Name.Value]
	switch {
	case a.Index != nil:
	case a.Array != nil:
		v.array, v.known = true, true
		for _, e := range a.Array.Elems {
			if e.Index != nil || e.Value == nil {
				v.known = false
				break
			}
			v.words = append(v.words, s.words(e.Value)...)
		}
		if a.Append && v.known {
			v.known = old != nil && old.known && old.array
			if v.known {
				v.words = append(append([]Word{}, old.words...), v.words...)
			}
		}
	default:
		v.text, v.known = s.one(a.Value)
		if a.Append {
			v.known = v.known && old != nil && old.known && !old.array
			if old != nil {
				v.text = old.text + v.text
				if v.at.File == old.at.File {
					v.at.Start = min(v.at.Start, old.at.Start)
				}
			}
		}
	}
	if len(v.words) > maxWords || len(v.text) > maxValue {
		v = &variable{}
	}
	s.vars[a.Name.Value] = v
}

// declare follows export, local, declare and readonly. One with -i makes numbers of texts.
func (s *shell) declare(c *syntax.DeclClause) {
	whole := false
	for _, a := range c.Args {
		flag := ""
		if a.Naked && a.Value != nil {
			flag = a.Value.Lit()
		}
		switch {
		case strings.HasPrefix(flag, "-"):
			whole = whole || strings.Contains(flag, "i")
		case whole && a.Name != nil:
			s.vars[a.Name.Value] = &variable{}
		case a.Naked && a.Value != nil && flag == "":
			s.forget() // export $(...)
		case !a.Naked:
			s.assign(a)
		}
	}
}

// computed forgets the variables that arithmetic sets.
func (s *shell) computed(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		var set syntax.ArithmExpr
		switch n := n.(type) {
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				set = n.X
			}
		case *syntax.BinaryArithm:
			if strings.HasSuffix(n.Op.String(), "=") && n.Op != syntax.Eql && n.Op != syntax.Neq && n.Op != syntax.Leq && n.Op != syntax.Geq {
				set = n.X
			}
		}
		if w, ok := set.(*syntax.Word); ok && w.Lit() != "" {
			s.vars[w.Lit()] = &variable{}
		}
		return true
	})
}

// quiet are files that set up a shell, and not a run.
var quiet = []string{"activate", ".bashrc", ".bash_profile", ".profile", "conda.sh", "env.sh", "setvars.sh", "set_env.sh"}

func (s *shell) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			s.assign(a)
		}
		return
	}
	var words []Word
	for _, w := range c.Args {
		words = append(words, s.words(w)...)
	}
	if len(words) == 0 {
		return
	}
	switch name := words[0].Text; {
	case name == "read":
		s.readInto(words, redirs)
	case name == "printf" && len(words) > 2 && words[1].Text == "-v":
		s.vars[words[2].Text] = &variable{}
	case name == "eval" && slices.ContainsFunc(words, func(w Word) bool { return !w.Known }):
		s.forget()
	case name == "unset":
		for _, w := range words[1:] {
			s.vars[w.Text] = &variable{}
		}
	case name == "source" || name == ".":
		s.sourced(words[1:])
	case s.funcs[name] != nil:
		s.function(s.funcs[name], words[1:])
	default:
		s.out.Commands = append(s.out.Commands, &Command{Words: words, At: s.span(c)})
		s.scriptsIn(c.Args)
	}
}

// sourced follows another script, or forgets what it may have changed.
func (s *shell) sourced(words []Word) {
	if len(words) > 0 && words[0].Known && s.follow(words[0].Text) {
		return
	}
	for _, name := range quiet {
		if len(words) > 0 && words[0].Known && path.Base(words[0].Text) == name {
			return
		}
	}
	s.forget()
}

// forget makes unknown all variables: what sets some of them is not in the script.
func (s *shell) forget() {
	s.foreign = true
	for name := range s.vars {
		s.vars[name] = &variable{}
	}
}

// readInto handles `read -r -d ” NAME <<EOF`, by which people keep a long command.
func (s *shell) readInto(words []Word, redirs []*syntax.Redirect) {
	v := &variable{}
	for _, r := range redirs {
		if r.Hdoc != nil {
			v.text, v.known = s.one(r.Hdoc)
			v.at = s.span(r.Hdoc)
		}
	}
	for i := len(words) - 1; i > 0 && name.MatchString(words[i].Text); i-- {
		s.vars[words[i].Text] = v
		v = &variable{} // of several the last one has what is left
	}
}

// name is the name of a variable.
var name = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// function follows a call of a function of the script.
func (s *shell) function(f *function, args []Word) {
	if s.depth >= 8 || len(args) > maxWords {
		return
	}
	before, text, base, file := s.args, s.text, s.base, s.file
	s.args, s.depth, s.text, s.base, s.file = append([]Word{}, args...), s.depth+1, f.text, f.base, f.file
	s.statement(f.Body)
	s.args, s.depth, s.text, s.base, s.file = before, s.depth-1, text, base, file
}

// scriptsIn follows the scripts in the words of a command: bash -c "...".
func (s *shell) scriptsIn(args []*syntax.Word) {
	for i := 0; i+2 < len(args); i++ {
		name, flag := path.Base(args[i].Lit()), args[i+1].Lit()
		if name != "bash" && name != "sh" || !strings.HasPrefix(flag, "-") || !strings.HasSuffix(flag, "c") || len(args[i+2].Parts) != 1 || s.depth >= 3 {
			continue
		}
		inner := s.span(args[i+2].Parts[0])
		text := s.text[inner.Start-s.base : inner.End-s.base]
		if len(text) < 2 || text[0] != '"' && text[0] != '\'' {
			continue
		}
		within := &shell{
			text: text[1 : len(text)-1], base: inner.Start + 1, file: s.file, around: s.around, out: s.out, vars: maps.Clone(s.vars), foreign: s.foreign,
			funcs: map[string]*function{}, args: s.args, depth: s.depth + 1, steps: s.steps, spent: s.spent, sources: s.sources,
		}
		_ = within.read() // with quotes in quotes it may not be readable: then nothing is known
		s.steps, s.spent = within.steps, within.spent
	}
}

// written reads the configurations among the here-documents of a statement.
func (s *shell) written(redirs []*syntax.Redirect) {
	for _, r := range redirs {
		if r.Hdoc == nil {
			continue
		}
		at := s.span(r.Hdoc)
		text := s.source(at)
		if line := bytes.LastIndexByte(text, '\n') + 1; string(bytes.TrimSpace(text[line:])) == strings.Trim(string(s.source(s.span(r.Word))), `"'\`) {
			text = text[:line] // what ends it belongs to the parser's span
		}
		read := YAML
		if slices.ContainsFunc(redirs, func(to *syntax.Redirect) bool {
			return to.Hdoc == nil && to.Word != nil && strings.HasSuffix(strings.TrimRight(string(s.source(s.span(to.Word))), `"'`), ".json")
		}) {
			read = JSON
		}
		docs, err := read(text, at.Start, s.expand)
		if err == nil {
			In(s.file, docs)
			s.out.Documents = append(s.out.Documents, docs...)
		}
	}
}

// expand replaces the variables in a scalar of a here-document.
func (s *shell) expand(text string) (string, bool) {
	w, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(text))
	if err != nil {
		return "", false
	}
	return s.one(w)
}
