package runconf

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// piece is a part of a word after expansion.
type piece struct {
	text   string
	known  bool
	splits bool   // at blanks, into several words
	words  []Word // of an array, or of the arguments
	many   bool   // it stands for words, which may be none; those that split are cut at blanks
	from   Span
	name   string // of the variable, where it is not known
}

// words expands one word of the script into those that the command gets.
func (s *shell) words(w *syntax.Word) []Word {
	b := &wordBuilder{shell: s, at: s.span(w)}
	for _, part := range w.Parts {
		for _, p := range s.pieces(part, false) {
			b.add(p, len(w.Parts) == 1)
		}
	}
	b.end()
	return b.out
}

// one expands a word that is not split: a value that is assigned.
func (s *shell) one(w *syntax.Word) (text string, known bool) {
	if w == nil {
		return "", true
	}
	known = true
	for _, part := range w.Parts {
		for _, p := range s.pieces(part, true) {
			for i, word := range p.words {
				if i > 0 {
					text += " "
				}
				text += word.Text
				known = known && word.Known
			}
			text += p.text
			known = known && (p.known || p.many)
		}
	}
	return text, known
}

// wordBuilder puts pieces together.
type wordBuilder struct {
	*shell
	at   Span
	out  []Word
	word Word
	open bool // word has begun
}

func (b *wordBuilder) begin() {
	if !b.open {
		b.word, b.open = Word{Known: true, At: b.at}, true
	}
}

func (b *wordBuilder) end() {
	if b.open {
		b.out, b.open = append(b.out, b.word), false
	}
}

func (b *wordBuilder) add(p piece, alone bool) {
	switch {
	case p.many:
		b.several(p, alone)
	case p.splits && (!p.known || b.separated()):
		if alone {
			b.out = append(b.out, Word{Rest: true, Name: p.name, At: b.at})
			return
		}
		b.begin()
		b.word.Known = false
	case p.splits:
		b.split(p, alone)
	default:
		b.begin()
		if b.word.Known {
			b.word.Text += p.text
			b.word.Known = p.known
		}
		if p.from != (Span{}) {
			b.word.From = p.from
		}
	}
}

// several adds words, of which the first goes on with what is before it and what is behind it goes on with the last.
func (b *wordBuilder) several(p piece, alone bool) {
	for i, w := range p.words {
		switch {
		case i > 0:
			b.end()
		case alone:
		default:
			b.begin()
		}
		switch {
		case p.splits && w.Known && !w.Rest && strings.ContainsAny(w.Text, blanks):
			b.split(piece{text: w.Text, known: true, from: w.At}, true)
		case p.splits && w.Known && w.Text == "" && !b.open: // nothing is left of it
		case !b.open:
			b.word, b.open = w, true
		case b.word.Known:
			b.word.Text += w.Text
			b.word.Known = w.Known && !w.Rest
			b.word.From = w.At
		}
	}
}

// blanks are what words are split at, unless the script says else.
const blanks = " \t\n"

// separated reports whether the script sets what words are split at.
func (s *shell) separated() bool {
	ifs := s.vars["IFS"]
	return ifs != nil && !(ifs.known && strings.Trim(ifs.text, blanks) == "" && len(ifs.text) == len(blanks))
}

// split adds the fields of a variable. Fields that are words of their own are found again in the assignment.
func (b *wordBuilder) split(p piece, alone bool) {
	if b.open && p.text != "" && strings.Contains(blanks, p.text[:1]) {
		b.end()
	}
	fields := strings.FieldsFunc(p.text, func(c rune) bool { return strings.ContainsRune(blanks, c) })
	from := p.from.Start
	for i, field := range fields {
		if i > 0 {
			b.end()
		}
		b.begin()
		if b.word.Known {
			b.word.Text += field
		}
		b.word.From = p.from
		if alone && len(fields) > 1 {
			at := strings.Index(string(b.source(Span{Start: from, End: p.from.End, File: p.from.File})), field)
			if at >= 0 {
				b.word.At = Span{Start: from + at, End: from + at + len(field), File: p.from.File}
				from = b.word.At.End
			}
			b.word.From = Span{}
		}
	}
	if len(fields) > 0 && strings.Contains(blanks, p.text[len(p.text)-1:]) {
		b.end()
	}
}

// source is the text of a span, nil for one of another file.
func (s *shell) source(at Span) []byte {
	if at.File != s.file || at.Start < s.base || at.End > s.base+len(s.text) || at.End < at.Start {
		return nil
	}
	return s.text[at.Start-s.base : at.End-s.base]
}

// pieces expands one part of a word.
func (s *shell) pieces(part syntax.WordPart, quoted bool) []piece {
	switch p := part.(type) {
	case *syntax.Lit:
		return []piece{{text: unescape(p.Value, quoted), known: true}}
	case *syntax.SglQuoted:
		return []piece{{text: p.Value, known: !p.Dollar}}
	case *syntax.DblQuoted:
		out := []piece{{known: true}}
		for _, inner := range p.Parts {
			out = append(out, s.pieces(inner, true)...)
		}
		if len(p.Parts) == 1 && out[1].many {
			return out[1:] // "$@" may be no word
		}
		return out
	case *syntax.ParamExp:
		return []piece{s.parameter(p, quoted)}
	case *syntax.ArithmExp:
		n, ok := s.arithmetic(p.X, 0)
		s.computed(p)
		if !ok {
			return []piece{{splits: !quoted}}
		}
		return []piece{{text: strconv.Itoa(n), known: true}}
	case *syntax.CmdSubst:
		if text, ok := s.folder(p); ok {
			return []piece{{text: text, known: true, splits: !quoted}}
		}
	}
	return []piece{{splits: !quoted}}
}

