package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTorchIsNotImportedToAskForIt: that takes a second, and the version stands in a file. It is imported where nothing else says
// its version; one that is there and cannot be imported is left to the program, which is told why.
func TestTorchIsNotImportedToAskForIt(t *testing.T) {
	python := anyPython(t).Path
	const broken = "raise ImportError('libtorch.so cannot be opened')\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		gpus  []string
	}{
		{"its version is read", map[string]string{"torch/__init__.py": broken, "torch/version.py": "from typing import Optional\n__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n"}, "2.6.0+cpu", []string{}},
		{"it says nothing of CUDA", map[string]string{"torch/__init__.py": "__version__ = '0.4'\nclass cuda:\n    device_count = int\n", "torch/version.py": "__version__ = '0.3'\n"}, "0.4", []string{}},
		{"a module", map[string]string{"torch.py": "__version__ = '1.0'\nclass cuda:\n    device_count = int\n"}, "1.0", []string{}},
		{"it has no version and cannot be imported", map[string]string{"torch/__init__.py": broken}, "", []string{}},
		{"it sees two GPUs", map[string]string{"torch.py": "__version__ = '1.0'\nclass cuda:\n    device_count = lambda: 2\n    get_device_name = 'GPU {}'.format\n"}, "1.0", []string{"GPU 0", "GPU 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PYTHONPATH", dir)
			p, err := FindPython(t.Context(), python, "")
			if err != nil {
				t.Fatal(err)
			}
			if p.Torch != c.want || !cmp.Equal(p.Devices, c.gpus) {
				t.Errorf("torch %q with the GPUs %q, want %q with %q", p.Torch, p.Devices, c.want, c.gpus)
			}
		})
	}
}
