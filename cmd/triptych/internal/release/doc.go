// Package release makes the files by which registries, hosts and other servers
// find triptych: the registry's server.json, MCP bundles (MCPB) for one-click
// installation, and the server card that a running server shows. All are made
// from one [Program], so that they cannot disagree.
package release

// A Program holds the facts that the files show.
type Program struct {
	Version     string // semantic, without "v"
	Description string // one line of at most 100 characters
	Tools       []Tool
	Protocols   []string // the protocol revisions, oldest first
}

// A Tool is one tool of the program.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Facts that every file repeats.
const (
	name       = "io.github.triptych-mcp/triptych" // reverse DNS, as registries want it
	title      = "triptych"
	repository = "https://github.com/triptych-mcp/triptych"
	image      = "ghcr.io/triptych-mcp/triptych"
	license    = "MIT"
)

// ImageLabel is the label by which the registry knows that an image belongs to the
// server of that name.
const ImageLabel = "io.modelcontextprotocol.server.name=" + name
