// Package measure holds the formulas by which a training run is judged: rates and agreement
// of judges, divergences between policies, the fit of over-optimisation, trends of series,
// and what can be measured of texts without a model. Numbers go in, numbers come out;
// nothing is read or written, and nothing of chance is left: what resamples takes a seed.
//
// The conventions, the same everywhere:
//
//   - An Interval covers 95 %. What has a source in the literature names it.
//   - What is not defined for its input is NaN, never 0: the share of nothing, the kappa of
//     raters that know one word, the correlation with a constant. A value that is defined
//     while its spread is not (one prompt, say) has NaN for Low and High.
//   - NaN among the input makes the output NaN. Infinities do too where they enter a sum.
//   - Functions that can fail for more than one reason return an error that says which.
//   - Slices that belong together must have one length; that they have is the caller's
//     business, and a panic where it is not.
//
// Everything here takes observations for independent unless its comment says otherwise.
// Steps of one run are not: see Rising.
package measure
