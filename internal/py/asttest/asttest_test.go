package asttest_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/py/asttest"
	"github.com/rlvet/rlvet/internal/py/parsetest"
)

func TestDumpShowsWordsAndChildren(t *testing.T) {
	for text, want := range map[string]string{
		"@a\ndef f(b):\n    if c: d\n    else: e(g, *h, i=j)\n": `(FunctionDef "f" Params=(Params List=[(Param "b" PosOrKw)]) Decorators=[(Name "a")] ` +
			`Body=[(If Cond=(Name "c") Then=[(ExprStmt X=(Name "d"))] ` +
			`Else=[(ExprStmt X=(Call Fun=(Name "e") Args=[(Name "g") (Starred X=(Name "h"))] Keywords=[(Keyword "i" Value=(Name "j"))]))])])` + "\n",
		"{**a ** ...}\n": "(ExprStmt X=(Dict Keys=[nil] Values=[(BinOp X=(Name \"a\") ** Y=(Constant Ellipsis))]))\n",
	} {
		if got := asttest.DumpModule(parsetest.Parse(t, text)); got != want {
			t.Errorf("%s is dumped as\n%s\nwant\n%s", text, got, want)
		}
	}
}
