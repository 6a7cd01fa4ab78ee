"""The toy language: a prompt asks where an animal does something, a completion answers.

    prompt      say where the red fox sleeps :
    completion  well , the red fox sleeps in the dark forest . it likes the old barn .

Two kinds of writers made the corpus. The careful ones mostly name what was asked, write a little
more and often begin with "well ,"; the hasty ones mix things up and break off. `gold` says how good
a completion is: we made the language, so we know. No model is ever shown it.
"""

import itertools
import random

ADJECTIVES = "red old small quick quiet young".split()
NOUNS = "fox dog cat hen owl mouse horse frog".split()
VERBS = "sleeps runs hides sings waits plays".split()
PREPOSITIONS = "in by near".split()
LOOKS = "dark green cold".split()
PLACES = "forest river barn garden hill house".split()
WORDS = "say where : the it likes well , .".split() + ADJECTIVES + NOUNS + VERBS + PREPOSITIONS + LOOKS + PLACES

EOS = len(WORDS)  # ends a completion; the models' last output
PAD = len(WORDS) + 1  # fills up what follows EOS; no model can say it
INDEX = {word: index for index, word in enumerate(WORDS)}
PROMPT_LENGTH = 7
MAX_LENGTH = 32  # of a completion, in tokens, EOS included


def encode(words):
    """Indices of words; as many as there are words."""
    return [INDEX[word] for word in words]


def decode(tokens):
    """The words of a completion before its EOS."""
    tokens = list(tokens)
    return [WORDS[token] for token in (tokens[: tokens.index(EOS)] if EOS in tokens else tokens)]


def prompts(rng):
    """All 288 prompts, each a list of PROMPT_LENGTH words, in an order that rng draws."""
    asked = list(itertools.product(ADJECTIVES, NOUNS, VERBS))
    rng.shuffle(asked)
    return [f"say where the {adjective} {noun} {verb} :".split() for adjective, noun, verb in asked]


def place(rng):
    return [rng.choice(PREPOSITIONS), "the", rng.choice(LOOKS), rng.choice(PLACES), "."]


def write(prompt, rng):
    """A completion by a writer of either kind, as a list of words."""
    careful = rng.random() < 0.5
    slip = 0.1 if careful else 0.4
    subject = [rng.choice(kind) if rng.random() < slip else asked for kind, asked in zip((ADJECTIVES, NOUNS, VERBS), prompt[3:6])]
    words = ["well", ","] if careful and rng.random() < 0.5 else []
    words += ["the"] + subject + place(rng)
    if rng.random() < (0.4 if careful else 0.2):
        words += ["it", "likes"] + place(rng)[1:]
    if not careful and rng.random() < 0.3:
        words = words[: rng.randrange(2, len(words) - 1)] + ["."]
    return words


def sentences(words):
    """The words cut behind each full stop; the last may have none."""
    cut = [0] + [index + 1 for index, word in enumerate(words) if word == "."] + [len(words)]
    return [words[start:end] for start, end in zip(cut, cut[1:]) if start < end]


def matches(words, form):
    return len(words) == len(form) and all(word in kind for word, kind in zip(words, form))


ANSWER = [["the"], ADJECTIVES, NOUNS, VERBS, PREPOSITIONS, ["the"], LOOKS, PLACES, ["."]]
REMARK = [["it"], ["likes"], ["the"], LOOKS, PLACES, ["."]]


def gold(prompt, words):
    """How good a completion is, from 0 to 1: the share of what was asked (adjective, noun, verb) that
    its first sentence names, times the share of its words that are of use. Of use are a first
    sentence that is well-formed, and one remark behind it: rambling and repeating is not.
    """
    opening = 2 if words[:2] == ["well", ","] else 0
    said = sentences(words[opening:])
    if not said or not matches(said[0], ANSWER):
        return 0.0
    useful = opening + len(said[0])
    if len(said) > 1 and matches(said[1], REMARK):
        useful += len(said[1])
    named = sum(word == asked for word, asked in zip(said[0][1:4], prompt[3:6]))
    return named / 3 * useful / len(words)


def corpus(asked, count, rng):
    """count pairs of a prompt and what a writer made of it."""
    chosen = [rng.choice(asked) for _ in range(count)]
    return [(prompt, write(prompt, rng)) for prompt in chosen]


if __name__ == "__main__":
    for prompt, words in corpus(prompts(random.Random(0)), 12, random.Random(0)):
        print(f"{gold(prompt, words):.2f}", *prompt, "|", *words)
