package read

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The benchmarks read a log of SIZE megabytes, 16 by default, and report the peak of resident
// memory. The numbers in docs/benchmarks/audit.md come of
//
//	SIZE=2048 go test ./internal/audit/read -run - -bench JSONLines -benchtime 1x
//	SIZE=1024 go test ./internal/audit/read -run - -bench Events -benchtime 1x

func BenchmarkJSONLines(b *testing.B) {
	benchmark(b, "log.jsonl", func(w io.Writer, step int64) {
		fmt.Fprintf(w, `{"step": %d, "epoch": %.4f, "reward": %.6f, "reward_std": 0.25, "kl": %.8f, "loss": 0.000123, "grad_norm": 1.2345, "learning_rate": 1e-06, "completions/mean_length": 183.25, "completions/clipped_ratio": 0.03125, "frac_reward_zero_std": 0.125, "entropy": 0.75, "rewards/len/mean": %.6f, "step_time": 12.5}`+"\n",
			step, float64(step)/1000, math.Sin(float64(step)), float64(step)/1e9, math.Cos(float64(step)))
	})
}

func BenchmarkEvents(b *testing.B) {
	tags := []string{"train/reward", "train/kl", "train/loss", "train/grad_norm", "train/completions/mean_length", "train/entropy", "train/learning_rate", "train/reward_std"}
	benchmark(b, "events.out.tfevents.1700000000.host", func(w io.Writer, step int64) {
		for i, tag := range tags {
			w.Write(record1(event(step, tag, float32(step)+float32(i))))
		}
	})
}

func BenchmarkCSV(b *testing.B) {
	benchmark(b, "progress.csv", func(w io.Writer, step int64) {
		if step == 0 {
			io.WriteString(w, "time/total_timesteps,rollout/ep_rew_mean,train/approx_kl,train/clip_fraction\n")
		}
		fmt.Fprintf(w, "%d,%.6f,%.6f,0.125\n", step*2048, math.Sin(float64(step)), 0.01)
	})
}

// benchmark reads a file of rows.
func benchmark(b *testing.B, name string, row func(io.Writer, int64)) {
	size, err := strconv.ParseInt(os.Getenv("SIZE"), 10, 64)
	if err != nil {
		size = 16
	}
	dir := b.TempDir()
	n := generate(b, filepath.Join(dir, name), size<<20, row)
	b.SetBytes(n)
	b.ResetTimer()
	for b.Loop() {
		r, err := Run(context.Background(), dir, Options{})
		if err != nil || len(r.Series) < 3 {
			b.Fatal(len(r.Series), err)
		}
	}
	b.ReportMetric(peak(b), "MB-peak")
}

// generate writes rows until the file is large enough.
func generate(b *testing.B, path string, size int64, row func(io.Writer, int64)) int64 {
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	w := bufio.NewWriterSize(file, 1<<20)
	for step := int64(0); ; step++ {
		row(w, step)
		if step%4096 == 0 {
			if at, err := file.Seek(0, io.SeekCurrent); err != nil {
				b.Fatal(err)
			} else if at >= size {
				break
			}
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// peak returns the peak of resident memory of this process in megabytes, 0 where the system
// does not say.
func peak(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Log("the peak of memory is not known here: ", err)
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kb, _ := strconv.ParseFloat(strings.Fields(after)[0], 64)
	return kb / 1024
}
