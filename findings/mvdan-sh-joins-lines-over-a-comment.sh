#!/usr/bin/env bash
# mvdan.cc/sh v3.14.1 (Go, the parser of shfmt) and bash 5.2 disagree about a continued command with a line that is commented out in its middle and keeps
# its backslash. To bash the comment ends the command, and the rest is a command of its own; a backslash in a comment continues nothing. The
# parser makes one command of all: what it prints and what it counts differs from what bash runs.
# Seen: bash passes two arguments and then looks for a command `--c`; the parser sees one statement with four arguments.
#
# Needs bash and Go 1.24 or newer.
set -euo pipefail
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp" && rm -rf "$tmp"' EXIT
cd "$tmp"
printf '%s\n' 'count() { echo "arguments: $#"; }' 'count --a 1 \' '  # --b 2 \' '  --c 3' >launch.sh
bash --version | head -1
bash launch.sh >bash.out 2>bash.err || true
cat bash.out bash.err

cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"mvdan.cc/sh/v3/syntax"
)

func main() {
	src, err := os.Open("launch.sh")
	if err != nil {
		panic(err)
	}
	file, err := syntax.NewParser().Parse(src, "launch.sh")
	if err != nil {
		panic(err)
	}
	last := file.Stmts[len(file.Stmts)-1].Cmd.(*syntax.CallExpr)
	fmt.Println("statements:", len(file.Stmts), "arguments of the last:", len(last.Args)-1)
}
GO
go mod init finding >/dev/null 2>&1
go get mvdan.cc/sh/v3@v3.14.1 >/dev/null 2>&1
go run . | tee parser.out

grep -qx 'arguments: 2' bash.out
grep -q -- '--c: command not found' bash.err
grep -qx 'statements: 2 arguments of the last: 4' parser.out
