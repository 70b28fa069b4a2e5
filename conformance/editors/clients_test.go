//go:build unix

package editors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// patience limits a run of a client. Most take two seconds; Kilo Code takes thirteen of
// the processor, which on a busy machine are minutes.
const patience = 10 * time.Minute

// target is the file that clients read.
const target = "src/deep/x.go"

// A client is a command line that talks to a fake model.
type client struct {
	name    string // its row, and its folder in node
	program string // in node_modules; * stands for a platform
	args    []string
	env     []string // $URL stands for that of the model
	config  string   // a file in the home folder, with its text; $URL likewise
	text    string

	// rule returns the front matter of a rule file with a glob. It is nil if the client
	// has no rule files.
	rule func(glob string) string
	more map[string]string // the front matter of further rule files
}

// openCode is the configuration of OpenCode and of Kilo Code, which was made of it.
const openCode = `{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"$URL/v1","apiKey":"x"},"models":{"fake":{"name":"fake"}}}},
"model":"fake/fake","autoupdate":false,"share":"disabled"}`

var clients = []client{
	{
		name: "claude", program: "@anthropic-ai/claude-code-*/claude", args: []string{"-p", "hello", "--model", "fake"},
		env: []string{
			"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=fake", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		},
		rule: func(glob string) string { return fmt.Sprintf("---\npaths:\n  - %q\n---\n", glob) },
	},
	{
		name: "copilot", program: "@github/copilot-linux-*/copilot", args: []string{"-p", "hello", "--allow-all-tools"},
		env:  []string{"COPILOT_PROVIDER_BASE_URL=$URL/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=x", "COPILOT_MODEL=fake", "COPILOT_OFFLINE=true"},
		rule: func(glob string) string { return fmt.Sprintf("---\napplyTo: %q\n---\n", glob) },
	},
	{
		name: "qwen", program: ".bin/qwen", args: []string{"--auth-type", "openai", "-y", "-p", "hello"},
		env:  []string{"OPENAI_BASE_URL=$URL/v1", "OPENAI_API_KEY=x", "OPENAI_MODEL=fake"},
		rule: func(glob string) string { return fmt.Sprintf("---\npaths:\n  - %q\n---\n", glob) },
	},
	{
		name: "opencode", program: "opencode-linux-x64/bin/opencode", args: []string{"run", "hello"},
		env:    []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		config: ".config/opencode/opencode.json", text: openCode,
	},
	{
		name: "kilo", program: "@kilocode/cli-linux-x64/bin/kilo", args: []string{"run", "hello"},
		env:    []string{"KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_MODELS_FETCH=1"},
		config: ".config/kilo/kilo.json", text: openCode,
	},
	{
		name: "augment", program: ".bin/auggie", args: []string{"-p", "hello"},
		env:  []string{`AUGMENT_SESSION_AUTH={"accessToken":"x","tenantURL":"$URL/","scopes":["email"]}`},
		rule: func(string) string { return "---\ntype: always_apply\n---\n" },
		more: map[string]string{".augment/rules/manual.md": "---\ntype: manual\n---\n", "src/.augment/rules/nested.md": ""},
	},
}

// globs are written in a rule file each.
var globs = []string{
	"**", "*", "*.go", "*.GO", "x.go", "src", "src/", "deep", "deep/**", "src/*", "src/*.go", "src/**", "src/**/*.go", "SRC/**", "s?c/**",
	"**/*.{go,md}", "**/deep/*", "/src/deep/*.go", "./src/**", "docs/**", "!**/*.go",
}

// trees are the rule files of projects.
var trees = map[string][]string{
	"everything": {
		"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CONTEXT.md", ".github/copilot-instructions.md", ".cursorrules",
		"src/AGENTS.md", "src/QWEN.md", "src/GEMINI.md", "src/deep/CLAUDE.md", "src/deep/CLAUDE.local.md", "docs/AGENTS.md", "docs/CLAUDE.md",
	},
	"AGENTS.md":  {"AGENTS.md", "src/AGENTS.md", "src/deep/AGENTS.md", "docs/AGENTS.md", ".claude/AGENTS.md"},
	"one folder": {"AGENTS.md", "src/CLAUDE.md", "src/AGENTS.md", "src/deep/AGENTS.md"},
	"imports":    {"AGENTS.md", "CLAUDE.md", "QWEN.md", "notes/a.md", "notes/b.md", "notes/code.md", "notes/block.md", "notes/comma.md", "notes/agents.md"},
}

