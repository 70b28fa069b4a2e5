package rulesetscmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"
	"github.com/tailscale/hujson"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

const (
	// loadedEvent is the hook of Claude Code that names each rule file which is loaded.
	loadedEvent = "InstructionsLoaded"
	// recordCommand is the command that the hook runs.
	recordCommand = "triptych hook record"
	// maxHookInput limits the input of one call of the hook.
	maxHookInput = 64 << 10
	// maxLoaded is the size at which the record begins again.
	maxLoaded = 4 << 20
)

// A loading is the input of the hook: a file that was loaded, and why
// (code.claude.com/docs/en/hooks).
type loading struct {
	At      time.Time `json:"at"` // when it was recorded
	Event   string    `json:"hook_event_name"`
	Session string    `json:"session_id"`
	Dir     string    `json:"cwd"`
	File    string    `json:"file_path"`
	Kind    string    `json:"memory_type,omitempty"`
	Reason  string    `json:"load_reason,omitempty"`
	Trigger string    `json:"trigger_file_path,omitempty"`
	Parent  string    `json:"parent_file_path,omitempty"`
}

// HookCommand returns the row of triptych hook.
func HookCommand(a *app.App) command.Command { return newCommands(a).hookCommand() }

func (a commands) hookCommand() command.Command {
	return command.Command{
		Name: "hook", Short: "record which rule files an assistant loads",
		Sub: []command.Command{hookInstall(a.IO), {
			Name: "record", Short: "record one rule file that was loaded; the hook calls it",
			Run: func(context.Context, []string) error { return a.recordLoading() },
		}},
	}
}

func hookInstall(out *cmdio.IO) command.Command {
	var dir string
	return command.Command{
		Name: "install", Args: "claude", Min: 1, Max: 1,
		Short: "have Claude Code record the rule files that it loads in a project",
		Long: "Adds the hook " + loadedEvent + " to .claude/settings.local.json, which is for you\n" +
			"alone; other settings stay as they are. The hook notes paths and reasons, no texts,\n" +
			"in loaded.jsonl of triptych's cache. `triptych rulesets explain FILE --observed`\n" +
			"compares them with what is expected.",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&dir, "dir", "", "the project's `folder`; without it the nearest one with .triptych.yaml")
		},
		Complete: func(context.Context, []string) []string { return []string{"claude"} },
		Run: func(_ context.Context, args []string) error {
			if args[0] != "claude" && args[0] != "claude-code" {
				return cmderr.UsageErrorf("%s has no hook that names the rule files which it loads; claude has", args[0])
			}
			root, err := projectRoot(dir)
			if err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Join(root, ".claude"), 0o755); err != nil {
				return err
			}
			name := filepath.Join(root, ".claude", "settings.local.json")
			changed, err := clients.Edit(name, withHook)
			switch {
			case err != nil:
				return err
			case !changed:
				return out.Printf("%s is up to date\n", name)
			}
			return out.Printf("wrote %s\n", name)
		},
	}
}

// withHook adds the hook to the settings of Claude Code.
func withHook(old []byte) ([]byte, error) {
	if len(bytes.TrimSpace(old)) == 0 {
		old = []byte("{}\n")
	}
	settings, err := hujson.Parse(old)
	if err != nil {
		return nil, err
	}
	plain := settings.Clone()
	plain.Standardize()
	var there struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(plain.Pack(), &there); err != nil {
		return nil, fmt.Errorf("the hooks: %w", err)
	}
	entry := `{"hooks": [{"type": "command", "command": "` + recordCommand + `"}]}`
	path, value := "/hooks/"+loadedEvent+"/-", entry
	switch rows, known := there.Hooks[loadedEvent]; {
	case bytes.Contains(rows, []byte(recordCommand)):
		return old, nil
	case there.Hooks == nil:
		path, value = "/hooks", `{"`+loadedEvent+`": [`+entry+`]}`
	case !known:
		path, value = "/hooks/"+loadedEvent, "["+entry+"]"
	}
	if err := settings.Patch([]byte(`[{"op": "add", "path": "` + path + `", "value": ` + value + `}]`)); err != nil {
		return nil, err
	}
	settings.Format()
	return settings.Pack(), nil
}

// loadedFile returns the record of loaded files.
func (b books) loadedFile() (string, error) {
	dir := b.app.Getenv("XDG_CACHE_HOME")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "triptych", "loaded.jsonl"), nil
}

// recordLoading appends the input of the hook to the record. What cannot be recorded does
// not disturb the assistant: the error goes to its log.
func (a commands) recordLoading() error {
	text, err := io.ReadAll(io.LimitReader(a.In, maxHookInput))
	if err != nil {
		return err
	}
	var l loading
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("the input of the hook: %w", err)
	}
	if l.Event != loadedEvent || l.File == "" {
		return nil
	}
	l.At = a.app.Now().UTC().Truncate(time.Second)
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	name, err := a.loadedFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := os.Stat(name); err == nil && info.Size() > maxLoaded {
		how |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, how, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n')) // one write, so that lines of several hooks stay whole
	return errors.Join(err, f.Close())
}

// loadings returns what the newest session in a project has loaded. Paths of the project
// begin at its root.
func (b books) loadings(root string) (all []loading, err error) {
	name, err := b.loadedFile()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	roots := []string{root}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		roots = append(roots, real)
	}
	session := "" // of the last line
	for line := range bytes.Lines(text) {
		var l loading
		if json.Unmarshal(line, &l) != nil {
			continue // a line that is being written
		}
		if _, ok := inProject(roots, l.Dir); !ok {
			continue
		}
		for _, path := range []*string{&l.File, &l.Trigger, &l.Parent} {
			if rel, ok := inProject(roots, *path); ok {
				*path = rel
			}
		}
		session, all = l.Session, append(all, l)
	}
	return slices.DeleteFunc(all, func(l loading) bool { return l.Session != session }), nil
}

// inProject returns an absolute path as one from a root of the project, with /.
func inProject(roots []string, name string) (rel string, ok bool) {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}
