package host

// ClientCapabilities are the capabilities that a client has declared.
type ClientCapabilities struct {
	Roots    bool
	Sampling bool
	// Forms and URLs report the modes of elicitation that the client
	// supports.
	Forms, URLs bool
	Tasks       bool // the extension for tasks
	// OutputSchemas reports whether the client wants outputSchema in lists.
	OutputSchemas bool
}
