package read

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of tensors that hold one number.
const (
	typeFloat    = 1
	typeDouble   = 2
	typeInt32    = 3
	typeInt64    = 9
	typeBfloat16 = 14
	typeHalf     = 19
)

// Fields of a TensorProto.
const (
	tensorType    = 1
	tensorShape   = 2
	tensorContent = 4
	tensorHalf    = 13
	tensorString  = 8
	tensorFloat   = 5
	tensorDouble  = 6
	tensorInt     = 7
	tensorInt64   = 10
)

// scalarTensor returns the number of a tensor that holds one.
func scalarTensor(message []byte) (float64, bool) {
	var kind uint64
	var content []byte
	value, found, single := 0.0, false, true
	err := fields(message, func(f field) error {
		switch f.number {
		case tensorType:
			kind = f.bits
		case tensorShape:
			single = elements(f.bytes) == 1
		case tensorContent:
			content = f.bytes
		case tensorFloat, tensorDouble, tensorInt, tensorInt64, tensorHalf:
			value, found = listed(f, kind)
		}
		return nil
	})
	if err != nil || !single {
		return 0, false
	}
	if len(content) > 0 {
		return stored(content, kind)
	}
	return value, found
}

// elements multiplies the sizes of a shape; a shape without any is that of a number.
func elements(shape []byte) uint64 {
	n := uint64(1)
	fields(shape, func(dimension field) error {
		if dimension.number != 2 {
			return nil
		}
		size := uint64(0)
		fields(dimension.bytes, func(f field) error {
			if f.number == 1 {
				size = f.bits
			}
			return nil
		})
		n *= size
		return nil
	})
	return n
}

// listed returns the one number of a repeated field, packed or not.
func listed(f field, kind uint64) (float64, bool) {
	if f.kind == protowire.BytesType {
		switch f.number {
		case tensorFloat, tensorDouble:
			return stored(f.bytes, kind)
		}
		v, n := protowire.ConsumeVarint(f.bytes)
		if n < 0 || n != len(f.bytes) {
			return 0, false
		}
		f.bits = v
	}
	switch f.number {
	case tensorFloat, tensorDouble:
		return f.float(), true
	case tensorHalf:
		return half(uint16(f.bits), kind), true
	}
	return float64(int64(f.bits)), true
}

// stored reads a number as it lies in memory.
func stored(b []byte, kind uint64) (float64, bool) {
	switch {
	case kind == typeFloat && len(b) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case kind == typeDouble && len(b) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	case kind == typeInt32 && len(b) == 4:
		return float64(int32(binary.LittleEndian.Uint32(b))), true
	case kind == typeInt64 && len(b) == 8:
		return float64(int64(binary.LittleEndian.Uint64(b))), true
	case (kind == typeHalf || kind == typeBfloat16) && len(b) == 2:
		return half(binary.LittleEndian.Uint16(b), kind), true
	}
	return 0, false
}

// half widens the two formats of 16 bits.
func half(bits uint16, kind uint64) float64 {
	if kind == typeBfloat16 {
		return float64(math.Float32frombits(uint32(bits) << 16))
	}
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 31:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}