// unescape removes backslashes as the shell does.
func unescape(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// maxSpent bounds what all expansions of a script make together, in bytes.
const maxSpent = 8 << 20

// parameter expands a variable, as long as the script has not made too much of them.
func (s *shell) parameter(p *syntax.ParamExp, quoted bool) piece {
	out := s.expansion(p, quoted)
	if !out.known && p.Param != nil {
		out.name = p.Param.Value
	}
	if s.spent += len(out.text) + 100*len(out.words); s.spent > maxSpent {
		return piece{splits: !quoted}
	}
	return out
}

// expansion expands $a, ${a}, ${a:-b}, ${a[@]}, $1 and $@.
func (s *shell) expansion(p *syntax.ParamExp, quoted bool) piece {
	unknown := piece{splits: !quoted}
	if p.Param == nil || p.Excl || p.Length || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return unknown
	}
	name := p.Param.Value
	if name == "@" || name == "*" {
		return joined(piece{many: true, words: s.args, splits: !quoted}, name) // those of a script are what the user adds to it
	}
	if text, ok := s.ownPath(p); ok {
		return piece{text: text, known: true, splits: !quoted}
	}
	v := s.variable(name)
	if p.Index != nil || v != nil && v.array {
		return s.array(p, v, quoted)
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if v == nil {
				text, known := s.one(p.Exp.Word)
				return piece{text: text, known: known, splits: !quoted}
			}
		default:
			return unknown
		}
	}
	if v == nil || !v.known {
		return unknown
	}
	return piece{text: v.text, known: true, splits: !quoted, from: v.at}
}

// variable is what is known of a name, nil for nothing.
func (s *shell) variable(name string) *variable {
	if n, err := strconv.Atoi(name); err == nil {
		if s.args == nil || n < 1 || n > len(s.args) {
			return nil
		}
		w := s.args[n-1]
		return &variable{known: w.Known, text: w.Text, at: w.At}
	}
	if v := s.vars[name]; v != nil || name != "PWD" || s.around == nil {
		return v
	}
	return &variable{known: true, text: "."} // as pwd says it, see folder
}

// array expands "${a[@]}" and ${a[0]}.
func (s *shell) array(p *syntax.ParamExp, v *variable, quoted bool) piece {
	index, _ := p.Index.(*syntax.Word)
	all := index != nil && (index.Lit() == "@" || index.Lit() == "*")
	switch {
	case v == nil && all && p.Exp == nil && !s.foreign:
		return piece{many: true, splits: !quoted} // the environment has no arrays
	case p.Exp != nil || v == nil || !v.known || !v.array:
		return piece{splits: true}
	case all:
		return joined(piece{many: true, words: v.words, splits: !quoted}, index.Lit())
	}
	n := 0
	if index != nil {
		var ok bool
		if n, ok = s.arithmetic(p.Index, 0); !ok {
			return piece{splits: !quoted}
		}
	}
	if n < 0 || n >= len(v.words) || !v.words[n].Known {
		return piece{splits: !quoted}
	}
	return piece{text: v.words[n].Text, known: true, splits: !quoted, from: v.words[n].At}
}

// joined is one word of several, where they stand as "$*" or "${a[*]}".
func joined(p piece, name string) piece {
	if p.splits || name != "*" {
		return p
	}
	out := piece{known: true}
	for i, w := range p.words {
		if i > 0 {
			out.text += " "
		}
		out.text += w.Text
		out.known = out.known && w.Known && !w.Rest
	}
	return out
}

// arithmetic computes $(( )) with whole numbers.
func (s *shell) arithmetic(e syntax.ArithmExpr, depth int) (n int, ok bool) {
	if depth > maxDepth {
		return 0, false
	}
	switch e := e.(type) {
	case *syntax.Word:
		text, known := s.one(e)
		if v := s.vars[text]; known && v != nil && v.known {
			text = v.text
		}
		n, ok := wholeNumber(strings.TrimSpace(text))
		return n, known && ok
	case *syntax.ParenArithm:
		return s.arithmetic(e.X, depth+1)
	case *syntax.BinaryArithm:
		x, okX := s.arithmetic(e.X, depth+1)
		y, okY := s.arithmetic(e.Y, depth+1)
		if !okX || !okY {
			return 0, false
		}
		switch e.Op {
		case syntax.Add:
			return x + y, true
		case syntax.Sub:
			return x - y, true
		case syntax.Mul:
			return x * y, true
		case syntax.Quo:
			if y != 0 {
				return x / y, true
			}
		case syntax.Rem:
			if y != 0 {
				return x % y, true
			}
		}
	}
	return 0, false
}

// wholeNumber reads a number as bash's arithmetic does: 010 is octal, 0x10 hexadecimal. Those of other bases, 2#101, are not known.
func wholeNumber(text string) (int, bool) {
	digits := strings.TrimLeft(text, "+-")
	base := 10
	switch {
	case len(text)-len(digits) > 1:
		return 0, false
	case strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	n, err := strconv.ParseUint(digits, base, 63)
	if err != nil {
		return 0, false
	}
	if strings.HasPrefix(text, "-") {
		return -int(n), true
	}
	return int(n), true
}
