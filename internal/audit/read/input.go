package read

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/rlvet/rlvet/internal/source"
)

// Bounds of what is read at once.
const (
	headSize  = 4096     // of a file, by which it is recognised
	maxRecord = 32 << 20 // a line, or a record of a document
)

// candidate is a file of the folder.
type candidate struct {
	path string // of the system
	rel  string // relative to the run's folder, with slashes
	size int64
	mod  time.Time
	// head are the first bytes as text; raw the same as they stand, after gzip.
	head, raw []byte
	// seen is told how many bytes were read; nil for nobody.
	seen func(n int)
}

// name returns the file's name in lower case, without ".gz".
func (f candidate) name() string {
	return strings.TrimSuffix(strings.ToLower(f.rel[strings.LastIndexByte(f.rel, '/')+1:]), ".gz")
}

// dir returns the folder of the file, relative to the run's; "." for that.
func (f candidate) dir() string {
	if i := strings.LastIndexByte(f.rel, '/'); i >= 0 {
		return f.rel[:i]
	}
	return "."
}

// bytes opens the file: at most what it held when it was found, unpacked where it is gzip'd.
func (f candidate) bytes() (io.ReadCloser, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(io.LimitReader(counted{file, f.seen}, f.size), int(min(f.size, 256<<10)))
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return readCloser{buffered, file}, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		file.Close()
		return nil, err
	}
	return readCloser{unpacked, file}, nil
}

// text opens the file as UTF-8, whatever its marks say. Bytes that are not UTF-8 stay: see
// utf8Line.
func (f candidate) text() (io.ReadCloser, error) {
	r, err := f.bytes()
	if err != nil {
		return nil, err
	}
	decoder := encodingOf(f.raw)
	if decoder == nil {
		return r, nil
	}
	return readCloser{transform.NewReader(r, decoder), r}, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// encodingOf returns what makes UTF-8 of a file that starts with head; nil for UTF-8 without
// a mark. UTF-16 without a mark is known by its zeros.
func encodingOf(head []byte) transform.Transformer {
	big, little := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}), bytes.HasPrefix(head, []byte{0xff, 0xfe}), bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return unicode.BOMOverride(transform.Nop)
	case len(head) < 4:
		return nil
	case head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		return big.NewDecoder()
	case head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		return little.NewDecoder()
	}
	return nil
}

// peek reads the first bytes of the file.
func (f *candidate) peek() error {
	r, err := f.bytes()
	if err != nil {
		return err
	}
	defer r.Close()
	raw := make([]byte, headSize)
	n, err := io.ReadFull(r, raw)
	f.raw = raw[:n]
	f.head = f.raw
	if decoder := encodingOf(f.raw); decoder != nil {
		f.head, _ = io.ReadAll(transform.NewReader(bytes.NewReader(f.raw), decoder))
	}
	if n > 0 || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// lines reads lines of text, each at most maxRecord long.
type lines struct {
	r *bufio.Reader
	// line is the last one read, without its end; whole says that it had one.
	line  []byte
	whole bool
	// number counts lines from 1; long those that were too long, latin those that were not UTF-8.
	number, long, latin int64
	err                 error
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next reads a line; false at the end, or where err is set.
func (l *lines) next() bool {
	for {
		if l.err != nil {
			return false
		}
		long := l.fill()
		if len(l.line) == 0 && !l.whole {
			return false
		}
		l.number++
		if long {
			l.long++
			continue
		}
		l.line = bytes.TrimRight(l.line, "\r")
		if !utf8.Valid(l.line) {
			l.latin++
			l.line, _ = charmap.Windows1252.NewDecoder().Bytes(l.line)
		}
		return true
	}
}

// fill reads up to the end of a line and reports whether it was too long to keep.
func (l *lines) fill() (long bool) {
	l.line, l.whole = l.line[:0], false
	for {
		piece, err := l.r.ReadSlice('\n')
		if len(l.line)+len(piece) > maxRecord {
			long = true
		} else {
			l.line = append(l.line, piece...)
		}
		switch {
		case err == nil:
			l.line, l.whole = bytes.TrimSuffix(l.line, []byte{'\n'}), true
			return long
		case err == io.EOF:
			return long
		case !errors.Is(err, bufio.ErrBufferFull):
			l.err = err
			return long
		}
	}
}

// note says of a source what its lines were like.
func (l *lines) note(to *log) {
	if l.latin > 0 {
		to.note("%s not UTF-8, and read as Latin-1", were(l.latin, "line"))
	}
	if l.long > 0 {
		to.Bad += l.long
		to.note("%s longer than %d MB, and left out", were(l.long, "line"), maxRecord>>20)
	}
	if l.err != nil {
		to.note("%s", trouble(l.err))
	}
}

func were(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}

// trouble says what a failed read means.
func trouble(err error) string {
	switch {
	case errors.Is(err, io.EOF):
		return "ends before there is anything to read in it"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "ends in the middle: what is whole was read; is it still being written, or was it cut when it was copied?"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, new(flate.CorruptInputError)):
		return "is damaged within its compression: what came before was read"
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return "cannot be opened: " + source.Cause(err).Error()
	}
	return "could not be read to its end: " + source.Cause(err).Error()
}
