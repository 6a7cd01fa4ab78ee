package read

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// hold is what must be true of any bytes in a file of a format: they are read or refused with
// one line, nothing panics, memory is bounded by their number, and the series obey their laws.
func hold(t *testing.T, name string, data []byte) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Run(context.Background(), dir, Options{})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > allowance(name, len(data)) {
		t.Fatalf("%d bytes of a file took %d bytes of memory", len(data), used)
	}
	if err != nil {
		if bytes.ContainsRune([]byte(err.Error()), '\n') {
			t.Fatalf("%q", err)
		}
		return
	}
	for _, s := range r.Series {
		lawful(t, s)
	}
}

// allowance is how many bytes of memory the reading of so many bytes may take. A block of snappy
// says how long it unpacks, 4 GB at most, and the library of parquet takes its word.
func allowance(name string, bytes int) uint64 {
	most := uint64(48<<20 + 2000*bytes)
	if filepath.Ext(name) == ".parquet" {
		most += 1 << 32
	}
	return most
}

// lawful reports a series whose steps do not ascend.
func lawful(t *testing.T, s *record.Series) {
	for i, p := range s.Points {
		if p.Step < 0 || p.Value-p.Value != 0 || p.Count < 1 || i > 0 && s.Points[i-1].Step >= p.Step {
			t.Fatalf("%s: point %d is %+v", s.Name, i, p)
		}
	}
}

// fuzzFormat tries a format with seeds.
func fuzzFormat(f *testing.F, name string, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { hold(t, name, data) })
}

func seed(f *testing.F, name string) []byte {
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		f.Fatal(err)
	}
	return data
}

func FuzzEvents(f *testing.F) {
	fuzzFormat(f, "events.out.tfevents.1700000000.host",
		seed(f, "testdata/torch/tensor/events.out.tfevents.1795320315.host.1.0"), record1(event(1, "a", 2)), record1([]byte{0x2a, 0xff, 0xff, 0xff, 0xff, 0x0f}))
}

func FuzzWandb(f *testing.F) {
	fuzzFormat(f, "run-a.wandb", seed(f, "testdata/wandb/wandb/run-20251122_120000-abc123/run-abc123.wandb.gz"), []byte(":W&B\xe1\xbe\x00\x00\x00\x00\x00\x00\x00\x00"))
}

func FuzzParquet(f *testing.F) {
	fuzzFormat(f, "completions_00010.parquet", seed(f, "testdata/hyparquet/completions/completions_00010.parquet"), seed(f, "testdata/duckdb/history.parquet"))
}

func FuzzJSONLines(f *testing.F) {
	fuzzFormat(f, "log.jsonl", []byte(`{"step":1,"data":{"critic/score/mean":null}}`+"\n"), []byte("{\"step\": 3, \"reward\": -Infinity}\n{\"step\": 1, \"reward\": NaN}\n"),
		[]byte(`{"prompt": [{"content": "p"}], "completion": "c", "step": 4, "rewards": {"a": 1}}`), []byte("\xff\xfe{\x00\"\x00s\x00"), []byte(`{"step": 1, "rater": "r", "prompt": "p", "score": 1}`))
}

func FuzzTrainerState(f *testing.F) {
	fuzzFormat(f, "trainer_state.json", []byte(`{"global_step": 2, "log_history": [{"step": 1, "loss": NaN}, {"step": 2, "loss": 1e400}]}`), []byte(`{"log_history": [{"step"`))
}

func FuzzArray(f *testing.F) {
	fuzzFormat(f, "log.json", []byte(`[{"step": 1, "a": {"b": {"c": 1}}}, 5, {"prompt": "p", "completion": "c"}]`))
}

func FuzzTable(f *testing.F) {
	fuzzFormat(f, "progress.csv", []byte("step,reward\n1,2\n2,5%\n"), []byte("Step;\"a - x\";b - y\n1;\"2;3\"\n"), []byte("step,prompt,rater,winner\n1,p,r,win\n"))
}

func FuzzMonitor(f *testing.F) {
	fuzzFormat(f, "0.monitor.csv", []byte("#{\"t_start\": 1.5}\nr,l,t\n1.0,10,0.5\n2.0,20,1.5\n"))
}

func FuzzSettings(f *testing.F) {
	fuzzFormat(f, "config.yaml", []byte("beta:\n  value: 0.1\na: &a [1]\nb: *a\n"))
}

func FuzzHistory(f *testing.F) {
	fuzzFormat(f, "history.json", []byte(`{"step": [1, 2, 3], "reward": [0.5, NaN, 1e400], "kl": [0, 1]}`), []byte(`{"config": {"beta": 0.1}, "history": [{"step": 1, "reward": 0.5}, 7, {"reward": {"mean": 1}}]}`))
}

func FuzzConsole(f *testing.F) {
	fuzzFormat(f, "train.log", []byte("50%|#####\r{'loss': 0.5, 'reward': '1.25', 'kl': nan, 'epoch': 0.1}\nstep:3 - actor/lr:1e-06 - critic/score/mean:np.float64(0.5)\n"), []byte("{'reward': inf}\r\n{'"))
}

func FuzzEvaluations(f *testing.F) {
	fuzzFormat(f, "evaluations.npz", seed(f, "testdata/numpy/evaluations.npz"))
}
