package read

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// # The log of W&B
//
// A run-ID.wandb is a log as LevelDB writes it: after a head of 7 bytes, blocks of 32 KiB,
// each of pieces with a checksum, a length and a kind (whole, first, middle, last). A damaged
// piece costs its record; reading goes on with the next block. A record is a message of
// Protocol Buffers: that of history holds names and JSON of what was logged at a step.

// Sizes and kinds of LevelDB's log.
const (
	blockSize   = 32 << 10
	pieceHeader = 7
	wholePiece  = 1
	firstPiece  = 2
	lastPiece   = 4 // 3 is one in the middle
)

// Fields of W&B's messages.
const (
	recordHistory  = 2
	recordConfig   = 5
	recordRun      = 17
	runConfig      = 4
	historyStep    = 2
	stepNum        = 1
	historyItem    = 1
	configUpdate   = 1
	itemKey        = 1
	itemNestedKey  = 2
	itemJSON       = 16
	wandbHead      = ":W&B"
	wandbMagic     = 0xBEE1
	maxWandbRecord = 64 << 20
)

// isWandb reports whether it is the log of a run of W&B.
func isWandb(f candidate) bool { return path.Ext(f.name()) == ".wandb" }

// levelLog reads records of LevelDB's log.
type levelLog struct {
	r     *bufio.Reader
	left  int // bytes of the block that are not read yet
	bad   int64
	data  []byte
	piece []byte
	sums  [256]uint32 // checksums of the kinds
}

func newLevelLog(r io.Reader, used int) *levelLog {
	l := &levelLog{r: bufio.NewReaderSize(r, blockSize), left: blockSize - used, piece: make([]byte, blockSize)}
	for kind := range l.sums {
		l.sums[kind] = crc32.Checksum([]byte{byte(kind)}, crc32.IEEETable)
	}
	return l
}

// next returns the data of a record, good until the call after; nil for a damaged one.
func (l *levelLog) next() ([]byte, error) {
	l.data = l.data[:0]
	for inside := false; ; {
		kind, piece, err := l.take()
		if err != nil {
			if inside && errors.Is(err, io.EOF) {
				err = errCut
			}
			return nil, err
		}
		switch {
		case kind == 0: // damaged
			return nil, nil
		case kind == wholePiece:
			return piece, nil
		case kind == firstPiece:
			inside = true
		case !inside || kind > lastPiece:
			continue // the rest of a record whose first piece was damaged
		}
		if l.data = append(l.data, piece...); len(l.data) > maxWandbRecord {
			l.bad++
			return nil, nil
		}
		if kind == lastPiece {
			return l.data, nil
		}
	}
}

// take reads a piece; its kind is 0 where it is damaged, and the rest of the block is passed
// over.
func (l *levelLog) take() (kind byte, piece []byte, err error) {
	if l.left < pieceHeader {
		if _, err := l.r.Discard(l.left); err != nil {
			return 0, nil, io.EOF
		}
		l.left = blockSize
	}
	header, err := l.r.Peek(pieceHeader)
	if len(header) == 0 {
		return 0, nil, io.EOF
	} else if err != nil {
		return 0, nil, cut(err)
	}
	sum, length, kind := binary.LittleEndian.Uint32(header), int(binary.LittleEndian.Uint16(header[4:])), header[6]
	if length+pieceHeader > l.left {
		return l.skip()
	}
	if _, err := l.r.Discard(pieceHeader); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(l.r, l.piece[:length]); err != nil {
		return 0, nil, cut(err)
	}
	l.left -= pieceHeader + length
	piece = l.piece[:length]
	if sum == 0 && length == 0 && kind == 0 { // room that was reserved and not written to
		l.bad--
		return l.skip()
	}
	if sum != crc32.Update(l.sums[kind], crc32.IEEETable, piece) || kind == 0 {
		return l.skip()
	}
	return kind, piece, nil
}

// skip passes over the rest of a damaged block.
func (l *levelLog) skip() (byte, []byte, error) {
	l.bad++
	n, err := l.r.Discard(l.left)
	l.left = blockSize
	if err != nil && n == 0 {
		return 0, nil, io.EOF
	}
	return 0, nil, nil
}

