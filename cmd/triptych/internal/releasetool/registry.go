package main

import (
	"fmt"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
)

// Registry returns the server.json for the MCP registry: the image, and the bundles by
// file name with their SHA-256 in hexadecimal. It follows the schema of 2025-12-11.
func Registry(p release.Program, bundles []Digest) ([]byte, error) {
	var packages []release.Package
	for _, b := range bundles {
		packages = append(packages, release.Bundle(
			fmt.Sprintf("%s/releases/download/v%s/%s", release.Repository, p.Version, b.File), p.Version, b.SHA256))
	}
	return release.ServerJSON(p, packages, release.Template())
}

// A Digest is a file of the release and its SHA-256 in hexadecimal.
type Digest struct{ File, SHA256 string }
