package source

// Most files of a repository have nothing to do with reinforcement learning, and
// parsing them costs twenty times what a look at their bytes costs. ConcernsRL is
// that look. It must never be wrong in one direction: a file in which a rule could
// report has to pass. A rule reports on what inference knows, and inference knows
// a value through one of three things that leave a word in the file:
//
//   - a library whose tables we have, or one that hands out tensors of it: the
//     import names it;
//   - a method or a name that says what a value is where no import does, since
//     the tensor came in as an argument (loss.backward(), old_log_prob): the words
//     of the field;
//   - numpy, which is too common to mean anything alone: it counts together with
//     a word that the numpy twins of the rules need, such as std( or choice(. So
//     does an import of everything, which may bring it along.
//
// What is left is a module without any of these words that computes on values
// passed to it, def f(a, b): return a - b. Alone it holds no quantity that anyone
// could know, so no rule reports in it. Called from a module that passes, it is
// loaded through the import, whatever this test says of it.
//
// All words are found in one pass by an Aho-Corasick automaton over 29 classes
// of bytes: the letters without case, the opening bracket, the star, all others.

// A group says what finding a word means.
type group uint8

const (
	enough  group = 1 << iota // the file passes
	array                     // the file uses numpy
	numeric                   // the file passes if it uses numpy too
)

// concernWords are the words and the reason for each. Case does not matter. A
// blank stands for any byte that is no letter, or the start or end of the file;
// words without blanks at their ends are found within longer ones.
var concernWords = []struct {
	word   string
	group  group
	reason string
}{
	{"torch", enough, "torch, pytorch, torchrl, torchvision: the tables"},
	{" gym", enough, "gym, gymnasium: environments, spaces"},
	{"transformers ", enough, "models and their outputs"},
	{" trl ", enough, "trainers and their configurations"},
	{"tensor", enough, "annotations and names where another module imports torch; tensordict"},
	{"einops", enough, "reshapes of tensors"},
	{"lightning", enough, "hands out tensors, losses, optimizers"},
	{"import accelerate", enough, "wraps optimizers and backward"},
	{"from accelerate", enough, "wraps optimizers and backward"},
	{"deepspeed", enough, "wraps optimizers and backward"},
	{"vllm", enough, "log-probabilities of rollouts"},
	{" verl ", enough, "trainers and their configurations"},
	{"openrlhf", enough, "trainers and their configurations"},
	{"unsloth", enough, "trainers and their configurations"},
	{" rllib", enough, "environments and policies"},
	{"tianshou", enough, "environments and policies"},
	{"stable baselines", enough, "environments, VecNormalize"},
	{"pettingzoo", enough, "environments"},
	{"rlvet", enough, "an annotation or a suppression of ours"},

	{"reward", enough, "kind of value"},
	{" solution str", enough, "what verl's reward functions take"},
	{"advantage", enough, "kind of value"},
	{"logits", enough, "kind of value"},
	{" logit ", enough, "kind of value"},
	{"log prob", enough, "kind of value, method of distributions"},
	{"logprob", enough, "kind of value"},
	{" logp ", enough, "kind of value"},
	{" logps ", enough, "kind of value"},
	{" logpi", enough, "kind of value"},
	{"logpac ", enough, "kind of value, as Baselines calls it"},
	{"q value", enough, "kind of value"},
	{"qvalue", enough, "kind of value"},
	{"td error", enough, "kind of value"},
	{"td target", enough, "kind of value"},
	{"kl div", enough, "kind of value"},
	{"kl coef", enough, "coefficient of a penalty"},
	{"kl penalty", enough, "coefficient of a penalty"},
	{"kl ctl", enough, "coefficient of a penalty"},
	{" ppo", enough, "algorithm; also its configuration"},
	{"grpo", enough, "algorithm; also its configuration"},
	{" rloo", enough, "algorithm; also its configuration"},
	{" dpo ", enough, "algorithm"},
	{" dpoconfig", enough, "configuration of an algorithm"},
	{" dpotrainer", enough, "trainer of an algorithm"},
	{"reinforce", enough, "algorithm; reinforcement learning"},
	{" rlhf", enough, "algorithm"},
	{" gae ", enough, "algorithm"},
	{" critic ", enough, "role"},
	{"rollout", enough, "role"},
	{"episode", enough, "role"},
	{"replay buffer", enough, "role"},
	{"replaybuffer", enough, "role"},
	{"action space", enough, "member of environments"},
	{"observation space", enough, "member of environments"},
	{"env step", enough, "method of environments"},
	{"envs step", enough, "method of environments"},
	{"env reset", enough, "method of environments"},
	{"envs reset", enough, "method of environments"},
	{"num generations", enough, "group size"},
	{" gsm k", enough, "GSM8K, of which patterns read the answers"},
	{"scores ", enough, "what a group of answers gets, without any library"},

	{" nn module", enough, "torch.nn, where another module imports it"},
	{" nn linear", enough, "torch.nn, where another module imports it"},
	{" nn sequential", enough, "torch.nn, where another module imports it"},
	{" nn functional", enough, "torch.nn, where another module imports it"},
	{" nn parameter", enough, "torch.nn, where another module imports it"},
	{" nn init", enough, "torch.nn, where another module imports it"},
	{"def forward", enough, "method of modules"},
	{" relu", enough, "method of tensors"},
	{"backward(", enough, "method of losses"},
	{"zero grad", enough, "method of optimizers"},
	{"no grad", enough, "context of gradients"},
	{"inference mode", enough, "context of gradients"},
	{"requires grad", enough, "member of tensors"},
	{"clip grad", enough, "gradient clipping"},
	{"unsqueeze(", enough, "method of tensors"},
	{" clamp(", enough, "method of tensors"},
	{"softmax", enough, "method of tensors; numpy twins by hand"},
	{"logsumexp", enough, "method of tensors; numpy twins by hand"},
	{"multinomial", enough, "sampling in torch and numpy"},
	{" rsample", enough, "method of distributions"},

	{"numpy", array, "arrays: the numpy twins of rules"},
	{" np ", array, "numpy, where another module imports it"},
	{"import *", array, "numpy may come with it"},

	{"choice(", numeric, "sampling by weights"},
	{"std(", numeric, "normalisation"},
	{"var(", numeric, "normalisation"},
	{"norm(", numeric, "normalisation"},
	{" seed", numeric, "random generators"},
	{"policy", numeric, "role"},
	{"policies", numeric, "role"},
	{" actor", numeric, "role"},
	{" agent", numeric, "role"},
	{"entropy", numeric, "kind of value"},
	{"trajector", numeric, "role"},
	{"minibatch", numeric, "role"},
	{"mini batch", numeric, "role"},
	{"discount", numeric, "discounted sums"},
	{"gamma ", numeric, "discounted sums"},
	{" lam ", numeric, "discounted sums"},
	{"zeros like(", numeric, "what sums over time are written to"},
	{" normal(", numeric, "noise on actions"},
	{" ratio ", numeric, "importance weights"},
	{" ratios ", numeric, "importance weights"},
	{" detach(", numeric, "method of tensors"},
}

