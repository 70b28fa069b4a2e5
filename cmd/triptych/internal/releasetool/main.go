// Command releasetool makes the files of a release that come from the program's own
// tables: MCP bundles for one-click installation, the registry's server.json, bills of
// materials, and the texts of the licenses of all modules. The release calls it from the
// top of the repository.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

func main() {
	a := app.New()
	os.Exit(a.Run(context.Background(), commands{a.IO, a}.table(), os.Args[1:]))
}

// commands makes the rows of the commands.
type commands struct {
	*cmdio.IO
	app *app.App
}

func (a commands) table() command.Command {
	var version string
	system := System{}
	ofVersion := func(set *pflag.FlagSet) { set.StringVar(&version, "version", "0.0.0", "the `version` of the release") }
	return command.Command{
		Name: "releasetool", Short: "make the files of a release",
		Sub: []command.Command{
			{
				Name: "bundle", Args: "PROGRAM FILE", Min: 2, Max: 2, Short: "make an MCP bundle of a program",
				Flags: func(set *pflag.FlagSet) {
					ofVersion(set)
					set.StringVar(&system.OS, "os", runtime.GOOS, "the operating `system` of the program")
				},
				Run: func(ctx context.Context, args []string) error {
					return a.bundle(ctx, version, system, args[0], args[1])
				},
			},
			{
				Name: "sbom", Args: "PROGRAM FILE", Min: 2, Max: 2, Short: "make the bill of materials of a program", Flags: ofVersion,
				Run: func(ctx context.Context, args []string) error { return a.sbom(ctx, version, args[0], args[1]) },
			},
			{
				Name: "registry", Args: "BUNDLE ...", Max: command.AnyNumber, Short: "print the server.json of a release", Flags: ofVersion,
				Run: func(ctx context.Context, args []string) error { return a.registry(ctx, version, args) },
			},
			{
				Name: "notices", Short: "print the licenses of all modules in the program",
				Run: func(ctx context.Context, _ []string) error {
					text, err := Notices(ctx)
					if err != nil {
						return err
					}
					return a.Printf("%s", text)
				},
			},
		},
	}
}

// released returns the facts that the files of a release show.
func (a commands) released(ctx context.Context, version string) (release.Program, error) {
	p := buildinfo.PublicFacts()
	p.Version = strings.TrimPrefix(version, "v")
	data, err := os.MkdirTemp("", "triptych-release") // the tools do not depend on anybody's data
	if err != nil {
		return release.Program{}, err
	}
	defer func() { _ = os.RemoveAll(data) }() // it is below the folder for temporary files
	a.app.Flags.Data = data
	tools, err := toolcmd.ListTools(ctx, a.app)
	for _, tool := range tools {
		p.Tools = append(p.Tools, release.Tool{Name: tool.Name, Description: tool.Description})
	}
	return p, err
}

// bundle makes the bundle of a program for a system.
func (a commands) bundle(ctx context.Context, version string, system System, program, file string) error {
	p, err := a.released(ctx, version)
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	notices, err := Notices(ctx)
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := WriteBundle(out, p, system, binary, license, notices); err != nil {
		_ = out.Close() // the first error counts
		return err
	}
	return out.Close()
}

func (a commands) sbom(ctx context.Context, version, program, file string) error {
	p, err := a.released(ctx, version)
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	bill, err := SBOM(p, binary)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return os.WriteFile(file, bill, 0o644)
}

func (a commands) registry(ctx context.Context, version string, bundles []string) error {
	p, err := a.released(ctx, version)
	if err != nil {
		return err
	}
	var digests []Digest
	for _, file := range bundles {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		digests = append(digests, Digest{File: filepath.Base(file), SHA256: hex.EncodeToString(sum[:])})
	}
	entry, err := Registry(p, digests)
	if err != nil {
		return err
	}
	return a.Printf("%s", entry)
}
