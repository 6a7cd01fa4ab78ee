"""DIST019: compares the entry whose log-probability is read with the drawn token.

Confirmed if one entry belongs to another token, refuted if all belong to the drawn tokens.
"""

from rlvet_harness import Probe

KEPT = 8  # calls of vLLM whose entries are known


class WrongTokenLogprob(Probe):
    """Watches a log-probability that is read from an entry of vLLM's dicts."""

    needs = "entries of calls of vLLM that were seen"

    def __init__(self, target, run):
        super().__init__(target, run)
        self.calls = []  # what each returned, and by the id of an entry: its token, the drawn token and the dict
        self.read = self.wrong = 0

    def generated(self, written):
        entries = {}
        for request in written.out:
            for completion in request.outputs:
                for drawn, dictionary in zip(completion.token_ids, completion.logprobs or ()):
                    for token, entry in dictionary.items():
                        entries[id(entry)] = token, drawn, dictionary
        self.calls = self.calls[1 - KEPT :] + [(written.out, entries)]

    def hit(self, hit):
        entry = hit.part("value")
        for _, entries in self.calls:
            if id(entry) in entries:
                return self.look(*entries[id(entry)])

    def look(self, token, drawn, dictionary):
        self.read += 1
        if token == drawn:
            self.upheld()
            return
        self.wrong += 1
        self.show(read_token=token, drawn_token=drawn, read=dictionary[token].logprob, drawn=dictionary[drawn].logprob)
        self.confirm(
            "the log-probability of another token than the drawn one was read",
            read_token=token, drawn_token=drawn, read=dictionary[token].logprob, drawn=dictionary[drawn].logprob,
        )

    def end(self):
        if self.read < self.hits:
            self.unsure("%d of %d entries came from no observed call of vLLM" % (self.hits - self.read, self.hits))

    def holds(self):
        return "every entry that was read belonged to the drawn token"