// readWandb reads the history of a run of W&B.
func readWandb(ctx context.Context, c *collector, f candidate) error {
	r, err := f.bytes()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	head := make([]byte, pieceHeader)
	if _, err := io.ReadFull(r, head); err != nil || !bytes.HasPrefix(head, []byte(wandbHead)) || binary.LittleEndian.Uint16(head[4:]) != wandbMagic {
		return errors.New("does not start as a log of W&B does")
	}
	l := c.newLog(f, "wandb")
	if version := head[6]; version != 0 {
		l.note("is of version %d of W&B's log; version 0 is known", version)
	}
	in := newLevelLog(r, pieceHeader)
	for err == nil && ctx.Err() == nil {
		var data []byte
		if data, err = in.next(); data != nil && c.wandbRecord(l, data) != nil {
			in.bad++
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.Bad += in.bad
	if err != io.EOF {
		l.Bad++
		l.note("%s: the rest was read", err)
	}
	if in.bad > 0 {
		l.note("%s damaged (checksum) and left out", were(in.bad, "record"))
	}
	return c.keep(l)
}

// wandbRecord reads a record: a row of the history, or settings.
func (c *collector) wandbRecord(l *log, data []byte) error {
	return fields(data, func(f field) error {
		switch f.number {
		case recordHistory:
			err := l.putHistory(f.bytes)
			l.end()
			return err
		case recordConfig:
			return c.wandbConfig(l.Path, f.bytes)
		case recordRun:
			return fields(f.bytes, func(part field) error {
				if part.number != runConfig {
					return nil
				}
				return c.wandbConfig(l.Path, part.bytes)
			})
		}
		return nil
	})
}

// putHistory puts what was logged by one call.
func (l *log) putHistory(data []byte) error {
	return fields(data, func(f field) error {
		switch f.number {
		case historyItem:
			return wandbItem(f.bytes, l.putJSON)
		case historyStep:
			return fields(f.bytes, func(n field) error {
				if n.number == stepNum {
					l.put("_step", float64(n.bits))
				}
				return nil
			})
		}
		return nil
	})
}

// wandbConfig reads settings.
func (c *collector) wandbConfig(from string, data []byte) error {
	return fields(data, func(item field) error {
		if item.number != configUpdate {
			return nil
		}
		return wandbItem(item.bytes, func(name, text string) { c.configItem(from, name, text) })
	})
}

// wandbItem reads a name, or its parts, and a value as JSON.
func wandbItem(data []byte, use func(name, text string)) error {
	var key, text string
	var parts []string
	err := fields(data, func(f field) error {
		switch f.number {
		case itemKey:
			key = string(f.bytes)
		case itemNestedKey:
			parts = append(parts, string(f.bytes))
		case itemJSON:
			text = string(f.bytes)
		}
		return nil
	})
	if len(parts) > 0 {
		key = strings.Join(parts, "/")
	}
	if err == nil && key != "" {
		use(key, text)
	}
	return err
}

// putJSON puts a value that is written as JSON.
func (l *log) putJSON(name, text string) {
	if v, ok := notFinite(strings.Trim(text, `"`)); ok {
		l.put(name, v)
	} else if !gjson.Valid(text) {
		return
	} else if v := gjson.Parse(text); v.Type == gjson.Number {
		l.put(name, v.Num)
	} else if v.IsObject() && !v.Get("_type").Exists() {
		l.putObject(v, name+"/", 1)
	}
}

// configItem takes a setting that is written as JSON.
func (c *collector) configItem(from, name, text string) {
	if !gjson.Valid(text) {
		return
	}
	if v := gjson.Parse(text); v.IsObject() {
		c.setJSON(from, v, name+".", 1)
	} else if !v.IsArray() {
		c.set(from, name, v.Value())
	}
}

// isSummary reports whether it is W&B's summary, which holds the last value of each metric.
func isSummary(f candidate) bool { return f.name() == "wandb-summary.json" }

// readSummary remembers a summary: it is read only where the run has no other log of W&B.
func readSummary(_ context.Context, c *collector, f candidate) error {
	c.summaries = append(c.summaries, f)
	return nil
}

// lastValues reads a summary as a log of one row.
func (c *collector) lastValues(f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxConfig))
	if err != nil {
		return errors.New(trouble(err))
	}
	o, ok := parseObject(bytes.TrimSpace(text))
	if !ok {
		return errors.New("is not JSON")
	}
	l := c.newLog(f, "wandb summary")
	l.note("holds the last value of each metric and no history: keep run-ID.wandb, or export the run's history")
	l.putObject(o, "", 0)
	l.end()
	return c.keep(l)
}
