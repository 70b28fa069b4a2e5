package host

// ToolNames selects the spelling of tools in lists. Hosts pass names to models whose API
// allows no slash, which the documented names have.
type ToolNames int

// The ways: by revision (the documented names to baseline clients and to
// revision 2024-11-05, portable ones later), or always one of the two.
const (
	NamesByRevision ToolNames = iota
	DocumentedToolNames
	PortableToolNames
)

// OutputSchemas selects the clients that are shown outputSchema in tools/list. Answers
// are the same with and without.
type OutputSchemas int

// The ways. The schemas can be most of the bytes of the list, and few hosts pass
// them to a model. With OutputSchemasWhenAsked they are for clients that declare
// [OutputSchemasExtension].
const (
	OutputSchemasAlways OutputSchemas = iota
	OutputSchemasWhenAsked
	OutputSchemasNever
)

// OutputSchemasExtension is the extension that clients declare, among their
// capabilities, to get outputSchema in tools/list ([OutputSchemasWhenAsked]).
const OutputSchemasExtension = "io.github.triptych-mcp/output-schemas"
