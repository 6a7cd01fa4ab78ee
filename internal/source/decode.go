package source

import (
	"bytes"
	"regexp"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// The byte order marks. That of UTF-32 (little endian) starts with that of
// UTF-16.
var (
	bomUTF8    = []byte("\xEF\xBB\xBF")
	bomUTF16LE = []byte("\xFF\xFE")
	bomUTF16BE = []byte("\xFE\xFF")
	bomUTF32LE = []byte("\xFF\xFE\x00\x00")
	bomUTF32BE = []byte("\x00\x00\xFE\xFF")
)

// pointerLFS starts what Git LFS leaves in the place of a file that it did not
// fetch.
var pointerLFS = []byte("version https://git-lfs.github.com/spec/")

// A codec is an encoding other than UTF-8, with the mark that starts the file.
type codec struct {
	encoding encoding.Encoding
	bom      []byte
}

// decode sets Text, Encoding and BOM from Raw. Plain UTF-8 is checked and
// shared, never copied.
func (f *File) decode() error {
	f.Text, f.Encoding = f.Raw, "utf-8"
	switch raw := f.Raw; {
	case bytes.HasPrefix(raw, bomUTF8):
		f.Text, f.BOM = raw[len(bomUTF8):], true
	case bytes.HasPrefix(raw, bomUTF32LE), bytes.HasPrefix(raw, bomUTF32BE):
		return f.fail(BadEncoding, 1, "the file is in UTF-32, which Python cannot run; save it as UTF-8")
	case bytes.HasPrefix(raw, bomUTF16LE):
		f.BOM = true
		return f.decodeWith("utf-16-le", &codec{unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), bomUTF16LE})
	case bytes.HasPrefix(raw, bomUTF16BE):
		f.BOM = true
		return f.decodeWith("utf-16-be", &codec{unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), bomUTF16BE})
	}
	if bytes.HasPrefix(f.Text, pointerLFS) {
		return f.fail(Missing, 1, "this is a pointer of Git LFS, not the file itself; fetch it with: git lfs pull")
	}
	if err := f.checkText(f.Text); err != nil {
		return err
	}
	return f.decodeDeclared()
}

// decodeDeclared decodes what has no mark of UTF-16: as its cookie says, or
// UTF-8. Notebooks are JSON, whose cookie in a string means nothing.
func (f *File) decodeDeclared() error {
	name, line := "", 0
	if !IsNotebook(f.Path) {
		name, line = cookie(f.Text)
	}
	declared, known := lookup(name)
	switch {
	case !known:
		// A package registers it where the program runs, as future_fstrings does, and it takes text that is UTF-8; or nobody does.
		return f.checkUTF8()
	case declared.name != "utf-8" && f.BOM:
		return f.fail(BadEncoding, line, "the first lines declare the encoding %q, but the file starts with the byte order mark of UTF-8; remove the declaration", name)
	case declared.name == "utf-8":
		return f.checkUTF8()
	case declared.name == "ascii":
		f.Encoding = "ascii"
		return f.checkASCII()
	}
	return f.decodeWith(declared.name, &codec{encoding: declared.encoding})
}

// decodeWith decodes Raw by another encoding than UTF-8.
func (f *File) decodeWith(name string, c *codec) error {
	f.Encoding, f.codec = name, c
	body := f.Raw[len(c.bom):]
	text, err := c.encoding.NewDecoder().Bytes(body)
	if err != nil {
		return f.fail(BadEncoding, 0, "the file cannot be decoded as %s: %v; save it as UTF-8", name, err)
	}
	// Decoders put U+FFFD where bytes are wrong. A file may hold that character
	// itself, in which case it encodes to the same bytes again.
	if at := bytes.IndexRune(text, utf8.RuneError); at >= 0 {
		again, err := c.encoding.NewEncoder().Bytes(text)
		if err != nil || !bytes.Equal(again, body) {
			return f.fail(BadEncoding, lineAt(text, at), "this line has bytes that are not %s; save the file as UTF-8", name)
		}
	}
	f.Text = text
	return f.checkText(text)
}

// encode returns the text in the file's encoding, with its byte order mark.
func (f *File) encode(text []byte) ([]byte, error) {
	switch {
	case f.codec != nil:
		return f.encodeWith(text)
	case f.BOM:
		return append(bytes.Clone(bomUTF8), text...), nil
	case f.Encoding == "ascii":
		if at := nonASCII(text); at >= 0 {
			r, _ := utf8.DecodeRune(text[at:])
			return nil, f.unencodable(text, at, r)
		}
	}
	return text, nil
}

