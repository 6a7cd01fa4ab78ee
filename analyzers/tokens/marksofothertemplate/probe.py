"""TOK060: whether the marks stand in what the tokenizer's template writes."""

from rlvet_harness import Probe

CHAT = [{"role": "user", "content": "Question?"}, {"role": "assistant", "content": "Answer."}]


class MarksOfOtherTemplate(Probe):
    """Writes a chat with the trainer's tokenizer."""

    enough = 1
    needs = "marks, and a chat as the tokenizer writes it"

    def hit(self, hit):
        trainer = hit.part("arg0", "trainer")
        tokenizer = getattr(trainer, "processing_class", None) or getattr(trainer, "tokenizer", None) or hit.part("tokenizer")
        text = tokenizer.apply_chat_template(CHAT, tokenize=False)
        there = False
        for name in ("instruction_part", "response_part", "response_template"):
            mark = hit.part(name)
            if mark is not None and mark.strip() not in text:
                self.confirm("%r is not in a chat as the tokenizer writes it" % mark)
            there = there or mark is not None
        if there:
            self.upheld()

    def holds(self):
        return "the marks stand in chats as the tokenizer writes them"
