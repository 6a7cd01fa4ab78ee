package frameworks

import (
	"testing"

	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// No text makes reading fail but by an error, and no span lies outside of the text.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"python -m verl.trainer.main_ppo a=1 \\\n  algorithm.adv_estimator=grpo $X \"${A[@]}\"\n",
		"A=(--n 3)\nf() { swift rlhf --rlhf_type $1 \"$@\"; }\nf grpo \"${A[@]}\"\ncat > x.yaml <<EOF\nstage: dpo\nfinetuning_type: $T\nEOF\n",
		"read -r -d '' C <<EOF\nopenrlhf.cli.train_dpo \\\n --lr é\nEOF\ndeepspeed --module $C\nbash -c \"trl grpo --beta $((1*2))\"\n",
		"a: &a {b: 1}\nc: {<<: *a, algorithm: ${a.b}}\n---\nstage: sft\nfinetuning_type: [é, \"x\"]\n",
		"seq_len = 4\n[[orchestrator.train.source]]\ngroup_size = 1\n[orchestrator]\ngroup_size = 2 # é\nx = [{ a = 1 }, { a = \"\"\"é\n\"\"\" }]\n",
		"{\"stage\": \"dpo\", // c\n \"finetuning_type\": 1}",
	} {
		for language := range uint8(4) {
			f.Add(language, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, language uint8, text []byte) {
		if len(text) > 1<<14 {
			t.Skip("longer than what a mutation needs to show a mistake of positions")
		}
		runs, _, _ := Read([]source.Language{source.YAML, source.JSON, source.Shell, source.TOML}[language%4], text, nil)
		for _, r := range runs {
			for _, s := range r.given {
				for _, at := range []runconf.Span{s.At, s.From} {
					if at.Start < 0 || at.End < at.Start || at.End > len(text) {
						t.Errorf("%s: span %v of %d bytes", s.Key, at, len(text))
					}
				}
			}
			for i := range r.Check {
				if h, ok := r.hit(&r.Check[i]); ok {
					h.Say(h.Headline)
				}
			}
		}
	})
}
