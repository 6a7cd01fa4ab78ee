package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// stringExpr lowers one literal or several adjacent ones.
func (l *lowerer) stringExpr(i uint32) ast.Expr {
	if l.kind(i) == kindString {
		if p := l.prefix(i); !p.format {
			return l.plain(i, p)
		}
		return l.interpolated(i)
	}
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if l.prefix(c).format {
			return l.interpolated(i)
		}
	}
	e := l.slabs.str.new()
	e.Meta = l.meta(i)
	var b strings.Builder
	for c := l.first(i); c != 0; c = l.after(i, c) {
		p := l.prefix(c)
		e.Bytes = e.Bytes || p.bytes
		b.WriteString(l.content(c, p))
	}
	e.Value = b.String()
	return e
}

// prefix is what stands before and around a literal's content.
type prefix struct {
	raw, bytes, format, template bool
	open                         uint32 // length of prefix and opening quotes
	quotes                       uint32 // length of the closing quotes
}

func (l *lowerer) prefix(i uint32) (p prefix) {
	text := l.text(i)
	for k := 0; k < len(text); k++ {
		switch text[k] {
		case 'r', 'R':
			p.raw = true
		case 'b', 'B':
			p.bytes = true
		case 'f', 'F':
			p.format = true
		case 't', 'T':
			p.format, p.template = true, true
		case '\'', '"', '`':
			p.quotes = 1
			if len(text)-k >= 6 && text[k+1] == text[k] && text[k+2] == text[k] {
				p.quotes = 3
			}
			p.open = uint32(k) + p.quotes
			return p
		}
	}
	return p
}

func (l *lowerer) plain(i uint32, p prefix) ast.Expr {
	e := l.slabs.str.new()
	e.Meta, e.Bytes, e.Value = l.meta(i), p.bytes, l.content(i, p)
	return e
}

// content decodes a literal without interpolation.
func (l *lowerer) content(i uint32, p prefix) string {
	n := &l.nodes[i]
	return decode(l.src[n.start+p.open:max(n.start+p.open, n.end-p.quotes)], p)
}

// interpolated lowers an f-string, or adjacent literals of which one is one.
func (l *lowerer) interpolated(i uint32) ast.Expr {
	e := l.slabs.fstring.new()
	e.Meta = l.meta(i)
	mark := l.exprs.mark()
	if l.kind(i) == kindString {
		e.Template = l.parts(i)
	} else {
		for c := l.first(i); c != 0; c = l.after(i, c) {
			e.Template = l.parts(c) || e.Template
		}
	}
	e.Parts = l.exprs.take(mark)
	return e
}

// parts pushes the parts of one literal; it reports whether it is a template.
func (l *lowerer) parts(i uint32) bool {
	p := l.prefix(i)
	n := &l.nodes[i]
	at, end := n.start+p.open, max(n.start+p.open, n.end-p.quotes)
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if l.kind(c) != kindInterpolation {
			continue
		}
		l.literalPart(at, l.nodes[c].start, p)
		l.exprs.push(l.formattedValue(c, p))
		at = l.nodes[c].end
	}
	l.literalPart(at, end, p)
	return p.template
}

// literalPart pushes the text between two interpolations, if there is any.
func (l *lowerer) literalPart(start, end uint32, p prefix) {
	if start >= end {
		return
	}
	e := l.slabs.str.new()
	e.Meta = l.metaAt(ast.Span{Start: start, End: end})
	e.Bytes, e.Value = p.bytes, decode(l.src[start:end], p)
	l.exprs.push(e)
}

func (l *lowerer) formattedValue(i uint32, p prefix) ast.Expr {
	e := l.slabs.formatted.new()
	e.Meta = l.meta(i)
	x := l.child(i, fieldExpression)
	if x != 0 && l.kind(x) == kindNamedExpression {
		// {x:=5} is x with the format "=5".
		e.Value = l.expr(l.child(x, fieldName))
		e.Format = l.walrusFormat(x, p)
		return e
	}
	e.Value = l.need(i, x)
	for c, end := i+1, l.nodes[i].next; c < end; c = l.nodes[c].next {
		switch l.kind(c) {
		case tokenEqual:
			e.Debug = true
		case kindTypeConversion:
			if t := l.text(c); len(t) > 1 {
				e.Conversion = t[1]
			}
		case kindFormatSpecifier:
			e.Format = l.formatSpec(c, p)
		}
	}
	return e
}

