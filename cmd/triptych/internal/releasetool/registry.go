package main

import (
	"fmt"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
)

const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

type registryEntry struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	WebsiteURL  string            `json:"websiteUrl"`
	Repository  release.Source    `json:"repository"`
	Packages    []registryPackage `json:"packages"`
}

type registryPackage struct {
	Type       string            `json:"registryType"`
	Identifier string            `json:"identifier"`
	Version    string            `json:"version,omitempty"`
	SHA256     string            `json:"fileSha256,omitempty"`
	Transport  map[string]string `json:"transport"`
}

// Registry returns the server.json for the MCP registry: the image, and the bundles by
// file name with their SHA-256 in hexadecimal. It follows the schema of 2025-12-11.
func Registry(p release.Program, bundles []Digest) ([]byte, error) {
	stdio := map[string]string{"type": "stdio"}
	entry := registryEntry{
		Schema: registrySchema, Name: release.Name, Title: release.Title, Description: p.Description, Version: p.Version,
		WebsiteURL: release.Repository, Repository: release.NewSource(),
		Packages: []registryPackage{{Type: "oci", Identifier: release.Image + ":" + p.Version, Transport: stdio}},
	}
	for _, b := range bundles {
		entry.Packages = append(entry.Packages, registryPackage{
			Type: "mcpb", Identifier: fmt.Sprintf("%s/releases/download/v%s/%s", release.Repository, p.Version, b.File),
			Version: p.Version, SHA256: b.SHA256, Transport: stdio,
		})
	}
	return release.Indented(entry)
}

// A Digest is a file of the release and its SHA-256 in hexadecimal.
type Digest struct{ File, SHA256 string }
