package engine

import "bytes"

// A file that names none of these libraries, and no quantity of RL beside numpy,
// holds nothing that a rule could speak of: it is not even parsed. A module that
// a relevant file imports is parsed all the same.
var (
	libraries = [][]byte{
		[]byte("torch"), []byte("gym"), []byte("transformers"), []byte("stable_baselines3"), []byte("pettingzoo"),
		[]byte("import trl"), []byte("from trl"), []byte("vllm"),
	}
	numpyName  = []byte("numpy")
	quantities = [][]byte{
		[]byte("reward"), []byte("advantage"), []byte("logprob"), []byte("log_prob"), []byte("logits"), []byte("episode"),
	}
)

func concernsRL(text []byte) bool {
	return containsAny(text, libraries) || bytes.Contains(text, numpyName) && containsAny(text, quantities)
}

func containsAny(text []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(text, w) {
			return true
		}
	}
	return false
}