func (l *lowerer) walrusFormat(x uint32, p prefix) ast.Expr {
	spec := l.slabs.fstring.new()
	start := l.nodes[l.nodes[l.child(x, fieldName)].next].start
	spec.Meta = l.metaAt(ast.Span{Start: start, End: l.nodes[x].end})
	mark := l.exprs.mark()
	l.literalPart(start+1, l.nodes[x].end, p)
	spec.Parts = l.exprs.take(mark)
	return spec
}

// formatSpec lowers what follows the colon of an interpolation.
func (l *lowerer) formatSpec(i uint32, p prefix) ast.Expr {
	e := l.slabs.fstring.new()
	e.Meta = l.meta(i)
	mark := l.exprs.mark()
	at := l.nodes[i].start + 1
	for c := l.first(i); c != 0; c = l.after(i, c) {
		if k := l.kind(c); k != kindFormatExpression && k != kindInterpolation {
			continue
		}
		l.literalPart(at, l.nodes[c].start, p)
		l.exprs.push(l.formattedValue(c, p))
		at = l.nodes[c].end
	}
	l.literalPart(at, l.nodes[i].end, p)
	e.Parts = l.exprs.take(mark)
	return e
}

// decode returns the value of a literal's content.
func decode(s string, p prefix) string {
	escapes := !p.raw && strings.IndexByte(s, '\\') >= 0
	braces := p.format && strings.ContainsAny(s, "{}")
	returns := strings.IndexByte(s, '\r') >= 0
	if !escapes && !braces && !returns {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for k := 0; k < len(s); {
		switch c := s[k]; {
		case c == '\r':
			b.WriteByte('\n')
			k++
			if k < len(s) && s[k] == '\n' {
				k++
			}
		case c == '\\' && escapes:
			k += unescape(&b, s[k:], p.bytes)
		case (c == '{' || c == '}') && braces && k+1 < len(s) && s[k+1] == c:
			b.WriteByte(c)
			k += 2
		default:
			b.WriteByte(c)
			k++
		}
	}
	return b.String()
}

var simpleEscapes = [256]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// unescape writes the value of the escape sequence at the start of s and
// returns its length. An unknown one is kept as it is, like Python does;
// \N{...} too, for want of the table of names.
func unescape(b *strings.Builder, s string, bytes bool) int {
	if len(s) < 2 {
		b.WriteString(s)
		return len(s)
	}
	c := s[1]
	switch {
	case c == '\n':
		return 2
	case c == '\r':
		if len(s) > 2 && s[2] == '\n' {
			return 3
		}
		return 2
	case simpleEscapes[c] != 0:
		b.WriteByte(simpleEscapes[c])
		return 2
	case '0' <= c && c <= '7':
		return octal(b, s, bytes)
	case c == 'x':
		return hex(b, s, 2, bytes)
	case c == 'u' && !bytes:
		return hex(b, s, 4, false)
	case c == 'U' && !bytes:
		return hex(b, s, 8, false)
	}
	b.WriteString(s[:2])
	return 2
}

func octal(b *strings.Builder, s string, bytes bool) int {
	k, v := 1, rune(0)
	for ; k < len(s) && k < 4 && '0' <= s[k] && s[k] <= '7'; k++ {
		v = v*8 + rune(s[k]-'0')
	}
	writeCode(b, v, bytes)
	return k
}

// hex writes the value of an escape of n hexadecimal digits, or keeps it where
// there are fewer.
func hex(b *strings.Builder, s string, n int, bytes bool) int {
	v := rune(0)
	for k := 2; k < 2+n; k++ {
		d := hexDigit(s, k)
		if d < 0 {
			b.WriteString(s[:2])
			return 2
		}
		v = v<<4 | d
	}
	writeCode(b, v, bytes)
	return 2 + n
}

func hexDigit(s string, k int) rune {
	if k >= len(s) {
		return -1
	}
	switch c := s[k]; {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

func writeCode(b *strings.Builder, v rune, bytes bool) {
	if bytes {
		b.WriteByte(byte(v))
		return
	}
	if !utf8.ValidRune(v) {
		v = utf8.RuneError
	}
	b.WriteRune(v)
}
