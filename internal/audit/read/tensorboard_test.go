package read

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
)

// The files under testdata/torch were written by torch.utils.tensorboard.SummaryWriter of
// torch 1.13 with the protocol buffers of tensorboard:
//
//	simple  add_scalar("train/reward", 0.1*i, 10*i) and ("train/kl", 0.001*i*i, 10*i), i < 20,
//	        a NaN "train/grad_norm" at 200, a text "args" of JSON and a histogram
//	tensor  the same with new_style=True; "d" with double_precision=True too
//	purged  "a" = i for i < 10; then, with purge_step=5, 100+i for 5 <= i < 8

// TestSummaryWriter: what torch wrote is read bit for bit.
func TestSummaryWriter(t *testing.T) {
	r := run(t, "testdata/torch/simple", Options{})
	for i, p := range series(t, r, "train/reward").Points {
		if want := float64(float32(float64(i) * 0.1)); p.Step != int64(10*i) || p.Value != want {
			t.Errorf("%+v, want %v", p, want)
		}
	}
	kl := series(t, r, "train/kl")
	if last, _ := kl.Last(); len(kl.Points) != 20 || last.Value != float64(float32(0.001*19*19)) {
		t.Errorf("%+v", kl)
	}
	if s := series(t, r, "train/grad_norm"); s.NonFinite != 1 || s.FirstNonFinite != 200 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff(map[string]any{"beta": 0.04}, r.Config); diff != "" {
		t.Errorf("the trainer's arguments, which transformers writes as a text (-want +got):\n%s", diff)
	}
	if s := r.Sources[0]; s.Format != "tensorboard" || s.Bad != 0 || s.Records != 44 {
		t.Errorf("%+v", s)
	}
}

// TestTensors: scalars that are stored as tensors, of 4 and of 8 bytes.
func TestTensors(t *testing.T) {
	r := run(t, "testdata/torch/tensor", Options{})
	for i, p := range series(t, r, "train/reward").Points {
		if want := float64(float32(float64(i) * 0.1)); p.Value != want {
			t.Errorf("%+v, want %v", p, want)
		}
	}
	for i, p := range series(t, r, "d").Points {
		if want := float64(i) * 0.1; p.Value != want {
			t.Errorf("%+v, want %v", p, want)
		}
	}
}

// TestPurge: a second writer said from which step on the first one's values no longer hold.
func TestPurge(t *testing.T) {
	r := run(t, "testdata/torch/purged", Options{})
	wantValues(t, r, "a", 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 105, 6, 106, 7, 107)
	if len(r.Sources) != 2 {
		t.Errorf("%+v", r.Sources)
	}
	wantLine(t, r.Sources[1].Notes, "went back to step 5")
}

// TestDamagedEvents: a flipped bit in the data costs its record, one in a length ends the
// file, and so does the end within a record. Each is said.
func TestDamagedEvents(t *testing.T) {
	whole := event(1, "a", 1)
	file := append(append(append([]byte{}, record1(whole)...), record1(event(2, "a", 2))...), record1(event(3, "a", 3))...)
	size := len(file) / 3
	for _, test := range []struct {
		name   string
		change func([]byte) []byte
		want   []float64
		note   string
	}{
		{"whole", func(b []byte) []byte { return b }, []float64{1, 1, 2, 2, 3, 3}, ""},
		{"data", func(b []byte) []byte { b[size+15] ^= 4; return b }, []float64{1, 1, 3, 3}, "1 record was damaged (checksum)"},
		{"checksum", func(b []byte) []byte { b[2*size-1] ^= 4; return b }, []float64{1, 1, 3, 3}, "1 record was damaged (checksum)"},
		{"length", func(b []byte) []byte { b[size] ^= 4; return b }, []float64{1, 1}, "the length of the record"},
		{"cut", func(b []byte) []byte { return b[:len(b)-3] }, []float64{1, 1, 2, 2}, "middle of a record"},
		{"cut in the head", func(b []byte) []byte { return b[:2*size+5] }, []float64{1, 1, 2, 2}, "middle of a record"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "events.out.tfevents.1700000000.host", test.change(append([]byte{}, file...)))
			r := run(t, dir, Options{})
			wantValues(t, r, "a", test.want...)
			if test.note != "" {
				wantLine(t, r.Sources[0].Notes, test.note)
			} else if len(r.Sources[0].Notes) > 0 {
				t.Error(r.Sources[0].Notes)
			}
		})
	}
}

// TestTensorContent: numbers as TensorFlow stores them, in the types that scalars have.
func TestTensorContent(t *testing.T) {
	tensor := func(kind uint64, content []byte) []byte {
		b := protowire.AppendVarint(protowire.AppendTag(nil, tensorType, protowire.VarintType), kind)
		return protowire.AppendBytes(protowire.AppendTag(b, tensorContent, protowire.BytesType), content)
	}
	for _, test := range []struct {
		kind    uint64
		content []byte
		want    float64
	}{
		{typeFloat, binary.LittleEndian.AppendUint32(nil, math.Float32bits(1.5)), 1.5},
		{typeDouble, binary.LittleEndian.AppendUint64(nil, math.Float64bits(-0.1)), -0.1},
		{typeHalf, []byte{0x00, 0x3c}, 1},
		{typeHalf, []byte{0x01, 0x00}, math.Ldexp(1, -24)},
		{typeHalf, []byte{0x00, 0xfc}, math.Inf(-1)},
		{typeHalf, []byte{0xff, 0x7b}, 65504},
		{typeBfloat16, []byte{0xc0, 0x3f}, 1.5},
		{typeInt64, binary.LittleEndian.AppendUint64(nil, math.MaxUint64), -1},
	} {
		if got, ok := scalarTensor(tensor(test.kind, test.content)); !ok || got != test.want {
			t.Errorf("type %d: %v %v, want %v", test.kind, got, ok, test.want)
		}
	}
	if _, ok := scalarTensor(tensor(typeFloat, make([]byte, 8))); ok {
		t.Error("two numbers are no scalar")
	}
}

// event is an Event with one simple value.
func event(step int64, tag string, value float32) []byte {
	v := protowire.AppendString(protowire.AppendTag(nil, valueTag, protowire.BytesType), tag)
	v = protowire.AppendFixed32(protowire.AppendTag(v, valueSimple, protowire.Fixed32Type), math.Float32bits(value))
	summary := protowire.AppendBytes(protowire.AppendTag(nil, summaryValue, protowire.BytesType), v)
	e := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(1.7e9))
	e = protowire.AppendVarint(protowire.AppendTag(e, eventStep, protowire.VarintType), uint64(step))
	return protowire.AppendBytes(protowire.AppendTag(e, eventSummary, protowire.BytesType), summary)
}

// record1 frames data as TFRecord does.
func record1(data []byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = binary.LittleEndian.AppendUint32(b, masked(b))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, masked(data))
}
