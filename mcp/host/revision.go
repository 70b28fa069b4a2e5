package host

import "github.com/triptych-mcp/triptych/jsonrpc"

// A Revision is a dated version of the protocol as a row of facts. Nothing in
// this program compares dates; it asks the row that governs a request. A new
// revision is a row here, a [Feature] or rule for each new idea, and its lines in
// mcp/project.go. Revisions are compared by pointer.
type Revision struct {
	// Name is the date, "" for clients that never named one.
	Name string
	// Answers is the protocolVersion that initialize answers with.
	Answers string
	// Modern revisions are stateless: everything is in each request's _meta.
	Modern bool
	// Features are the parts of the protocol that the revision has.
	Features Feature
	// NotFound is the code for an unknown resource, 0 for the family's own.
	NotFound jsonrpc.Code
	// Quota is the code for a quota or rate that is used up.
	Quota jsonrpc.Code
	// HTTP are the revision's rules for the Streamable HTTP transport.
	HTTP HTTPRules
}

// HTTPRules are the rules of Streamable HTTP that differ between revisions.
type HTTPRules uint8

// The rules, in the order in which they came.
const (
	// PlainStatus: a server that fails says so by the HTTP status too.
	PlainStatus HTTPRules = 1 << iota
	// HTTPSessions: initialize begins a session with an id, a GET stream, a
	// DELETE and streams that can be resumed.
	HTTPSessions
	// PrimedStreams: a stream begins with an event without data, and may be
	// closed before its answer.
	PrimedStreams
	// MirroredHeaders: headers repeat what the body says and must agree.
	MirroredHeaders
	// MissingMethods: a method that does not exist is answered with 404.
	MissingMethods
)

// Follows reports whether the revision has the rule.
func (r *Revision) Follows(rule HTTPRules) bool { return r.HTTP&rule != 0 }

// A Feature is something that came or went with a revision.
type Feature uint32

// The features, in the order in which they came.
const (
	// NullIDs: an answer to a message whose id cannot be read says "id":null.
	NullIDs Feature = 1 << iota
	// DocumentedShapes: capabilities and binary content as in the documents.
	DocumentedShapes
	// DocumentedNames: tools are listed by their documented names.
	DocumentedNames
	// Batches: arrays of messages are taken.
	Batches
	// Subscriptions: a session may watch resources.
	Subscriptions
	// ToolAnnotations, AudioContent, ProgressMessage and Completions came together.
	ToolAnnotations
	AudioContent
	ProgressMessage
	Completions
	// Titles: title, _meta on objects, lastModified.
	Titles
	// Structured: outputSchema and structuredContent.
	Structured
	// ResourceLinks: content items that point at resources.
	ResourceLinks
	// Elicitation: the server may ask the user with a form.
	Elicitation
	// URLElicitation: or send them to a page.
	URLElicitation
	// Icons: icons, and a description of the implementation.
	Icons
	// ErrorsInResults: errors of tools are shown to the model.
	ErrorsInResults
	// AnyStructured: structured content need not be an object.
	AnyStructured
	// BooleanSchemas: true and false may stand for schemas of arguments.
	BooleanSchemas
	// ResultTypes: resultType, cache hints and serverInfo in every result.
	ResultTypes
	// Extensions: capabilities beyond the core, by name.
	Extensions
	// Skills: the methods of the skills extension. The extension is written for
	// 2026-07-28, but needs nothing of it, and hosts use it with older revisions.
	Skills
)

// since24 and the others are the features of each revision: those of the one
// before, and what it added.
const (
	since24 = Subscriptions | Skills
	since03 = since24 | ToolAnnotations | AudioContent | ProgressMessage | Completions
	since06 = since03 | Titles | Structured | ResourceLinks | Elicitation
	since11 = since06 | URLElicitation | Icons | ErrorsInResults
	since26 = since11 | AnyStructured | BooleanSchemas | ResultTypes | Extensions
)

// revisions, oldest first; the first is a client that never said.
var revisions = []*Revision{
	{
		Name: "", Answers: "2024-11-05", Features: NullIDs | DocumentedShapes | DocumentedNames | Batches,
		Quota: CodeQuotaExceeded, HTTP: PlainStatus,
	},
	{
		Name: "2024-11-05", Answers: "2024-11-05", Features: since24 | DocumentedNames | Batches,
		NotFound: CodeResourceNotFound, Quota: CodeQuotaExceeded, HTTP: HTTPSessions,
	},
	{
		Name: "2025-03-26", Answers: "2025-03-26", Features: since03 | Batches,
		NotFound: CodeResourceNotFound, Quota: CodeQuotaExceeded, HTTP: HTTPSessions,
	},
	{
		Name: "2025-06-18", Answers: "2025-06-18", Features: since06,
		NotFound: CodeResourceNotFound, Quota: CodeQuotaExceeded, HTTP: HTTPSessions,
	},
	{
		Name: "2025-11-25", Answers: "2025-11-25", Features: since11,
		NotFound: CodeResourceNotFound, Quota: CodeQuotaExceeded, HTTP: HTTPSessions | PrimedStreams,
	},
	{
		Name: "2026-07-28", Modern: true, Features: since26,
		NotFound: jsonrpc.CodeInvalidParams, Quota: CodeQuotaModern, HTTP: MirroredHeaders | MissingMethods,
	},
}

// undocumented is the row of clients that name no revision to a server without documents.
var undocumented = &Revision{
	Answers: "2024-11-05", Features: since24 | NullIDs | DocumentedNames | Batches,
	NotFound: CodeResourceNotFound, Quota: CodeQuotaExceeded, HTTP: PlainStatus,
}

// The rows that have a part of their own.
var (
	baseline     = revisions[0]
	latestLegacy = revisions[4]
)

// Has reports whether the revision knows f.
func (r *Revision) Has(f Feature) bool { return r.Features&f != 0 }

// Revisions returns the rows, oldest first; the first is the baseline.
func Revisions() []*Revision { return append([]*Revision(nil), revisions...) }

// Negotiate returns the row for the protocolVersion of an initialize request:
// the one asked for if it is a legacy revision, else the newest legacy one.
func Negotiate(asked string) *Revision {
	for _, r := range revisions[1:] {
		if r.Name == asked && !r.Modern {
			return r
		}
	}
	return latestLegacy
}

// Modern returns the modern row of that name, nil when there is none.
func Modern(name []byte) *Revision {
	for _, r := range revisions {
		if r.Modern && r.Name == string(name) {
			return r
		}
	}
	return nil
}

// BaselineRevision returns the row of clients that name no revision.
func BaselineRevision() *Revision { return baseline }

// UndocumentedRevision returns the row of clients that name no revision to a server none of
// whose tables has a document: package mcp uses it in place of [BaselineRevision].
func UndocumentedRevision() *Revision { return undocumented }

// RevisionNamed returns the row that a client names outside a handshake, in a header:
// nil when there is none.
func RevisionNamed(name string) *Revision {
	for _, r := range revisions[1:] {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// ModernNames returns the versions that a client may put into _meta.
func ModernNames() []string {
	var names []string
	for _, r := range revisions {
		if r.Modern {
			names = append(names, r.Name)
		}
	}
	return names
}
