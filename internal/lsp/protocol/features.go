package protocol

// DiagnosticSeverity is how loudly a diagnostic is shown.
type DiagnosticSeverity int

// The severities.
const (
	SeverityError       DiagnosticSeverity = 1
	SeverityWarning     DiagnosticSeverity = 2
	SeverityInformation DiagnosticSeverity = 3
	SeverityHint        DiagnosticSeverity = 4
)

// TagUnnecessary is the tag of text that should go.
const TagUnnecessary = 1

// Diagnostic is a finding as an editor shows it.
type Diagnostic struct {
	Range              Range                `json:"range"`
	Severity           DiagnosticSeverity   `json:"severity"`
	Code               string               `json:"code,omitempty"`
	CodeDescription    *CodeDescription     `json:"codeDescription,omitempty"`
	Source             string               `json:"source"`
	Message            string               `json:"message"`
	Tags               []int                `json:"tags,omitempty"`
	RelatedInformation []RelatedInformation `json:"relatedInformation,omitempty"`
	Data               any                  `json:"data,omitempty"`
}

// CodeDescription is where a code is explained.
type CodeDescription struct {
	Href string `json:"href"`
}

// RelatedInformation is a place that explains a diagnostic.
type RelatedInformation struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// PublishDiagnostics are the parameters of textDocument/publishDiagnostics.
type PublishDiagnostics struct {
	URI         DocumentURI  `json:"uri"`
	Version     *int32       `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// PullDiagnostics are the parameters of textDocument/diagnostic.
type PullDiagnostics struct {
	TextDocument     TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                 `json:"previousResultId"`
}

// PullWorkspace are the parameters of workspace/diagnostic.
type PullWorkspace struct {
	PreviousResultIDs []struct {
		URI   DocumentURI `json:"uri"`
		Value string      `json:"value"`
	} `json:"previousResultIds"`
}

// FullReport is the diagnostics of a document; URI and Version are set in a report
// on a workspace.
type FullReport struct {
	Kind     string       `json:"kind"` // full
	ResultID string       `json:"resultId"`
	Items    []Diagnostic `json:"items"`
}

// UnchangedReport says that a document has those that the client knows.
type UnchangedReport struct {
	Kind     string `json:"kind"` // unchanged
	ResultID string `json:"resultId"`
}

// CodeActionKind is what a code action is for, as words with dots between.
type CodeActionKind string

// QuickFix is the kind of what is offered for a diagnostic.
const QuickFix CodeActionKind = "quickfix"

// CodeActionParams are the parameters of textDocument/codeAction.
type CodeActionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
	Context      struct {
		Only []CodeActionKind `json:"only"`
	} `json:"context"`
}

// CodeAction is an edit or a command that the client offers to its user.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        CodeActionKind `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
	Command     *Command       `json:"command,omitempty"`
}

// Command is something that the server does when it is told to.
type Command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments,omitempty"`
}

// WorkspaceEdit changes documents; only one of the two forms is set.
type WorkspaceEdit struct {
	Changes         map[DocumentURI][]TextEdit `json:"changes,omitempty"`
	DocumentChanges []TextDocumentEdit         `json:"documentChanges,omitempty"`
}

// TextDocumentEdit changes one document at a version; nil where it has none.
type TextDocumentEdit struct {
	TextDocument struct {
		URI     DocumentURI `json:"uri"`
		Version *int32      `json:"version"`
	} `json:"textDocument"`
	Edits []TextEdit `json:"edits"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// Hover is what is shown beside the pointer.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    Range         `json:"range"`
}

// MarkupContent is a text in Markdown, or a plain one.
type MarkupContent struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// InlayHintType is the kind of a hint that says what something is.
const InlayHintType = 1

// InlayHint is a word that an editor shows in the text, which is not part of it.
type InlayHint struct {
	Position Position `json:"position"`
	Label    string   `json:"label"`
	Kind     int      `json:"kind"`
}

// The kinds of symbols that are used here.
const (
	SymbolVariable = 13
	SymbolEvent    = 24
)

// DocumentSymbol is a part of a document, for an editor's outline.
type DocumentSymbol struct {
	Name           string `json:"name"`
	Detail         string `json:"detail,omitempty"`
	Kind           int    `json:"kind"`
	Range          Range  `json:"range"`
	SelectionRange Range  `json:"selectionRange"`
}

// MessageType says how a message to the user is shown.
type MessageType int

// The types of messages.
const (
	MessageError   MessageType = 1
	MessageWarning MessageType = 2
	MessageInfo    MessageType = 3
)

// ShowMessage are the parameters of window/showMessage, and with actions those of
// window/showMessageRequest.
type ShowMessage struct {
	Type    MessageType         `json:"type"`
	Message string              `json:"message"`
	Actions []MessageActionItem `json:"actions,omitempty"`
}

// MessageActionItem is one of the answers to a message.
type MessageActionItem struct {
	Title string `json:"title"`
}

// Evidence are the parameters of rlvet/evidence, which is not of the protocol: the page
// of a run of a script, for a client that names rlvetEvidence among its experimental
// capabilities.
type Evidence struct {
	URI  DocumentURI `json:"uri"`
	HTML string      `json:"html"`
}

// Confirmation is the answer to rlvet.confirm for a whole file, which is not of the protocol: the
// report of `rlvet confirm`, and what kept the script from being judged, a line each.
type Confirmation struct {
	Report  string `json:"report"`
	Trouble string `json:"trouble,omitempty"`
}

// WorkDoneProgress is a word about work that goes on: begin, report or end.
type WorkDoneProgress struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Message     string `json:"message,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
}

// CodeLens is a command that is offered above a line.
type CodeLens struct {
	Range   Range    `json:"range"`
	Command *Command `json:"command"`
}

// CompletionValue is the kind of a completion that is a value.
const CompletionValue = 12

// LabelDetails are what stands behind a label, for clients that show it in the list.
type LabelDetails struct {
	Description string `json:"description"`
}

// CompletionItem is a word that can be written at the cursor.
type CompletionItem struct {
	Label         string        `json:"label"`
	LabelDetails  LabelDetails  `json:"labelDetails"`
	Kind          int           `json:"kind"`
	Detail        string        `json:"detail"`
	Documentation MarkupContent `json:"documentation"`
	SortText      string        `json:"sortText"`
	FilterText    string        `json:"filterText"`
	TextEdit      TextEdit      `json:"textEdit"`
}
