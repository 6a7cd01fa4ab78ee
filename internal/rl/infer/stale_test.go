package infer_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

// A trainer of a library asks for the loss with gradients on, though the program
// itself is only seen to do so without.
func TestHooksStay(t *testing.T) {
	res := evaluate(t, `
import torch
from transformers import Trainer


class Mine(Trainer):
    def prediction_step(self, model, inputs):
        with torch.no_grad():
            return self.compute_loss(torch.nn.Linear(4, 2), inputs)

    def compute_loss(self, model, inputs):
        return torch.nn.Linear(4, 2)(torch.randn(8, 4)).mean()
`)
	var grads []domain.Grad
	for _, f := range res.Frames {
		if f.Func != nil && f.Func.Name() == "compute_loss" && !f.Stale() {
			grads = append(grads, f.Result.Q.Grad)
		}
	}
	if len(grads) != 2 || grads[0] == grads[1] {
		t.Errorf("the loss is evaluated %d times, with gradients %v: want once with and once without", len(grads), grads)
	}
}
