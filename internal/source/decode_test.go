package source

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

func TestFromBytes(t *testing.T) {
	utf16 := func(order unicode.Endianness, text string) string {
		out, err := unicode.UTF16(order, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	tests := []struct {
		name, raw, text, encoding string
		bom                       bool
		newline                   Newline
	}{
		{"plain", "x = 1\n", "x = 1\n", "utf-8", false, LF},
		{"empty", "", "", "utf-8", false, LF},
		{"utf-8", "π = 3\n", "π = 3\n", "utf-8", false, LF},
		{"utf-8 with mark", "\xEF\xBB\xBFx = 1\n", "x = 1\n", "utf-8", true, LF},
		{"mark and cookie agree", "\xEF\xBB\xBF# coding: utf-8\n", "# coding: utf-8\n", "utf-8", true, LF},
		{"latin-1", "# -*- coding: latin-1 -*-\ns = '\xe9'\n", "# -*- coding: latin-1 -*-\ns = 'é'\n", "iso-8859-1", false, LF},
		{"latin-1 keeps C1", "# coding: latin1\n'\x80'\n", "# coding: latin1\n'\u0080'\n", "iso-8859-1", false, LF},
		{"windows-1252 has the euro", "#coding=cp1252\n'\x80'\n", "#coding=cp1252\n'€'\n", "cp1252", false, LF},
		{"cookie in line two", "#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n'\xe9'\n",
			"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n'é'\n", "iso-8859-1", false, LF},
		{"cookie after CRLF", "#!python\r\n# coding: koi8-r\r\n'\xc1'\r\n", "#!python\r\n# coding: koi8-r\r\n'а'\r\n", "koi8-r", false, CRLF},
		{"cookie after CR", "\r# coding: latin-1\r'\xe9'\r", "\n# coding: latin-1\n'é'\n", "iso-8859-1", false, CR},
		{"emacs style name", "# -*- coding: utf-8-unix -*-\n'é'", "# -*- coding: utf-8-unix -*-\n'é'", "utf-8", false, LF},
		{"a cookie in line three is none", "#\n#\n# coding: latin-1\n", "#\n#\n# coding: latin-1\n", "utf-8", false, LF},
		{"a cookie below code is none", "x = 1\n# coding: latin-1\n", "x = 1\n# coding: latin-1\n", "utf-8", false, LF},
		{"ascii", "# coding: us-ascii\n", "# coding: us-ascii\n", "ascii", false, LF},
		{"gbk", "# coding: gbk\n'\xc4\xe3'\n", "# coding: gbk\n'你'\n", "gbk", false, LF},
		{"shift_jis", "# coding: sjis\n'\x82\xa0'\n", "# coding: sjis\n'あ'\n", "shift_jis", false, LF},
		{"utf-16 little endian", utf16(unicode.LittleEndian, "x = 'é𝛑'\r\n"), "x = 'é𝛑'\r\n", "utf-16-le", true, CRLF},
		{"utf-16 big endian", utf16(unicode.BigEndian, "x = 'é'\n"), "x = 'é'\n", "utf-16-be", true, LF},
		{"replacement characters may stand in utf-16", utf16(unicode.BigEndian, "'\uFFFD'\n"), "'\uFFFD'\n", "utf-16-be", true, LF},
		{"CRLF is kept", "a\r\nb\r\n", "a\r\nb\r\n", "utf-8", false, CRLF},
		{"lone CR becomes LF", "a\rb\r", "a\nb\n", "utf-8", false, CR},
		{"mixed", "a\r\nb\rc\nd\r\n", "a\r\nb\nc\nd\r\n", "utf-8", false, CRLF},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := FromBytes("a.py", []byte(test.raw))
			if err != nil {
				t.Fatal(err)
			}
			if string(f.Text) != test.text || f.Encoding != test.encoding || f.BOM != test.bom || f.Newline != test.newline {
				t.Errorf("got %q in %s, BOM %v, %v; want %q in %s, BOM %v, %v",
					f.Text, f.Encoding, f.BOM, f.Newline, test.text, test.encoding, test.bom, test.newline)
			}
			back, err := f.Bytes()
			if err != nil || string(back) != test.raw {
				t.Errorf("Bytes() = %q, %v; want %q", back, err, test.raw)
			}
		})
	}
}