// ConcernsRL says whether a rule could report in a program text. It may say yes
// of other files; it must not say no of one that concerns us.
func ConcernsRL(text []byte) bool {
	state, seen := concerns.start, group(0)
	for _, c := range text {
		state = concerns.next[state][byteClasses[c]]
		if found := concerns.found[state]; found != 0 {
			if seen |= found; decides(seen) {
				return true
			}
		}
	}
	return decides(seen | concerns.found[concerns.next[state][blankClass]])
}

// decides says whether groups of words found let a file pass.
func decides(seen group) bool {
	return seen&enough != 0 || seen&(array|numeric) == array|numeric
}

// The classes of bytes: blank, the letters from 1 on, and two marks that words
// contain.
const (
	blankClass   = 0
	bracketClass = 27
	starClass    = 28
	classes      = 32 // rounded up, so that the automaton indexes by shifting
)

// byteClasses maps bytes to classes.
var byteClasses = func() (table [256]uint8) {
	for c := range 26 {
		table['a'+c], table['A'+c] = uint8(1+c), uint8(1+c)
	}
	table['('], table['*'] = bracketClass, starClass
	return table
}()

// An automaton finds words in one pass.
type automaton struct {
	start uint16
	next  [][classes]uint16
	found []group // what ends in each state
}

// concerns finds concernWords.
var concerns = newAutomaton()

// newAutomaton builds the automaton of concernWords: first the tree of all
// words, then, breadth first, the transitions that a failed match leaves by.
func newAutomaton() *automaton {
	a := &automaton{next: make([][classes]uint16, 1), found: make([]group, 1)}
	for _, w := range concernWords {
		a.insert(w.word, 0, w.group)
	}
	fail := make([]uint16, len(a.next))
	queue := []uint16{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for class := range classes {
			child := a.next[state][class]
			switch {
			case child == 0 && state != 0:
				a.next[state][class] = a.next[fail[state]][class]
			case child != 0:
				if state != 0 {
					fail[child] = a.next[fail[state]][class]
				}
				a.found[child] |= a.found[fail[child]]
				queue = append(queue, child)
			}
		}
	}
	a.start = a.next[0][blankClass]
	return a
}

// insert adds what is left of a word below a state. A blank stands for the two
// marks too.
func (a *automaton) insert(word string, state uint16, g group) {
	if word == "" {
		a.found[state] |= g
		return
	}
	class := byteClasses[word[0]]
	a.insert(word[1:], a.child(state, class), g)
	if word[0] == ' ' {
		a.insert(word[1:], a.child(state, bracketClass), g)
		a.insert(word[1:], a.child(state, starClass), g)
	}
}

// child returns the state after a class of bytes, a new one if need be.
func (a *automaton) child(state uint16, class uint8) uint16 {
	if a.next[state][class] == 0 {
		a.next[state][class] = uint16(len(a.next))
		a.next = append(a.next, [classes]uint16{})
		a.found = append(a.found, 0)
	}
	return a.next[state][class]
}
