package read

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// The file under testdata/wandb was written by W&B's own writer of its log (the Go code of
// wandb 0.21's core, messages by Python's protobuf): 20 rows of train/reward = 0.1*i and
// train/kl = 0.001*i*i at step 10*i, keys and nested keys by turns, a text of 70,000 letters that
// crosses blocks, a NaN, a table.
func TestWandb(t *testing.T) {
	r := run(t, "testdata/wandb", Options{})
	for i, p := range series(t, r, "train/reward").Points {
		if p.Step != int64(10*i) || !near(p.Value, float64(i)*0.1) {
			t.Errorf("%d: %+v", i, p)
		}
	}
	if s := series(t, r, "train/kl"); len(s.Points) != 20 {
		t.Errorf("%+v", s)
	}
	if s := series(t, r, "train/grad_norm"); s.NonFinite != 1 || s.FirstNonFinite != 30 {
		t.Errorf("%+v", s)
	}
	want := map[string]any{"beta": 0.04, "num_iterations": 1.0, "max_completion_length": 512.0, "num_generations": 8.0}
	if diff := cmp.Diff(want, r.Config); diff != "" {
		t.Error(diff)
	}
	if s := r.Sources[0]; s.Bad != 0 || s.Records != 20 {
		t.Errorf("%+v", s)
	}
	if len(r.Unused) != 1 || r.Unused[0].Reason != "holds the last values of the history that was read" {
		t.Errorf("%+v", r.Unused)
	}
}

// TestFolderOfWandbRun: the folder of one run, which is what people have, says the same as the
// one that holds it.
func TestFolderOfWandbRun(t *testing.T) {
	r := run(t, "testdata/wandb/wandb/run-20251122_120000-abc123", Options{})
	if len(r.Unused) != 1 || r.Unused[0].Reason != "holds the last values of the history that was read" {
		t.Errorf("%+v", r.Unused)
	}
}

// TestDamagedWandb: a damaged piece costs its block, the end within a record is said.
func TestDamagedWandb(t *testing.T) {
	log := unpack(t, "testdata/wandb/wandb/run-20251122_120000-abc123/run-abc123.wandb.gz")
	dir := t.TempDir()
	write(t, dir, "run-a.wandb", log[:len(log)-5])
	r := run(t, dir, Options{})
	wantLine(t, r.Sources[0].Notes, "middle of a record")
	if s := series(t, r, "train/reward"); len(s.Points) != 20 {
		t.Errorf("%+v", s)
	}
	damaged := bytes.Clone(log)
	damaged[blockSize+100] ^= 1 // within the long text
	dir = t.TempDir()
	write(t, dir, "run-a.wandb", damaged)
	r = run(t, dir, Options{})
	wantLine(t, r.Sources[0].Notes, "damaged (checksum)")
	if s := series(t, r, "train/reward"); len(s.Points) != 19 || s.Points[18].Step != 190 {
		t.Errorf("the record of step 50 is damaged, others are not: %+v", s.Points)
	}
}

func unpack(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The files under testdata/duckdb were written by DuckDB 1.4 (snappy, zstd), that under
// testdata/hyparquet by hyparquet-writer 0.17: 24 completions of 3 prompts in TRL's columns, two
// reward functions, one of which gave no reward for one completion. Step 20 has conversations
// for prompts and completions.
func TestParquet(t *testing.T) {
	duck, hy := run(t, "testdata/duckdb", Options{}), run(t, "testdata/hyparquet", Options{})
	wantValues(t, duck, "reward", 0, 0, 10, 0.1, 20, 0.2, 30, 0.30000000000000004, 40, 0.4)
	if diff := cmp.Diff(duck.Batches[0], hy.Batches[0]); diff != "" {
		t.Errorf("two writers (-duckdb +hyparquet):\n%s", diff)
	}
	b := duck.Batches[0]
	if b.Step != 10 || b.Total != 24 || len(b.Kept) != 24 || b.Base {
		t.Errorf("%+v", b)
	}
	three := find1(t, b, "answer 3 é")
	if diff := cmp.Diff(map[string]float64{"length_reward": 1.5}, three.Rewards); diff != "" || three.Prompt != "Prompt 0" || *three.Advantage != -9.5 {
		t.Errorf("%+v %s", three, diff)
	}
	if chat := find1(t, duck.Batches[1], "chat 9"); chat.Prompt != "Prompt 1" || duck.Batches[1].Step != 20 {
		t.Errorf("%+v", chat)
	}
}

// find1 returns the completion with a text.
func find1(t *testing.T, b record.Batch, text string) record.Completion {
	t.Helper()
	for _, c := range b.Kept {
		if c.Text == text {
			return c
		}
	}
	t.Fatalf("no completion %q", text)
	return record.Completion{}
}
