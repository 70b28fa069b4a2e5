// Package buildinfo describes how the program was built, and its public facts.
package buildinfo

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// version is set by the linker in releases: -ldflags "-X github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo.version=1.2.3".
var version string

// Info describes how the program was built.
type Info struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Revision  string   `json:"revision,omitempty"`
	Time      string   `json:"time,omitempty"`
	Modified  bool     `json:"modified,omitempty"`
	Go        string   `json:"go"`
	Platform  string   `json:"platform"`
	Protocols []string `json:"protocols"`
}

// Read returns how the program was built. The version is that of the linker, else that of
// the module.
func Read() Info {
	b := Info{Name: "triptych", Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, rev := range host.Revisions() {
		if rev.Name != "" {
			b.Protocols = append(b.Protocols, rev.Name)
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		b.Version = cmp.Or(b.Version, "devel")
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if v := info.Main.Version; v != "(devel)" {
		b.Version = cmp.Or(b.Version, v)
	}
	b.Version = cmp.Or(b.Version, "devel")
	return b
}

// description is the line that registries and hosts show, of at most 100 characters.
const description = "Team rulesets, Advent of Code and a time-travelling native debugger for AI editors"

// PublicFacts returns the facts about this program that callers without a key may know.
func PublicFacts() release.Program {
	p := release.Program{Version: strings.TrimPrefix(Read().Version, "v"), Description: description}
	for _, revision := range host.Revisions() {
		if revision.Name != "" {
			p.Protocols = append(p.Protocols, revision.Name)
		}
	}
	return p
}
