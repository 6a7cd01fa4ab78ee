package report

import (
	"encoding/xml"
	"io"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/vet"
)

// JUnit writes test results, which every CI server shows: a file is a suite, and a
// finding a test that failed, except that a note is one that passed, and said something. Where nothing was found there is one test, which passed,
// since servers take a report without tests for a mistake.
type JUnit struct{}

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	File    string       `xml:"file,attr,omitempty"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Out     string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// Write writes the report.
func (JUnit) Write(w io.Writer, r *vet.Result) error {
	out := junitReport{Name: "rlvet"}
	for _, x := range r.Problems {
		if x.Fatal {
			out.add(x.File, junitCase{Name: "rlvet", Error: &junitResult{"not checked: " + printable(x.Message), "error", x.Place() + ": " + printable(x.Message)}})
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		out.add(f.Range.File, junitTest(f))
	}
	if len(out.Suites) == 0 {
		out.add("rlvet", junitCase{Name: "rlvet"})
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(data)+"\n")
	return err
}

func junitTest(f *finding.Finding) junitCase {
	c := junitCase{Name: f.Code + " " + f.Name + " at " + place(f.Range)[len(f.Range.File)+1:]}
	text := printable(place(f.Range)) + ": " + f.Code + " " + oneLine(f.Line()) + " (" + f.URL + ")"
	if f.Severity == finding.Note {
		c.Out = text
	} else {
		c.Failure = &junitResult{Message: oneLine(f.Line()), Type: string(f.Severity), Text: text}
	}
	return c
}

// add adds a test to the suite of its file. Files come one after the other, except
// that one may have both problems and findings.
func (r *junitReport) add(file string, c junitCase) {
	c.Class, c.File = printable(file), printable(file)
	at := len(r.Suites) - 1
	for i := range r.Suites {
		if r.Suites[i].Name == c.Class {
			at = i
		}
	}
	if at < 0 || r.Suites[at].Name != c.Class {
		r.Suites = append(r.Suites, junitSuite{Name: c.Class})
		at = len(r.Suites) - 1
	}
	s := &r.Suites[at]
	s.Cases = append(s.Cases, c)
	s.Tests, r.Tests = s.Tests+1, r.Tests+1
	if c.Failure != nil {
		s.Failures, r.Failures = s.Failures+1, r.Failures+1
	}
	if c.Error != nil {
		s.Errors, r.Errors = s.Errors+1, r.Errors+1
	}
}