// encodeWith encodes text by the file's codec.
func (f *File) encodeWith(text []byte) ([]byte, error) {
	encoder := f.codec.encoding.NewEncoder()
	body, err := encoder.Bytes(text)
	if err == nil {
		return append(bytes.Clone(f.codec.bom), body...), nil
	}
	for at, r := range string(text) {
		encoder.Reset()
		if _, err := encoder.String(string(r)); err != nil {
			return nil, f.unencodable(text, at, r)
		}
	}
	return nil, f.fail(BadEncoding, 0, "the text cannot be written as %s: %v; save the file as UTF-8", f.Encoding, err)
}

// unencodable is the error for a character that the file's encoding lacks.
func (f *File) unencodable(text []byte, at int, r rune) error {
	return f.fail(BadEncoding, lineAt(text, at), "the character %q cannot be written as %s; save the file as UTF-8", r, f.Encoding)
}

// checkUTF8 refuses bytes that are not UTF-8, as Python does.
func (f *File) checkUTF8() error {
	if utf8.Valid(f.Text) {
		return nil
	}
	at := invalidUTF8(f.Text)
	if looksBinary(f.Text) {
		return f.binary()
	}
	fix := "save the file as UTF-8, or declare its encoding in the first line (# -*- coding: latin-1 -*-)"
	if IsNotebook(f.Path) {
		fix = "save the notebook again as UTF-8"
	}
	return f.fail(BadEncoding, lineAt(f.Text, at), "byte 0x%02x is not valid UTF-8; %s", f.Text[at], fix)
}

// checkASCII refuses bytes over 0x7f in a file that declares ASCII.
func (f *File) checkASCII() error {
	at := nonASCII(f.Text)
	if at < 0 {
		return nil
	}
	return f.fail(BadEncoding, lineAt(f.Text, at), "byte 0x%02x is not ASCII, which the first lines declare; declare utf-8 instead", f.Text[at])
}

// checkText refuses NUL, which Python refuses too and which mostly means that
// the file is no text at all.
func (f *File) checkText(text []byte) error {
	at := bytes.IndexByte(text, 0)
	switch {
	case at < 0:
		return nil
	case looksUTF16(text):
		return f.fail(BadEncoding, 1, "the file looks like UTF-16 without a byte order mark; save it as UTF-8")
	case looksBinary(text):
		return f.binary()
	}
	return f.fail(Binary, lineAt(text, at), "this line has a NUL byte, which Python does not accept; remove it")
}

// binary is the error for a file that is no text.
func (f *File) binary() error {
	return f.fail(Binary, 0, "this is a binary file, not Python source; rename it, or leave it out with exclude")
}

// sniffed is how much of a file decides whether it is text.
const sniffed = 4096

// looksBinary says whether more than one byte in twenty is a control character
// that no text editor writes.
func looksBinary(text []byte) bool {
	head := text[:min(len(text), sniffed)]
	controls := 0
	for _, c := range head {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b || c == 0x7f {
			controls++
		}
	}
	return controls*20 > len(head)
}

// looksUTF16 says whether every other byte of the start is NUL and no byte
// between is, as in ASCII text in UTF-16.
func looksUTF16(text []byte) bool {
	head := text[:min(len(text), sniffed)&^1]
	var nuls [2]int
	for i, c := range head {
		if c == 0 {
			nuls[i&1]++
		}
	}
	half := len(head) / 2
	return half > 1 && (nuls[0] == 0 && nuls[1]*10 > half*9 || nuls[1] == 0 && nuls[0]*10 > half*9)
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// nonASCII returns the offset of the first byte over 0x7f, or -1.
func nonASCII(text []byte) int {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}

// PEP 263: the declaration, and a line that may stand above it.
var (
	cookieLine = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-_.a-zA-Z0-9]+)`)
	blankLine  = regexp.MustCompile(`^[ \t\f]*(?:#.*)?$`)
)

// cookie returns the encoding that the first two lines declare and the line, or
// "" and 0.
func cookie(text []byte) (name string, line int) {
	text = text[:min(len(text), sniffed)]
	for line = 1; line <= 2; line++ {
		var first []byte
		first, text = cutLine(text)
		if m := cookieLine.FindSubmatch(first); m != nil {
			return string(m[1]), line
		}
		if !blankLine.Match(first) {
			break
		}
	}
	return "", 0
}

// cutLine splits text after its first line, whose end may be \n, \r\n or \r
// and is in neither part.
func cutLine(text []byte) (line, rest []byte) {
	end := bytes.IndexAny(text, "\r\n")
	switch {
	case end < 0:
		return text, nil
	case bytes.HasPrefix(text[end:], []byte("\r\n")):
		return text[:end], text[end+2:]
	}
	return text[:end], text[end+1:]
}
