package harness

import "encoding/json"

// hear takes an event.
func (pr *process) hear(e Event) {
	e.Seed = pr.unit.Seed
	switch e.Kind {
	case "hello":
		if e.Process != "" {
			pr.run.Children = append(pr.run.Children, Child{e.Process, e.Own})
		}
	case "versions":
		if e.Torch != "" {
			pr.run.Torch, pr.run.Device = e.Torch, e.Device
		}
	case "crash":
		if e.Process == "" || pr.run.Crash == nil {
			pr.run.Crash = &Crash{e.Type, e.Message, e.Traceback}
		}
	case "note":
		pr.run.Notes = append(pr.run.Notes, Note{e.Instrument, e.What, e.Process, e.Body})
	case "over":
		select {
		case pr.over <- e.Status:
		default:
		}
	case "bye":
		pr.hearGoodbye(e)
	default:
		if e.ID != nil && pr.told[*e.ID] != nil {
			pr.told[*e.ID].hear(e)
		}
	}
	pr.tell(e)
}

// hearGoodbye takes the end of a process. Ranks step together, so that steps are those of
// one; where the first process computes no loss, those of a child stand for the run.
func (pr *process) hearGoodbye(e Event) {
	if e.Process == "" {
		pr.ended, pr.run.Status = true, e.Status
	}
	pr.run.Steps, pr.run.PeakMemory = max(pr.run.Steps, e.Steps), max(pr.run.PeakMemory, e.RSS)
	pr.run.EnvironmentSteps += e.EnvironmentSteps
	if len(e.Losses) > 0 && (pr.run.Losses == nil || e.Process <= pr.lossesOf) {
		pr.run.Losses, pr.lossesOf = e.Losses, e.Process
	}
	if pr.run.Nonfinite == nil && len(e.Nonfinite) > 0 && string(e.Nonfinite) != "null" {
		pr.run.Nonfinite = new(Nonfinite)
		json.Unmarshal(e.Nonfinite, pr.run.Nonfinite)
	}
}
