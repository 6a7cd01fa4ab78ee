"""A small stand-in for unsloth: models without weights, tokenizers that write chats."""

from .chat_templates import Tokenizer


class FastLanguageModel:
    @staticmethod
    def from_pretrained(model_name, **options):
        return object(), Tokenizer("gemma-3" if "gemma" in model_name else "qwen-2.5")
