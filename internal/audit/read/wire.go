package read

import (
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message of Protocol Buffers.
type field struct {
	number protowire.Number
	kind   protowire.Type
	bits   uint64 // of a number
	bytes  []byte // of a string, a message, or packed numbers
}

var errWire = errors.New("is not a message")

// fields calls visit for each field of a message.
func fields(message []byte, visit func(field) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errWire
		}
		message = message[n:]
		f := field{number: number, kind: kind}
		switch kind {
		case protowire.VarintType:
			f.bits, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			f.bits = uint64(v)
		case protowire.Fixed64Type:
			f.bits, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return errWire
		}
		message = message[n:]
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// float returns a number that is stored in 4 or 8 bytes.
func (f field) float() float64 {
	if f.kind == protowire.Fixed32Type {
		return float64(math.Float32frombits(uint32(f.bits)))
	}
	return math.Float64frombits(f.bits)
}
