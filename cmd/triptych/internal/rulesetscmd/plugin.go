package rulesetscmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/atomicfile"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Identifiers of the documents of Agent Plugins 1.0.0 (agent-plugins.org).
const (
	pluginSchema = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
	serverSchema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"
)

// pluginName is the form of a plugin's name, without the rule against repeated marks.
var pluginName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$`)

// A manifest is a plugin.json, in both forms.
type manifest struct {
	Schema      string `json:"$schema,omitempty"`
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
}

// A pluginServer is an MCP server in the configuration of a plugin.
type pluginServer struct {
	Type    string   `json:"type"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
}

// A pluginBuild is one run of plugin build.
type pluginBuild struct {
	dir      string
	manifest manifest
	patterns []string
	url      string
	claude   bool
	noServer bool
}

// PluginCommand returns the row of triptych plugin.
func PluginCommand(a *app.App) app.Command { return commands{a}.pluginCommand() }

func (a commands) pluginCommand() app.Command {
	return app.Command{Name: "plugin", Short: "package rulesets for editors and assistants", Sub: []app.Command{a.pluginBuild()}}
}

func (a commands) pluginBuild() app.Command {
	b := &pluginBuild{}
	return app.Command{
		Name: "build", Args: "DIR", Min: 1, Max: 1,
		Short: "write an Agent Plugin with the rulesets as skills, and this server",
		Long: "DIR gets plugin.json, skills/ and mcp.json, in the form of Agent Plugins 1.0. Every\n" +
			"ruleset that can be a skill becomes one, with its files. The server is triptych as\n" +
			"a program, or with --server a URL; a key is never written: the client asks for it.\n" +
			"A DIR that has other files is refused; one that this command made is made again.",
		Example: "triptych plugin build ./acme-rules --server https://rules.example.com/mcp --claude",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&b.manifest.Name, "name", "", "the plugin's `name`; without it that of DIR")
			set.StringVar(&b.manifest.Version, "version", "", "its `version`; without it 1.0.N, where N grows with each change of a ruleset")
			set.StringVarP(&b.manifest.Description, "description", "d", "", "what it is for, one `line`")
			set.StringSliceVar(&b.patterns, "select", nil, "only rulesets whose names match these `patterns`")
			set.StringVar(&b.url, "server", "", "the server's `URL`, such as https://rules.example.com/mcp")
			set.BoolVar(&b.noServer, "no-server", false, "write skills only")
			set.BoolVar(&b.claude, "claude", false, "also write .claude-plugin/ and .mcp.json for Claude Code")
			a.readingFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			b.dir = args[0]
			if err := b.check(); err != nil {
				return err
			}
			return a.withRulebook(ctx, func(book rulebook) error { return a.buildPlugin(ctx, book, b) })
		},
	}
}

// check completes and checks what the flags say.
func (b *pluginBuild) check() error {
	if b.manifest.Name == "" {
		abs, err := filepath.Abs(b.dir)
		if err != nil {
			return err
		}
		b.manifest.Name = strings.ReplaceAll(strings.ToLower(filepath.Base(abs)), "_", "-")
	}
	name := b.manifest.Name
	if !pluginName.MatchString(name) || strings.Contains(name, "--") || strings.Contains(name, "..") {
		return app.UsageErrorf("%q is no name of a plugin: give --name with at most 64 lowercase letters, digits, - and .", name)
	}
	if b.url == "" {
		return nil
	}
	u, err := url.Parse(b.url)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return app.UsageErrorf("--server is no URL such as https://rules.example.com/mcp")
	}
	if u.User != nil || u.RawQuery != "" {
		return app.UsageErrorf("--server has more than an address: a plugin must not have a key in it")
	}
	return nil
}

func (a commands) buildPlugin(ctx context.Context, book rulebook, b *pluginBuild) error {
	if err := b.clear(); err != nil {
		return err
	}
	metas, err := book.List(ctx)
	if err != nil {
		return err
	}
	skills, sum := 0, 0
	for _, m := range metas {
		if len(b.patterns) > 0 && !slices.ContainsFunc(b.patterns, func(p string) bool { return ruleset.Match(p, string(m.Name)) }) {
			continue
		}
		r, err := book.Get(ctx, m.Name)
		if err != nil {
			return err
		}
		main, err := rulesets.SkillFile(r)
		if err != nil {
			if err := a.Printf("left      %s: %s\n", m.Name, app.OneLine(err.Error())); err != nil {
				return err
			}
			continue
		}
		dir := filepath.Join(b.dir, "skills", r.Name.Slug())
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := errors.Join(writeAttachments(ctx, book, dir, r), atomicfile.Write(filepath.Join(dir, ruleset.MainFile), main, 0o644)); err != nil {
			return err
		}
		skills, sum = skills+1, sum+r.Rev
	}
	if skills == 0 {
		return errors.New("no ruleset can be a skill of the plugin")
	}
	if b.manifest.Version == "" {
		b.manifest.Version = fmt.Sprintf("1.0.%d", sum)
	}
	if err := b.writeManifests(); err != nil {
		return err
	}
	return a.Printf("%s %s: %s\n", b.manifest.Name, b.manifest.Version, app.Counted(skills, "skill"))
}

// clear makes the folder ready: it is new, empty, or of an earlier run.
func (b *pluginBuild) clear() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		var old manifest
		text, err := os.ReadFile(filepath.Join(b.dir, "plugin.json"))
		if err != nil || json.Unmarshal(text, &old) != nil || old.Schema != pluginSchema || old.Name != b.manifest.Name {
			return fmt.Errorf("%s has other files; give a folder that is new or empty", b.dir)
		}
	}
	skills := filepath.Join(b.dir, "skills")
	if info, err := os.Lstat(skills); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder", skills)
	}
	return os.RemoveAll(skills)
}

// server returns the server as Agent Plugins write it.
func (b *pluginBuild) server() pluginServer {
	if b.url != "" {
		return pluginServer{Type: "streamable-http", URL: b.url}
	}
	return pluginServer{Type: "stdio", Command: "triptych", Args: []string{"stdio", "--families", "rulesets"}}
}

// writeManifests writes the documents of the plugin; plugin.json comes last, so that a
// folder without it is known to be incomplete.
func (b *pluginBuild) writeManifests() error {
	type servers struct {
		Schema  string                  `json:"$schema,omitempty"`
		Servers map[string]pluginServer `json:"mcpServers"`
	}
	server := b.server()
	documents := map[string]any{}
	if !b.noServer {
		documents["mcp.json"] = servers{serverSchema, map[string]pluginServer{"triptych": server}}
	}
	if b.claude {
		documents[".claude-plugin/plugin.json"] = b.manifest
		if server.Type == "streamable-http" {
			server.Type = "http" // as Claude Code has it
		}
		if !b.noServer {
			documents[".mcp.json"] = servers{"", map[string]pluginServer{"triptych": server}}
		}
	}
	for name, document := range documents {
		if err := writeDocument(filepath.Join(b.dir, filepath.FromSlash(name)), document); err != nil {
			return err
		}
	}
	b.manifest.Schema = pluginSchema
	return writeDocument(filepath.Join(b.dir, "plugin.json"), b.manifest)
}

func writeDocument(name string, document any) error {
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(name, append(text, '\n'), 0o644)
}
