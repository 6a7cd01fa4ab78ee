package names

import "github.com/rlvet/rlvet/internal/audit/record"

// unsigned is how Baselines, Stable-Baselines3, CleanRL and Spinning Up count clipped ratios.
const unsigned = "|ratio - 1| above the clip range, whatever the sign of the advantage: larger than what the clip cut off"

// Meanings that several trainers share.
var (
	policyLoss        = Meaning{Quantity: record.PolicyLoss, Unit: record.Plain}
	valueLoss         = Meaning{Quantity: record.ValueLoss, Unit: record.Plain}
	learningRate      = Meaning{Quantity: record.LearningRate, Unit: record.Plain}
	explainedVariance = Meaning{Quantity: record.ExplainedVariance, Unit: record.Plain}
	klCoefficient     = Meaning{Quantity: record.KLCoefficient, Unit: record.Plain}
	episodeLength     = Meaning{Quantity: record.Length, Unit: record.Steps}
	evaluationLength  = Meaning{Quantity: record.Length, Unit: record.Steps, Evaluation: true}
	actionEntropy     = Meaning{Quantity: record.Entropy, Unit: record.NatsPerToken, Basis: "mean over actions"}
	unsignedClipping  = Meaning{Quantity: record.ClipFraction, Unit: record.Share, Basis: unsigned}
)
