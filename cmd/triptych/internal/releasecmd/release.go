package releasecmd

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
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// ReleaseCommand returns the row of triptych __release.
func ReleaseCommand(a *app.App) app.Command { return commands{a}.releaseCommand() }

// releaseCommand makes the files of a release that come from tables. The release
// script calls it.
func (a commands) releaseCommand() app.Command {
	var version string
	system := release.System{}
	ofVersion := func(set *pflag.FlagSet) { set.StringVar(&version, "version", "0.0.0", "the `version` of the release") }
	program := func(ctx context.Context) (release.Program, error) { return a.released(ctx, version) }
	return app.Command{
		Name: "__release", Hidden: true, Short: "make the files of a release",
		Sub: []app.Command{
			{
				Name: "bundle", Args: "PROGRAM FILE", Min: 2, Max: 2, Short: "make an MCP bundle of a program",
				Flags: func(set *pflag.FlagSet) {
					ofVersion(set)
					set.StringVar(&system.OS, "os", runtime.GOOS, "the operating `system` of the program")
				},
				Run: func(ctx context.Context, args []string) error {
					p, err := program(ctx)
					if err != nil {
						return err
					}
					return writeBundle(p, system, args[0], args[1])
				},
			},
			{
				Name: "sbom", Args: "PROGRAM FILE", Min: 2, Max: 2, Short: "make the bill of materials of a program", Flags: ofVersion,
				Run: func(ctx context.Context, args []string) error {
					p, err := program(ctx)
					if err != nil {
						return err
					}
					binary, err := os.ReadFile(args[0])
					if err != nil {
						return err
					}
					bill, err := release.SBOM(p, binary)
					if err != nil {
						return fmt.Errorf("%s: %w", args[0], err)
					}
					return os.WriteFile(args[1], bill, 0o644)
				},
			},
			{
				Name: "registry", Args: "BUNDLE ...", Max: app.AnyNumber, Short: "print the server.json of a release", Flags: ofVersion,
				Run: func(ctx context.Context, args []string) error {
					p, err := program(ctx)
					if err != nil {
						return err
					}
					return a.printRegistry(p, args)
				},
			},
		},
	}
}

// released returns the facts that the files of a release show.
func (a commands) released(ctx context.Context, version string) (release.Program, error) {
	p := app.PublicFacts()
	p.Version = strings.TrimPrefix(version, "v")
	data, err := os.MkdirTemp("", "triptych-release") // the tools do not depend on anybody's data
	if err != nil {
		return release.Program{}, err
	}
	defer os.RemoveAll(data)
	a.Flags.Data = data
	tools, err := toolcmd.ListTools(ctx, a.App)
	for _, tool := range tools {
		p.Tools = append(p.Tools, release.Tool{Name: tool.Name, Description: tool.Description})
	}
	return p, err
}

func writeBundle(p release.Program, system release.System, program, file string) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	license, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := release.WriteBundle(out, p, system, binary, license); err != nil {
		_ = out.Close() // the first error counts
		return err
	}
	return out.Close()
}

func (a commands) printRegistry(p release.Program, bundles []string) error {
	var digests []release.Digest
	for _, file := range bundles {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		digests = append(digests, release.Digest{File: filepath.Base(file), SHA256: hex.EncodeToString(sum[:])})
	}
	entry, err := release.Registry(p, digests)
	if err != nil {
		return err
	}
	return a.Printf("%s", entry)
}
