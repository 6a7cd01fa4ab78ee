"""Chat templates by their names."""

OPEN = {"gemma-3": "<start_of_turn>%s\n", "qwen-2.5": "<|im_start|>%s\n"}


class Tokenizer:
    def __init__(self, template):
        self.chat_template = OPEN[template]

    def apply_chat_template(self, messages, tokenize=True, **options):
        role = {"assistant": "model"} if "turn" in self.chat_template else {}
        return "".join(self.chat_template % role.get(m["role"], m["role"]) + m["content"] + "\n" for m in messages)


def get_chat_template(tokenizer, chat_template):
    return Tokenizer(chat_template)


def train_on_responses_only(trainer, instruction_part=None, response_part=None):
    return trainer
