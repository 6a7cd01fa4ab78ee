package read

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// # TFRecord
//
// A record is its length (8 bytes), a checksum of the length (4), the data, a checksum of the
// data (4), all little-endian. Where the length is damaged nothing says where the next record
// starts, so reading ends; where the data is, the record is left out.

// castagnoli is the polynomial of TFRecord's and W&B's checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is a checksum as TFRecord and LevelDB store it: a checksum of data that holds
// checksums is weak.
func masked(data ...[]byte) uint32 {
	crc := uint32(0)
	for _, d := range data {
		crc = crc32.Update(crc, castagnoli, d)
	}
	return (crc>>15 | crc<<17) + 0xa282ead8
}

// maxEvent bounds a record. Images and histograms are below it.
const maxEvent = 256 << 20

// tfRecords reads records.
type tfRecords struct {
	r       io.Reader
	read    int64 // bytes before the record
	records int64
	bad     int64 // of these, the damaged ones
	header  [12]byte
	data    []byte
}

// Reasons why records end before the file does.
var errCut = errors.New("ends in the middle of a record")

// next returns the data of the next record, good until the call after; nil where its
// checksum is wrong. The error is io.EOF at the end.
func (t *tfRecords) next() ([]byte, error) {
	if _, err := io.ReadFull(t.r, t.header[:]); err == io.EOF {
		return nil, io.EOF
	} else if err != nil {
		return nil, cut(err)
	}
	length := binary.LittleEndian.Uint64(t.header[:8])
	if binary.LittleEndian.Uint32(t.header[8:]) != masked(t.header[:8]) {
		return nil, fmt.Errorf("the length of the record at byte %d is damaged (checksum)", t.read)
	}
	if length > maxEvent {
		return nil, t.pass(length)
	}
	if err := t.fill(int(length) + 4); err != nil {
		return nil, err
	}
	t.records++
	t.read += int64(len(t.header)) + int64(length) + 4
	body := t.data[:length]
	if binary.LittleEndian.Uint32(t.data[length:]) != masked(body) {
		t.bad++
		return nil, nil
	}
	return body, nil
}

// fill reads n bytes, growing as they come: a wrong length must not take memory.
func (t *tfRecords) fill(n int) error {
	t.data = t.data[:0]
	for len(t.data) < n {
		piece := min(n-len(t.data), 1<<20)
		start := len(t.data)
		t.data = append(t.data, make([]byte, piece)...)
		if _, err := io.ReadFull(t.r, t.data[start:]); err != nil {
			return cut(err)
		}
	}
	return nil
}

// pass leaves out a record that is too large for a number.
func (t *tfRecords) pass(length uint64) error {
	if length > 1<<62 {
		return errCut
	}
	n, err := io.CopyN(io.Discard, t.r, int64(length)+4)
	t.read += int64(len(t.header)) + n
	t.records++
	t.bad++
	if err != nil {
		return cut(err)
	}
	return nil
}

// cut names the end of a file within a record.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}