// A codec that a package registers, and one that nobody does, is read as UTF-8, and the file is written as it was.
func TestOtherCodecs(t *testing.T) {
	for _, name := range []string{"future_fstrings", "future-annotations", "pyxl", "klingon"} {
		raw := "# -*- coding: " + name + " -*-\nx = 'é'\n"
		f, err := FromBytes("a.py", []byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if back, err := f.Bytes(); err != nil || string(back) != raw || string(f.Text) != raw || f.Encoding != "utf-8" {
			t.Errorf("%s: %q, %v", name, back, err)
		}
	}
}

func TestFromBytesRefuses(t *testing.T) {
	tests := []struct {
		name, raw string
		reason    Reason
		want      string // the whole line
	}{
		{"latin-1 without cookie", "x = 1\ns = '\xe9'\n", BadEncoding,
			"a.py:2: byte 0xe9 is not valid UTF-8; save the file as UTF-8, or declare its encoding in the first line (# -*- coding: latin-1 -*-)"},
		{"unknown encoding that is no UTF-8", "#!python\n# coding: klingon\n'\xe9'\n", BadEncoding,
			"a.py:3: byte 0xe9 is not valid UTF-8; save the file as UTF-8, or declare its encoding in the first line (# -*- coding: latin-1 -*-)"},
		{"mark against cookie", "\xEF\xBB\xBF# coding: latin-1\n", BadEncoding,
			`a.py:1: the first lines declare the encoding "latin-1", but the file starts with the byte order mark of UTF-8; remove the declaration`},
		{"not ascii", "# coding: ascii\n\n'\xe9'", BadEncoding,
			"a.py:3: byte 0xe9 is not ASCII, which the first lines declare; declare utf-8 instead"},
		{"not shift_jis", "# coding: sjis\n\n\n'\x82", BadEncoding,
			"a.py:4: this line has bytes that are not shift_jis; save the file as UTF-8"},
		{"half a character of utf-16", "\xff\xfea\x00\n\x00b", BadEncoding,
			"a.py:2: this line has bytes that are not utf-16-le; save the file as UTF-8"},
		{"a surrogate alone", "\xfe\xff\x00a\xd8\x00", BadEncoding,
			"a.py:1: this line has bytes that are not utf-16-be; save the file as UTF-8"},
		{"utf-32", "\xff\xfe\x00\x00a\x00\x00\x00", BadEncoding,
			"a.py:1: the file is in UTF-32, which Python cannot run; save it as UTF-8"},
		{"not fetched", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", Missing,
			"a.py:1: this is a pointer of Git LFS, not the file itself; fetch it with: git lfs pull"},
		{"utf-16 without mark", "a\x00=\x001\x00\n\x00", BadEncoding,
			"a.py:1: the file looks like UTF-16 without a byte order mark; save it as UTF-8"},
		{"NUL", "x = 1\ry = 2\r\nz = '\x00'\n" + strings.Repeat("# text\n", 9), Binary,
			"a.py:3: this line has a NUL byte, which Python does not accept; remove it"},
		{"program renamed .py", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", Binary,
			"a.py: this is a binary file, not Python source; rename it, or leave it out with exclude"},
		{"bytes without NUL", "\x89PNG\x01\x02\x03\x04\xff\xfe", Binary,
			"a.py: this is a binary file, not Python source; rename it, or leave it out with exclude"},
		{"too large", strings.Repeat("#\n", MaxSize/2) + "\n", TooLarge,
			"a.py: the file is larger than 10 MiB; split it, or leave it out with exclude"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := FromBytes("a.py", []byte(test.raw))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, %v; want an *Error", f, err)
			}
			if e.Error() != test.want || e.Reason != test.reason {
				t.Errorf("got  %s (reason %d)\nwant %s (reason %d)", e, e.Reason, test.want, test.reason)
			}
		})
	}
}

