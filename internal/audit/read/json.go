package read

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// # Python's JSON
//
// Python writes NaN, Infinity and -Infinity bare, which is not JSON. They are put in quotes
// before the decoder sees them, and a value in quotes that reads so is a number.

// quoter puts the bare words in quotes. Its zero value is at the start of a document.
type quoter struct {
	inString, escaped bool
	minus             bool   // a minus sign was held back
	word              string // what must follow of a word that has begun
}

// quote appends src to dst.
func (q *quoter) quote(dst, src []byte) []byte {
	for _, c := range src {
		if q.word != "" {
			if c != q.word[0] {
				c = 0 // which no decoder accepts
			} else if q.word = q.word[1:]; q.word == "" {
				dst = append(dst, c, '"')
				continue
			}
			dst = append(dst, c)
			continue
		}
		if q.inString {
			dst = append(dst, c)
			q.escaped, q.inString = c == '\\' && !q.escaped, q.escaped || c != '"'
			continue
		}
		dst = q.outside(dst, c)
	}
	return dst
}

// outside appends a byte that stands in no string and no word.
func (q *quoter) outside(dst []byte, c byte) []byte {
	minus := q.minus
	q.minus = false
	bare := c == 'N' && !minus || c == 'I'
	if bare {
		dst = append(dst, '"')
	}
	if minus {
		dst = append(dst, '-')
	}
	switch c {
	case '-':
		q.minus = true
		return dst
	case '"':
		q.inString = true
	case 'N':
		q.word = "aN"
	case 'I':
		q.word = "nfinity"
	}
	return append(dst, c)
}

// pythonJSON is a reader of JSON that Python may have written.
type pythonJSON struct {
	r     io.Reader
	q     quoter
	in    []byte
	out   []byte
	given int
	err   error
}

func newPythonJSON(r io.Reader) *pythonJSON { return &pythonJSON{r: r, in: make([]byte, 64<<10)} }

func (p *pythonJSON) Read(to []byte) (int, error) {
	for p.given == len(p.out) {
		if p.err != nil {
			return 0, p.err
		}
		var n int
		n, p.err = p.r.Read(p.in)
		p.out, p.given = p.q.quote(p.out[:0], p.in[:n]), 0
	}
	n := copy(to, p.out[p.given:])
	p.given += n
	return n, nil
}

// parseObject reads an object, which may hold Python's words.
func parseObject(text []byte) (gjson.Result, bool) {
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity")) {
		text = new(quoter).quote(make([]byte, 0, len(text)+64), text)
	}
	if !gjson.ValidBytes(text) {
		return gjson.Result{}, false
	}
	o := gjson.ParseBytes(text)
	return o, o.IsObject()
}

// number returns the value of a JSON number, or of one that is not finite.
func number(v gjson.Result) (float64, bool) {
	switch v.Type {
	case gjson.Number:
		return v.Num, true
	case gjson.String:
		return notFinite(v.Str)
	}
	return 0, false
}

// notFinite reads the words for what no number is, as Python, Go and JavaScript write them.
func notFinite(word string) (float64, bool) {
	if len(word) > len("-Infinity") {
		return 0, false
	}
	switch strings.ToLower(word) {
	case "nan", "-nan":
		return math.NaN(), true
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), true
	case "-inf", "-infinity":
		return math.Inf(-1), true
	}
	return 0, false
}

// maxNesting is how deep objects within objects are looked for numbers.
const maxNesting = 4

// putObject puts the numbers of an object into the row that is being read. Numbers of an
// object within it have both names, with a slash between. It reports whether there are texts
// in the object that may be a prompt or a completion.
func (l *log) putObject(o gjson.Result, prefix string, depth int) (texts bool) {
	o.ForEach(func(key, v gjson.Result) bool {
		switch v.Type {
		case gjson.Number:
			l.put(prefix+key.Str, v.Num)
		case gjson.Null:
			l.missing(prefix + key.Str)
		case gjson.String, gjson.JSON:
			if n, ok := notFinite(v.Str); ok {
				l.put(prefix+key.Str, n)
			} else if depth == 0 && roleOf(key.Str) == completionText {
				texts = true
			} else if v.IsObject() && depth < maxNesting {
				l.putObject(v, prefix+key.Str+"/", depth+1)
			}
		}
		return true
	})
	return texts
}
