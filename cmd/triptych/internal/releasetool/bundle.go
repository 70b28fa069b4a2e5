package main

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
)

// A System is an operating system and an architecture as Go names them.
type System struct{ OS, Arch string }

// platforms are the names that MCPB has for Go's.
var platforms = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

// program returns the path of the program in a bundle.
func (s System) program() string {
	if s.OS == "windows" {
		return "server/triptych.exe"
	}
	return "server/triptych"
}

type manifest struct {
	Version       string                 `json:"manifest_version"`
	Name          string                 `json:"name"`
	DisplayName   string                 `json:"display_name"`
	Release       string                 `json:"version"`
	Description   string                 `json:"description"`
	Author        map[string]string      `json:"author"`
	Repository    map[string]string      `json:"repository"`
	Homepage      string                 `json:"homepage"`
	Documentation string                 `json:"documentation"`
	Support       string                 `json:"support"`
	License       string                 `json:"license"`
	Server        manifestServer         `json:"server"`
	Tools         []release.Tool         `json:"tools"`
	Compatibility map[string][]string    `json:"compatibility"`
	UserConfig    map[string]userSetting `json:"user_config"`
}

type manifestServer struct {
	Type       string          `json:"type"`
	EntryPoint string          `json:"entry_point"`
	Config     manifestCommand `json:"mcp_config"`
}

type manifestCommand struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

type userSetting struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Default     string `json:"default"`
}

// Manifest returns the manifest.json of a bundle for one system, in version 0.3 of
// the format. The host asks the person for the families; rulesets alone is the
// default, because each tool that is listed costs the model's context.
func Manifest(p release.Program, s System) ([]byte, error) {
	platform, ok := platforms[s.OS]
	if !ok {
		return nil, fmt.Errorf("MCP bundles do not exist for %s", s.OS)
	}
	return release.Indented(manifest{
		Version: "0.3", Name: release.Title, DisplayName: release.Title, Release: p.Version, Description: p.Description,
		Author:     map[string]string{"name": "triptych contributors", "url": release.Repository},
		Repository: map[string]string{"type": "git", "url": release.Repository + ".git"},
		Homepage:   release.Repository, Documentation: release.Repository + "/tree/main/docs", Support: release.Repository + "/issues", License: release.License,
		Server: manifestServer{
			Type: "binary", EntryPoint: s.program(),
			Config: manifestCommand{Command: "${__dirname}/" + s.program(), Args: []string{"stdio", "--families", "${user_config.families}"}},
		},
		Tools: p.Tools, Compatibility: map[string][]string{"platforms": {platform}},
		UserConfig: map[string]userSetting{"families": {
			Type: "string", Title: "Families", Default: "rulesets",
			Description: "Tools to serve, separated by commas: rulesets, aoc, debugger. The debugger needs Linux on x86-64.",
		}},
	})
}

// WriteBundle writes a bundle: a zip archive of the manifest, the program and the texts of
// the licenses, of the program and of the modules in it. Equal contents make equal bytes:
// every file bears the same time.
func WriteBundle(w io.Writer, p release.Program, s System, program, license, notices []byte) error {
	manifest, err := Manifest(p, s)
	if err != nil {
		return err
	}
	archive := zip.NewWriter(w)
	files := []struct {
		name    string
		mode    fs.FileMode
		content []byte
	}{{"manifest.json", 0o644, manifest}, {"LICENSE", 0o644, license}, {noticesFile, 0o644, notices}, {s.program(), 0o755, program}}
	for _, file := range files {
		header := &zip.FileHeader{Name: file.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		header.SetMode(file.mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(file.content); err != nil {
			return err
		}
	}
	return archive.Close()
}