func TestPlainTextIsShared(t *testing.T) {
	raw := []byte("import torch\nπ = 1\n")
	f, err := FromBytes("a.py", raw)
	if err != nil {
		t.Fatal(err)
	}
	back, err := f.Bytes()
	if err != nil || &f.Text[0] != &raw[0] || &back[0] != &raw[0] {
		t.Error("plain UTF-8 was copied")
	}
}

func TestEveryAliasHasItsCodec(t *testing.T) {
	for alias, c := range codecByAlias {
		got, known := lookup(strings.ToUpper(strings.ReplaceAll(alias, "_", "-")))
		if !known || got.name != c.name {
			t.Errorf("%q names %q, want %q", alias, got.name, c.name)
		}
		if c.encoding == nil && c.name != "utf-8" && c.name != "ascii" {
			t.Errorf("%q has no decoder", alias)
		}
	}
}

// What a single-byte encoding can say, a file in it keeps through decoding and
// encoding.
func TestSingleByteEncodingsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOf(rapid.ByteRange(1, 255)).Draw(t, "body")
		raw := append([]byte("# coding: latin-1\n"), body...)
		f, err := FromBytes("a.py", raw)
		if err != nil {
			if e := (*Error)(nil); errors.As(err, &e) && e.Reason == Binary {
				t.Skip("control characters only")
			}
			t.Fatal(err)
		}
		want, _ := charmap.ISO8859_1.NewDecoder().Bytes(raw)
		want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\x00"))
		want = bytes.ReplaceAll(want, []byte("\r"), []byte("\n"))
		want = bytes.ReplaceAll(want, []byte("\x00"), []byte("\r\n"))
		if !bytes.Equal(f.Text, want) {
			t.Fatalf("decoded %q, want %q", f.Text, want)
		}
		if back, err := f.Bytes(); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("Bytes() = %q, %v; want %q", back, err, raw)
		}
	})
}

func TestBytesRefusesWhatTheEncodingLacks(t *testing.T) {
	for _, cookie := range []string{"latin-1", "ascii"} {
		f, err := FromBytes("a.py", []byte("# coding: "+cookie+"\nx = 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Derive(Program{Text: append(bytes.Clone(f.Text), "'π'"...)}).Bytes()
		if err == nil || !strings.HasPrefix(err.Error(), "a.py:3: the character 'π' cannot be written as ") {
			t.Errorf("%s: got error %v", cookie, err)
		}
	}
}

// FuzzFromBytes feeds foreign bytes: no panic, one-line errors, valid UTF-8
// without NUL and lone CR for the parser, and the same bytes back.
func FuzzFromBytes(f *testing.F) {
	for _, seed := range []string{
		"x = 1\n", "\xEF\xBB\xBFx\r\n", "a\rb\r\nc\n", "# coding: latin-1\n\xe9", "\xff\xfea\x00", "\xfe\xff\x00a\xd8\x00",
		"# coding: gb18030\n\x84\x31\xa4\x37", "# coding: iso2022_jp\n\x1b$B$\"\x1b(B", "\x00\x00", "# coding: sjis\n\x82\xa0",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := FromBytes("a.py", raw)
		if err != nil {
			checkError(t, err)
			return
		}
		checkText(t, file.Text)
		back, err := file.Bytes()
		if reversible := file.codec == nil || strings.HasPrefix(file.Encoding, "utf-16"); reversible && (err != nil || !bytes.Equal(back, raw)) {
			t.Fatalf("%s: %q came back as %q, %v", file.Encoding, raw, back, err)
		}
	})
}
