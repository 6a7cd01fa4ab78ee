package infer

import "github.com/rlvet/rlvet/internal/py/cfg"

// Place is something that can be assigned to, by path: x, self.x, batch["logp"].
type Place = cfg.Place
