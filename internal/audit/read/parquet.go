package read

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Bounds of a parquet file: what is packed in pages must fit in memory.
const (
	maxColumn   = 256 << 20 // bytes of a column in a group of rows
	maxUnpacked = 64 << 20  // of a file that is gzip'd as a whole
	rowsAtOnce  = 64
)

// isParquet reports whether it is a parquet file.
func isParquet(f candidate) bool { return path.Ext(f.name()) == ".parquet" }

// readParquet reads completions, or metrics by step.
func readParquet(ctx context.Context, c *collector, f candidate) (err error) {
	defer func() {
		if p := recover(); p != nil { // the library trusts what the file says of itself
			err = fmt.Errorf("is damaged (%v)", p)
		}
	}()
	r, size, closer, err := f.readerAt()
	if err != nil {
		return err
	}
	defer closer.Close()
	p, err := openParquet(r, size)
	if err != nil {
		return err
	}
	if isTexts(p.tops) {
		return c.readTexts(ctx, f, "parquet", p.rows(ctx))
	}
	l := c.newLog(f, "parquet")
	for row, err := range p.rows(ctx) {
		if err != nil {
			l.Bad++
			l.note("%s", err)
			break
		}
		for _, cell := range row {
			if cell.numeric {
				l.put(cell.name, cell.number)
			}
		}
		l.end()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return c.keep(l)
}

// readerAt opens the file to be read in any order; one that is gzip'd is unpacked in memory.
func (f candidate) readerAt() (io.ReaderAt, int64, io.Closer, error) {
	r, err := f.bytes()
	if err != nil {
		return nil, 0, nil, errors.New(trouble(err))
	}
	if bytes.HasPrefix(f.raw, []byte("PAR1")) && !isGzip(f) {
		r.Close()
		file, err := os.Open(f.path)
		return file, f.size, file, err
	}
	defer r.Close()
	all, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err == nil && len(all) > maxUnpacked {
		err = fmt.Errorf("holds more than %d MB: unpack it with gunzip", maxUnpacked>>20)
	}
	return bytes.NewReader(all), int64(len(all)), io.NopCloser(nil), err
}

// isGzip reports whether the file itself is compressed.
func isGzip(f candidate) bool {
	file, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer file.Close()
	var magic [2]byte
	_, err = io.ReadFull(file, magic[:])
	return err == nil && magic == [2]byte{0x1f, 0x8b}
}

// parquetFile is an open file.
type parquetFile struct {
	file   *parquet.File
	leaves []leaf
	tops   []string
}

// leaf is a column that holds values.
type leaf struct {
	top   string // the name of the column it belongs to
	text  bool
	inner bool // it is within a list or a structure
	use   bool
}

// openParquet reads the description at the end of the file.
func openParquet(r io.ReaderAt, size int64) (*parquetFile, error) {
	if err := footerFits(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return nil, fmt.Errorf("is damaged or still being written (%v)", err)
	}
	p := &parquetFile{file: file}
	for _, at := range file.Schema().Columns() {
		column, ok := file.Schema().Lookup(at...)
		if !ok {
			return nil, errShape
		}
		kind := column.Node.Type().Kind()
		l := leaf{top: at[0], inner: len(at) > 1, text: kind == parquet.ByteArray || kind == parquet.FixedLenByteArray}
		l.use = !l.inner || at[len(at)-1] == "content" || at[len(at)-1] == "element" || at[len(at)-1] == "item"
		p.leaves = append(p.leaves, l)
		if !slices.Contains(p.tops, l.top) {
			p.tops = append(p.tops, l.top)
		}
	}
	return p, p.fits()
}

// maxFooter bounds the description at the end of a file.
const maxFooter = 32 << 20

// footerFits checks the end of a file, which says how long its description is: the library
// takes its word for it.
func footerFits(r io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return errors.New("is damaged or still being written (too short)")
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil || string(end[4:]) != "PAR1" {
		return errors.New("is damaged or still being written (no footer)")
	}
	if n := int64(binary.LittleEndian.Uint32(end[:4])); n > size-12 || n > maxFooter {
		return errors.New("is damaged (the length of its footer)")
	}
	return nil
}

// fits reports columns that are too large to unpack.
func (p *parquetFile) fits() error {
	for _, group := range p.file.Metadata().RowGroups {
		for _, column := range group.Columns {
			if n := column.MetaData.TotalUncompressedSize; n > maxColumn || n < 0 {
				return fmt.Errorf("has a column of %d MB in one group of rows: write it in smaller groups (row_group_size)", n>>20)
			}
		}
	}
	return nil
}

// rows yields the rows of the file.
func (p *parquetFile) rows(ctx context.Context) iter.Seq2[[]cell, error] {
	return func(yield func([]cell, error) bool) {
		for _, group := range p.file.RowGroups() {
			if !p.group(ctx, group, yield) {
				return
			}
		}
	}
}

// group yields the rows of a group; false where that is the end.
func (p *parquetFile) group(ctx context.Context, group parquet.RowGroup, yield func([]cell, error) bool) bool {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, rowsAtOnce)
	for ctx.Err() == nil {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if !yield(p.row(row), nil) {
				return false
			}
		}
		if errors.Is(err, io.EOF) || n == 0 && err == nil {
			return true
		}
		if err != nil {
			return yield(nil, fmt.Errorf("is damaged: what came before was read (%v)", err))
		}
	}
	return false
}

// row returns the cells of a row. Texts of a list are joined to one, a line each.
func (p *parquetFile) row(values parquet.Row) []cell {
	var row []cell
	for _, v := range values {
		l := p.leaves[v.Column()]
		if !l.use || v.IsNull() {
			continue
		}
		c := cell{name: l.top}
		if l.text {
			c.text = string(v.ByteArray())
		} else {
			c.number, c.numeric = parquetNumber(v)
		}
		if last := len(row) - 1; l.inner && last >= 0 && row[last].name == l.top {
			row[last].text += "\n" + c.text
			continue
		}
		row = append(row, c)
	}
	return row
}

// parquetNumber returns a value as a number.
func parquetNumber(v parquet.Value) (float64, bool) {
	switch v.Kind() {
	case parquet.Boolean:
		return map[bool]float64{true: 1}[v.Boolean()], true
	case parquet.Int32:
		return float64(v.Int32()), true
	case parquet.Int64:
		return float64(v.Int64()), true
	case parquet.Float:
		return float64(v.Float()), true
	case parquet.Double:
		return v.Double(), true
	}
	return 0, false
}
