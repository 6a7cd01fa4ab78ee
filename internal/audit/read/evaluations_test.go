package read

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestEvaluations: a file of NumPy 1.24's own savez, as an EvalCallback writes it: what is read
// are means over episodes, which training did not see.
func TestEvaluations(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile("testdata/numpy/evaluations.npz")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "logs/evaluations.npz", data)
	r := run(t, dir, Options{})
	want := []record.Point{{Step: 1000, Value: 2, Count: 1}, {Step: 2000, Value: 5, Count: 1}, {Step: 3000, Value: -1, Count: 1}}
	if s := series(t, r, "results"); !slices.Equal(s.Points, want) || s.Quantity != record.HeldOut || !s.Evaluation {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "ep_lengths"); s.Points[0].Value != 15 || s.Unit != record.Steps {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "successes"); s.Points[0].Value != 0.5 || s.Unit != record.Share {
		t.Errorf("%+v", s)
	}
	if !r.Environment {
		t.Error("there are no texts")
	}
	for n := 0; n < len(data); n += 23 {
		write(t, dir, "logs/evaluations.npz", data[:n])
		Run(t.Context(), dir, Options{}) // a piece of it is no reason to fall over
	}
}

// TestArraysOfNumPy: other types of numbers, and what is not read.
func TestArraysOfNumPy(t *testing.T) {
	array := func(descr, shape, values string) []byte {
		header := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }\n"
		return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header))), header+values...)
	}
	for _, test := range []struct {
		data []byte
		want []float64
		says string
	}{
		{array("<i4", "2,", "\x01\x00\x00\x00\xff\xff\xff\xff"), []float64{1, -1}, ""},
		{array(">i2", "1,", "\x01\x02"), []float64{258}, ""},
		{array("<f4", "1,", "\x00\x00\x80\x3f"), []float64{1}, ""},
		{array("|u1", "1, 2", "\x01\xff"), []float64{1, 255}, ""},
		{array("|O", "1,", "\x80\x04"), nil, "never unpickled"},
		{array("<U8", "1,", "abcdefgh"), nil, "not read"},
		{array("<f2", "1,", "ab"), nil, "not read"},
		{array("<f8", "2,", "12345678"), nil, "unexpected EOF"},
		{array("<f8", "99999999999, 99999999999", ""), nil, "more than"},
		{array("<f8", "0, 4", ""), []float64{}, ""},
		{[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff__"), nil, "unexpected EOF"},
		{[]byte("text"), nil, "no array"},
	} {
		a, err := parseNumpy(test.data)
		if test.says == "" && (err != nil || !slices.Equal(a.values, test.want)) || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%q: %v %v, want %v %s", test.data, a.values, err, test.want, test.says)
		}
	}
}

// TestProgressOfSpinningUp: a table with tabs by the name of a text; a text is none.
func TestProgressOfSpinningUp(t *testing.T) {
	r := run(t, folder(t, "-- progress.txt --\nEpoch\tAverageEpRet\tAverageTestEpRet\tTotalEnvInteracts\tLossPi\n0\t1\t2\t4000\t0.1\n1\t2\t3\t8000\t0.1\n"+
		"-- notes.txt --\nwhat\tI did\non Monday\tnothing\n"), Options{})
	if s := series(t, r, "AverageTestEpRet"); s.Quantity != record.HeldOut || s.Points[1].Step != 8000 || r.Trainer != "spinning up" || len(r.Sources) != 1 {
		t.Errorf("%s: %+v", r.Trainer, s)
	}
}

// TestLongFirstLines: RLlib's result.json is JSON lines whose first is longer than what a file
// is recognised by; a long document of one line is no log.
func TestLongFirstLines(t *testing.T) {
	line := func(step string) string {
		return `{"config": {"path": "` + strings.Repeat("x", 6000) + `"}, "timesteps_total": ` + step + `, "episode_reward_mean": 1.5, "info": {"learner": {"default_policy": {"learner_stats": {"kl": 0.01}}}}}` + "\n"
	}
	dir := folder(t, "-- result.json --\n"+line("4000")+line("8000")+"-- other.json --\n"+line("1"))
	r := run(t, dir, Options{})
	if s := series(t, r, "info/learner/default_policy/learner_stats/kl"); s.Quantity != record.ApproxKL || len(s.Points) != 2 || r.Trainer != "rllib" || len(r.Sources) != 1 {
		t.Errorf("%s: %+v", r.Trainer, s)
	}
}

// TestSettingsOfRLZoo: an OrderedDict of Python, as its dumper writes it.
func TestSettingsOfRLZoo(t *testing.T) {
	r := run(t, folder(t, "-- config.yml --\n!!python/object/apply:collections.OrderedDict\n- - - n_epochs\n    - 4\n  - - policy\n    - MlpPolicy\n"+
		"-- progress.csv --\nstep,reward\n1,2\n2,3\n"), Options{})
	if r.Config["n_epochs"] != 4.0 {
		t.Errorf("%v %v", r.Config, r.Unused)
	}
}

// TestTwoRunsAtOtherSteps: runs that log the same names and never at one step are two all the
// same; the older one is left out whole.
func TestTwoRunsAtOtherSteps(t *testing.T) {
	table := func(first int, metrics string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "time/total_timesteps,rollout/ep_rew_mean,eval/mean_reward%s\n", metrics)
		for i := range 9 {
			fmt.Fprintf(&b, "%d,%d,%d%s\n", first+100*i, i, 2*i, strings.Repeat(",0.5", strings.Count(metrics, ",")))
		}
		return b.String()
	}
	dir := folder(t, "-- sac_1/progress.csv --\n"+table(7, ",train/ent_coef")+"-- ppo_1/progress.csv --\n"+table(0, ",train/approx_kl"))
	age(t, filepath.Join(dir, "sac_1", "progress.csv"), 1)
	r := run(t, dir, Options{})
	if len(r.Sources) != 1 || r.Sources[0].Path != "ppo_1/progress.csv" || len(r.Unused) != 1 || !strings.Contains(r.Unused[0].Reason, "is of another run") {
		t.Errorf("%+v %+v", r.Sources, r.Unused)
	}
}
