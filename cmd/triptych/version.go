package main

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/mcp"
)

// version is set by the linker in releases: -ldflags "-X main.version=1.2.3".
var version string

// A build describes how the program was built.
type build struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Revision  string   `json:"revision,omitempty"`
	Time      string   `json:"time,omitempty"`
	Modified  bool     `json:"modified,omitempty"`
	Go        string   `json:"go"`
	Platform  string   `json:"platform"`
	Protocols []string `json:"protocols"`
}

// readBuild asks the linker's word first, then the module's version, then the
// checkout's.
func readBuild() build {
	b := build{Name: "triptych", Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, rev := range mcp.Revisions() {
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

func (a *app) versionCommand() command {
	var asJSON bool
	return command{
		name:  "version",
		short: "print the version",
		flags: func(set *pflag.FlagSet) { jsonFlag(set, &asJSON) },
		run: func(context.Context, []string) error {
			if asJSON {
				return a.printJSON(readBuild())
			}
			return a.printVersion()
		},
	}
}

func (a *app) printVersion() error {
	b := readBuild()
	text := "triptych " + b.Version
	if b.Revision != "" {
		text += " " + b.Revision[:min(12, len(b.Revision))]
	}
	return a.printf("%s %s %s\n", text, b.Go, b.Platform)
}
