#!/usr/bin/env bash
# One configuration, three readers: Debian bookworm's PyYAML 6.0 (YAML 1.1), Go's gopkg.in/yaml.v3 v3.0.1, and js-yaml 4.1.0 of npm (YAML 1.2).
# `lr: 1e-4` is text to PyYAML and a number to the other two. `warmup: 010` is 8 to PyYAML and to yaml.v3, and 10 to js-yaml. `use_kl: on` is true to
# PyYAML, and text to js-yaml and to yaml.v3, which does make it true where a bool is asked for. A linter in Go or a form in JavaScript shows another
# run than the one that Python starts.
# Seen: as above.
#
# Needs /usr/bin/python3 with python3-yaml 6.0, Go and npm.
set -euo pipefail
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp" && rm -rf "$tmp"' EXIT
cd "$tmp"
printf '%s\n' 'lr: 1e-4' 'warmup: 010' 'use_kl: on' >run.yaml
/usr/bin/python3 -c 'import yaml; assert yaml.__version__ == "6.0", yaml.__version__; print(list(yaml.safe_load(open("run.yaml")).values()))' | tee python.out

npm install --silent --no-audit --no-fund js-yaml@4.1.0 >/dev/null
node -e 'console.log(JSON.stringify(Object.values(require("js-yaml").load(require("fs").readFileSync("run.yaml", "utf8")))))' | tee js.out

cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"gopkg.in/yaml.v3"
)

func main() {
	text, err := os.ReadFile("run.yaml")
	if err != nil {
		panic(err)
	}
	var loose map[string]any
	var typed struct {
		UseKL bool `yaml:"use_kl"`
	}
	if err := yaml.Unmarshal(text, &loose); err != nil {
		panic(err)
	}
	if err := yaml.Unmarshal(text, &typed); err != nil {
		panic(err)
	}
	fmt.Printf("%#v %#v %#v %v\n", loose["lr"], loose["warmup"], loose["use_kl"], typed.UseKL)
}
GO
go mod init finding >/dev/null 2>&1
go get gopkg.in/yaml.v3@v3.0.1 >/dev/null 2>&1
go run . | tee go.out

grep -qxF "['1e-4', 8, True]" python.out
grep -qxF '[0.0001,10,"on"]' js.out
grep -qxF '0.0001 8 "on" true' go.out