// importing has texts of files in the tree with imports.
var importing = map[string]string{
	"CLAUDE.md":  "See @AGENTS.md and @notes/a.md or @notes/comma.md, not `@notes/code.md`.\n\n```\n@notes/block.md\n```\n",
	"QWEN.md":    "@notes/a.md\n\nNot `@notes/code.md`.\n\n```\n@notes/block.md\n```\n",
	"AGENTS.md":  "See @notes/agents.md here.\n",
	"notes/a.md": "@b.md\n",
}

// Each client loads the files that Explain says, when it is started in the root and when
// it is started in a folder below.
func TestClientsAgree(t *testing.T) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			program := c.install(t)
			for name, tree := range trees {
				for _, cwd := range []string{".", "src"} {
					t.Run(name+" in "+cwd, func(t *testing.T) { c.agree(t, program, tree, cwd) })
				}
			}
		})
	}
}

// Front matter ends at a line that begins with three dashes. Without an end, or behind
// another line, it is text, and the file is loaded as one without it.
func TestEndsOfFrontMatter(t *testing.T) {
	for _, c := range clients {
		if c.name != "claude" && c.name != "copilot" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			program := c.install(t)
			row, docs := editors.Find(c.name).Folder, c.rule("docs/**")
			files := map[string]string{target: "package x\n"}
			ends := map[string]bool{ // whether the globs count, which match no file that is read
				strings.TrimSuffix(docs, "\n") + "# Title ":  true,
				strings.TrimSuffix(docs, "\n") + "---\n":     true,
				strings.ReplaceAll(docs, "---\n", "---  \n"): true,
				strings.ReplaceAll(docs, "\n", "\r\n"):       true,
				"\ufeff" + docs:                              true,
				strings.TrimSuffix(docs, "---\n"):            false,
				"# Comment\n" + docs:                         false,
				"\n" + docs:                                  false,
			}
			names := map[string]bool{}
			for front, counts := range ends {
				file := fmt.Sprintf("%s/r%d%s", row.Dir, len(names), row.Ext)
				names[file], files[file] = counts, front+marked(file)
			}
			heard := c.ask(t, program, project(t, files), ".")
			for file, counts := range names {
				if strings.Contains(heard, mark(file)) == counts {
					t.Errorf("the globs count: %v, want %v\n%s", !counts, counts, files[file])
				}
			}
		})
	}
}

// Clients follow the links that Explain says they follow.
func TestClientsFollowLinks(t *testing.T) {
	for _, c := range clients {
		row := editors.Find(c.name)
		if row.Links == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			program := c.install(t)
			dir, out := project(t, map[string]string{
				target: "package x\n", "AGENTS.md": marked("AGENTS.md"), "docs/in.md": marked("docs/in.md"), "docs/in.instructions.md": marked("docs/in.md"), "docs/f.txt": marked("docs/f.txt"),
			}), t.TempDir()
			for _, name := range []string{"dir/o.md", "dir/o.instructions.md", "o.txt"} {
				write(t, filepath.Join(out, filepath.FromSlash(name)), marked(name))
			}
			links := map[string]string{"src/AGENTS.md": "../docs/f.txt"}
			if c.name == "claude" {
				links = map[string]string{"CLAUDE.md": "AGENTS.md"}
			}
			behind := map[string]string{} // the mark behind a rule file that is a link
			if f := row.Folder; f != nil {
				links[f.Dir+"/indir"], links[f.Dir+"/outdir"] = "../../docs", filepath.Join(out, "dir")
				links[f.Dir+"/in"+f.Ext], links[f.Dir+"/out"+f.Ext] = "../../docs/f.txt", filepath.Join(out, "o.txt")
				behind = map[string]string{f.Dir + "/indir/in" + f.Ext: "docs/in.md", f.Dir + "/outdir/o" + f.Ext: "dir/o" + f.Ext, f.Dir + "/out" + f.Ext: "o.txt"}
			}
			for name, to := range links {
				if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.Symlink(to, filepath.Join(dir, name))); err != nil {
					t.Fatal(err)
				}
			}
			heard := c.ask(t, program, dir, ".")
			files, err := editors.Scan(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			loads := map[string]bool{}
			for _, v := range row.Explain(files, target, ".") {
				loads[v.Path] = v.Loaded || strings.HasPrefix(v.Reason, "a person has to name it; a link")
			}
			for file, name := range behind {
				if got := strings.Contains(heard, mark(name)); got != loads[file] {
					t.Errorf("%s: loaded: %v, explained as %v", file, got, loads[file])
				}
			}
			if !strings.Contains(heard, mark("docs/f.txt")) || !strings.Contains(heard, mark("AGENTS.md")) {
				t.Error("a link to a file of the project is not followed")
			}
		})
	}
}

