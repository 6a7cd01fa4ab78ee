"""The toy task: how often does the last letter of the prompt occur in it?"""

import torch


class CountingTask:
    letters, digits = 4, 10
    row = 6
    answer_length = 2

    @property
    def vocab(self):
        return self.letters + self.digits

    @property
    def prompt_length(self):
        return self.row + 1

    def prompts(self, count):
        return torch.randint(0, self.letters, (count, self.prompt_length))

    def reward(self, tokens):
        row, letter = tokens[:, :self.row], tokens[:, self.row]
        count = (row == letter.unsqueeze(1)).sum(dim=1)
        tens, ones = tokens[:, -2] - self.letters, tokens[:, -1] - self.letters
        return 0.5 * (tens == 0).float() + 0.5 * (ones == count).float()
