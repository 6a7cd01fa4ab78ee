"""A small stand-in for peft: models with named adapters."""


class LoraConfig:
    def __init__(self, **options):
        pass


class PeftModel:
    def __init__(self, model):
        self.model, self.peft_config = model, {"default": LoraConfig()}

    @classmethod
    def from_pretrained(cls, model, path, is_trainable=False):
        return cls(model)

    def merge_and_unload(self):
        return self.model

    def parameters(self):
        return self.model.parameters()
