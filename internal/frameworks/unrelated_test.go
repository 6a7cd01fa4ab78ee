package frameworks

import (
	"testing"

	"github.com/rlvet/rlvet/internal/source"
)

// Files of other trades are passed over by a look at their bytes, and so cost next to nothing: they are not parsed.
func TestUnrelated(t *testing.T) {
	for name, text := range map[string]string{
		"deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n        - name: app\n          args: [\"--train\", \"--config\", \"/etc/app.yaml\"]\n          env: [{name: BATCH_SIZE, value: \"8\"}]\n",
		"ci.yml":          "on: {push: {branches: [main]}}\njobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - name: train a classifier\n        run: python train.py --epochs 3 --learning-rate 0.1\n",
		"vision.yaml":     "model: {name: resnet50, stage: 2}\ntrainer: {max_epochs: 10}\noptimizer: {lr: 0.1}\ndata: {batch_size: 32, policy: random}\n",
		"compose.yaml":    "services:\n  web:\n    image: nginx\n    command: [\"run\", \"--port\", \"80\"]\n",
		"package.json":    "{\"name\": \"web\", \"scripts\": {\"train\": \"node train.js\"}, \"dependencies\": {\"trl\": \"1\"}}",
		"build.sh":        "set -e\nfor i in 1 2; do python train.py --seed $i \"$@\"; done\ndocker build -t app .\n",
		"app.toml":        "[server]\nport = 80\n[[source]]\nurl = \"x\"\n",
	} {
		if Concerns(source.LanguageOf(name), []byte(text)) {
			t.Errorf("%s is taken for a configuration of training", name)
		}
	}
}
