// Package release has the facts about triptych that registries, hosts and other servers
// show, and makes the server card of a running server. The program releasetool makes
// the files of a release from the same facts, so that they cannot disagree.
package release

import (
	"bytes"
	"encoding/json"
)

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
	Name       = "io.github.triptych-mcp/triptych" // reverse DNS, as registries want it
	Title      = "triptych"
	Repository = "https://github.com/triptych-mcp/triptych"
	Image      = "ghcr.io/triptych-mcp/triptych"
	License    = "MIT"
)

// ImageLabel is the label by which the registry knows that an image belongs to the
// server of that name.
const ImageLabel = "io.modelcontextprotocol.server.name=" + Name

// A Source is the repository of the program, in the form of registries and cards.
type Source struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

// NewSource returns the repository of the program.
func NewSource() Source { return Source{URL: Repository, Source: "github"} }

// Indented returns readable JSON that ends in a newline.
func Indented(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return out.Bytes(), err
}
