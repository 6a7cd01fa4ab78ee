// Package sarif holds the types of SARIF 2.1.0, the Static Analysis Results Interchange
// Format, as far as rlvet writes it.
//
// The names are the standard's, and what is absent has the standard's default.
// Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
// Limits: a reader of other tools' logs needs more.
package sarif

// The version, and where its schema is published.
const (
	Version = "2.1.0"
	Schema  = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
)

type (
	// Log is a file.
	Log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []*Run `json:"runs"`
	}
	// Run is what one run of the tool found. Results are never absent: that would say
	// that nothing was looked for.
	Run struct {
		Tool               Tool                `json:"tool"`
		Invocations        []Invocation        `json:"invocations"`
		OriginalURIBaseIDs map[string]Artifact `json:"originalUriBaseIds,omitempty"`
		ColumnKind         string              `json:"columnKind"`
		Results            []*Result           `json:"results"`
	}
	// Tool is who ran.
	Tool struct {
		Driver Driver `json:"driver"`
	}
	// Driver is the program, with the rules that results refer to.
	Driver struct {
		Name            string `json:"name"`
		FullName        string `json:"fullName"`
		SemanticVersion string `json:"semanticVersion"`
		InformationURI  string `json:"informationUri"`
		Rules           []Rule `json:"rules"`
	}
	// Rule is SARIF's reportingDescriptor.
	Rule struct {
		ID                   string         `json:"id"`
		Name                 string         `json:"name,omitempty"`
		ShortDescription     *Message       `json:"shortDescription,omitempty"`
		FullDescription      *Message       `json:"fullDescription,omitempty"`
		Help                 *Message       `json:"help,omitempty"`
		HelpURI              string         `json:"helpUri,omitempty"`
		DefaultConfiguration *Configuration `json:"defaultConfiguration,omitempty"`
		Properties           map[string]any `json:"properties,omitempty"`
	}
	// Configuration is SARIF's reportingConfiguration.
	Configuration struct {
		Level string `json:"level"`
	}
	// Invocation says whether everything could be checked.
	Invocation struct {
		ExecutionSuccessful        bool           `json:"executionSuccessful"`
		ToolExecutionNotifications []Notification `json:"toolExecutionNotifications,omitempty"`
	}
	// Notification is about the run, not about the code.
	Notification struct {
		Level     string     `json:"level"`
		Message   Message    `json:"message"`
		Locations []Location `json:"locations,omitempty"`
	}
	// Message is a text, for people that read Markdown too.
	Message struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	// Result is a finding.
	Result struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Kind                string            `json:"kind,omitempty"`
		Level               string            `json:"level"`
		Message             Message           `json:"message"`
		Locations           []Location        `json:"locations"`
		CodeFlows           []CodeFlow        `json:"codeFlows,omitempty"`
		RelatedLocations    []Location        `json:"relatedLocations,omitempty"`
		Fixes               []Fix             `json:"fixes,omitempty"`
		Suppressions        []Suppression     `json:"suppressions,omitempty"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Properties          map[string]any    `json:"properties,omitempty"`
	}
	// Location is a place; ID tells related ones apart, from 1.
	Location struct {
		ID               int               `json:"id,omitempty"`
		PhysicalLocation PhysicalLocation  `json:"physicalLocation"`
		LogicalLocations []LogicalLocation `json:"logicalLocations,omitempty"`
		Message          *Message          `json:"message,omitempty"`
	}
	// PhysicalLocation is a place in a file.
	PhysicalLocation struct {
		ArtifactLocation Artifact `json:"artifactLocation"`
		Region           *Region  `json:"region,omitempty"`
	}
	// LogicalLocation is a place by name: the cell of a notebook.
	LogicalLocation struct {
		Name string `json:"name"`
		Kind string `json:"kind"`
	}
	// Artifact is SARIF's artifactLocation: a file, relative to a base where one is named.
	Artifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	// Region is a part of a file; columns count from 1, and the end is exclusive.
	Region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
	// CodeFlow is how the program comes to a result.
	CodeFlow struct {
		ThreadFlows []ThreadFlow `json:"threadFlows"`
	}
	// ThreadFlow is a list of steps.
	ThreadFlow struct {
		Locations []Step `json:"locations"`
	}
	// Step is SARIF's threadFlowLocation.
	Step struct {
		Location       Location `json:"location"`
		ExecutionOrder int      `json:"executionOrder"`
	}
	// Fix is a change that removes the result.
	Fix struct {
		Description     Message          `json:"description"`
		ArtifactChanges []ArtifactChange `json:"artifactChanges"`
	}
	// ArtifactChange is what changes in one file.
	ArtifactChange struct {
		ArtifactLocation Artifact      `json:"artifactLocation"`
		Replacements     []Replacement `json:"replacements"`
	}
	// Replacement puts one text in the place of another.
	Replacement struct {
		DeletedRegion   Region  `json:"deletedRegion"`
		InsertedContent Content `json:"insertedContent"`
	}
	// Content is SARIF's artifactContent.
	Content struct {
		Text string `json:"text"`
	}
	// Suppression says who accepted a result, and why.
	Suppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification,omitempty"`
	}
)