// install returns the path of the program.
func (c *client) install(t *testing.T) string {
	t.Helper()
	long(t)
	if strings.Contains(c.program, "linux-x64") && runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skipf("%s is a program for linux/amd64", c.program)
	}
	return installed(t, c.name, c.program)
}

// long skips what takes long unless it is wanted.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("TRIPTYCH_TEST_EDITORS") == "" {
		t.Skip("TRIPTYCH_TEST_EDITORS is not set")
	}
}

// installed installs what a folder in node names, and returns the path of a program in
// node_modules.
func installed(t *testing.T, folder, program string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("node", folder))
	if err != nil {
		t.Fatal(err)
	}
	sdk.InstallNode(t, dir)
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", filepath.FromSlash(program)))
	if err != nil || len(found) == 0 {
		need.Installed(t, program, fmt.Errorf("there is none for this platform: %w", os.ErrNotExist), nil)
	}
	return found[0]
}

// agree compares what a client loads with what Explain says.
func (c *client) agree(t *testing.T, program string, tree []string, cwd string) {
	files := map[string]string{target: "package x\n"}
	for _, file := range tree {
		files[file] = marked(file)
		if slices.Contains(tree, "notes/a.md") {
			files[file] += importing[file]
		}
	}
	row := editors.Find(c.name)
	if c.rule != nil {
		for i, glob := range globs {
			file := fmt.Sprintf("%s/r%d%s", row.Folder.Dir, i, row.Folder.Ext)
			files[file] = c.rule(glob) + marked(file)
		}
		file := row.Folder.Dir + "/sub/always" + row.Folder.Ext
		files[file] = c.rule("**") + marked(file)
	}
	for file, front := range c.more {
		files[file] = front + marked(file)
	}
	dir := project(t, files)
	heard := c.ask(t, program, dir, cwd)
	found, err := editors.Scan(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	loads := map[string]editors.Verdict{}
	for _, v := range row.Explain(found, target, cwd) {
		loads[v.Path] = v
	}
	for file := range files {
		if got := strings.Contains(heard, mark(file)); got != loads[file].Loaded {
			t.Errorf("%s: loaded: %v; explained as %+v\n%s", file, got, loads[file], files[file])
		}
	}
}

// mark is a text that only the file has.
func mark(file string) string { return "mark:" + file + ":" }

func marked(file string) string { return "Text of " + mark(file) + "\n" }

// project writes the files of a project, which is a git repository.
func project(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for file, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(file)), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// isolated returns the environment of a program that reaches loopback only and knows
// nothing of the user.
func isolated(home string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=dumb",
		"HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost",
	}
}

// ask runs a client until the fake model has nothing more to say to it, and returns what
// it sent.
func (c *client) ask(t *testing.T, program, dir, cwd string) string {
	t.Helper()
	m, home := newModel(t, filepath.Join(dir, filepath.FromSlash(target))), t.TempDir()
	withURL := func(text string) string { return strings.ReplaceAll(text, "$URL", m.URL) }
	if c.config != "" {
		write(t, filepath.Join(home, c.config), withURL(c.text))
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, program, c.args...)
	cmd.Dir = filepath.Join(dir, cwd)
	cmd.Env = append(isolated(home), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_DATA_HOME="+filepath.Join(home, "data"),
		"XDG_CACHE_HOME="+filepath.Join(home, "cache"), "XDG_STATE_HOME="+filepath.Join(home, "state"))
	for _, pair := range c.env {
		name, value, _ := strings.Cut(pair, "=")
		cmd.Env = append(cmd.Env, name+"="+withURL(value))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with its children
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	go func() {
		select {
		case <-m.done:
			stop()
		case <-ctx.Done():
		}
	}()
	err := cmd.Run()
	select {
	case <-m.done:
	default:
		t.Fatalf("the client did not read the file: %v\n%s", err, said.String())
	}
	return m.heard()
}
