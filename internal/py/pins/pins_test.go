package pins

import "testing"

func TestCompare(t *testing.T) {
	ordered := []string{"1.9", "1.13", "1.13.1", "2", "2.0.1", "2.10"}
	for i, a := range ordered {
		for j, b := range ordered {
			if got := Compare(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("Compare(%s, %s) = %d", a, b, got)
			}
		}
	}
	if Compare("2", "2.0.0") != 0 {
		t.Error("missing parts are not 0")
	}
}

func TestIn(t *testing.T) {
	for _, c := range []struct {
		file, text, pkg string
		want            Pin
	}{
		{"requirements.txt", "trl==0.17.0\n", "trl", Pin{"0.17.0", true}},
		{"requirements.txt", "trl>=0.17\ntrlx==9\n", "trl", Pin{"0.17", false}},
		{"requirements.txt", "my-trl==1\n", "trl", Pin{}},
		{"pyproject.toml", "dependencies = [\"trl[vllm]~=0.20\"]\n", "trl", Pin{"0.20", false}},
		{"uv.lock", "name = \"stable-baselines3\"\nversion = \"2.6.0\"\n", "stable-baselines3", Pin{"2.6.0", true}},
	} {
		if got := In(c.file, c.text, c.pkg); got != c.want {
			t.Errorf("%s %q: %v, want %v", c.file, c.text, got, c.want)
		}
	}
}
