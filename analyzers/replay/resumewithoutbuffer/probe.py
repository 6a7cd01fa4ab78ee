"""OFF060: whether the buffer is empty when the loaded model learns on."""

from rlvet_harness import Probe


class ResumeWithoutBuffer(Probe):
    """Looks at the buffer of the loaded model when learn is called."""

    enough = 1
    needs = "a call of learn with a buffer that is not empty"

    def hit(self, hit):
        model, own = hit.value, hit.value.learn

        def learn(*args, **kwargs):
            self.guarded(self.look, model)
            return own(*args, **kwargs)

        model.learn = learn

    def look(self, model):
        """Looks at the buffer of a model that is about to learn."""
        if model.replay_buffer is None or model.replay_buffer.size() == 0:
            self.confirm("learn was called with an empty replay buffer")
        else:
            self.upheld()

    def holds(self):
        return "the buffer held what was seen before"
