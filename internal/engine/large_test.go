package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of 50 MB is no configuration that people write: it is not read, whoever names it.
func TestLargeConfigurations(t *testing.T) {
	root := t.TempDir()
	large := filepath.Join(root, "large.yaml")
	script := filepath.Join(root, "run.sh")
	for path, text := range map[string]string{
		filepath.Join(root, "setup.py"): "", large: "algorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {n: 1}}\n",
		script: "python3 -m verl.trainer.main_ppo --config-path=. --config-name=large algorithm.adv_estimator=grpo\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(large, 50<<20); err != nil {
		t.Fatal(err)
	}
	_, o := project(t, "", groups)
	res := check(t, []string{large, script}, o)
	if len(res.Findings) > 0 || len(res.Problems) != 1 || !strings.Contains(res.Problems[0].Message, "larger than") {
		t.Errorf("named: findings %v, problems %v", res.Findings, res.Problems)
	}
	o.Named = map[string]bool{} // both were found in a folder
	if res := check(t, []string{large, script}, o); len(res.Findings)+len(res.Problems) > 0 {
		t.Errorf("found: findings %v, problems %v", res.Findings, res.Problems)
	}
}
