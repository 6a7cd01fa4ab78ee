package words

import "testing"

func TestWords(t *testing.T) {
	for _, c := range [][2]string{
		{Count(1, "finding"), "1 finding"}, {Count(0, "finding"), "0 findings"}, {Count(int64(2), "finding"), "2 findings"},
		{CountOf(1, "entry", "entries"), "1 entry"}, {CountOf(3, "entry", "entries"), "3 entries"},
		{Percent(0.95), "95 %"}, {Percent(0.0491), "4.9 %"}, {Percent(0.00029), "0.029 %"}, {Percent(1), "100 %"}, {Percent(0), "0 %"},
		{And(nil), ""}, {And([]string{"a"}), "a"}, {And([]string{"a", "b"}), "a and b"}, {And([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
