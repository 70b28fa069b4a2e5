// Package surface compares the tools of two releases: the part of them that clients
// see.
//
//	before, err := surface.Read(ctx, "v1.0.0") // a git revision, or a file
//	lines := surface.Diff(before, after)
package surface

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// A Tool is the part of one tool that clients see.
type Tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       Schema          `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations json.RawMessage `json:"annotations"`
}

// Add adds a tool under its portable name.
func Add(to map[string]Tool, raw []byte) error {
	var s Tool
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	to[strings.ReplaceAll(s.Name, "/", "_")] = s
	return nil
}

// Read reads the tools of a release by their portable names: from a file that `triptych
// tools --json` wrote, or from the golden files of a git revision of the repository in
// the current folder.
func Read(ctx context.Context, ref string) (map[string]Tool, error) {
	text, err := os.ReadFile(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return readGit(ctx, ref)
	}
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	all := map[string]Tool{}
	for _, raw := range list {
		if err := Add(all, raw); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readGit reads the golden files of the families at a revision.
func readGit(ctx context.Context, ref string) (map[string]Tool, error) {
	names, err := git(ctx, "ls-tree", "-r", "--name-only", "--full-tree", ref)
	if err != nil {
		return nil, err
	}
	all := map[string]Tool{}
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSpace(name)
		if !strings.Contains(name, "/testdata/tools/") || !strings.HasSuffix(name, ".golden.json") || strings.Count(name[:strings.Index(name, "/testdata/")], "/") > 0 {
			continue
		}
		raw, err := git(ctx, "show", ref+":"+name)
		if err != nil {
			return nil, err
		}
		if err := Add(all, raw); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("it has no tools")
	}
	return all, nil
}

func git(ctx context.Context, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(failed.Stderr))
	}
	return out, err
}

// Diff lists tools that came and went, and what changed of the others, by
// name.
func Diff(before, after map[string]Tool) []string {
	var lines []string
	for name, old := range before {
		if now, ok := after[name]; !ok {
			lines = append(lines, "- "+name)
		} else if changes := old.changes(&now); len(changes) > 0 {
			lines = append(lines, "~ "+name+": "+strings.Join(changes, ", "))
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			lines = append(lines, "+ "+name)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return lines
}

// changes lists what differs between two forms of a tool.
func (s *Tool) changes(now *Tool) []string {
	var changes []string
	for _, part := range []struct {
		name        string
		before, now string
	}{
		{"title", s.Title, now.Title},
		{"description", s.Description, now.Description},
		{"hints", compact(s.Annotations), compact(now.Annotations)},
	} {
		if part.before != part.now {
			changes = append(changes, part.name+" changed")
		}
	}
	changes = append(changes, argumentChanges(&s.Input, &now.Input)...)
	if compact(s.Output) != compact(now.Output) {
		changes = append(changes, "structured answer changed")
	}
	return changes
}

func argumentChanges(before, now *Schema) (changes []string) {
	for _, old := range before.Properties {
		at := slices.IndexFunc(now.Properties, func(m Member) bool { return m.Name == old.Name })
		needed, needs := slices.Contains(before.Required, old.Name), slices.Contains(now.Required, old.Name)
		switch {
		case at < 0:
			changes = append(changes, "argument "+old.Name+" removed")
		case !needed && needs:
			changes = append(changes, "argument "+old.Name+" became required")
		case needed && !needs:
			changes = append(changes, "argument "+old.Name+" became optional")
		case compact(old.Value) != compact(now.Properties[at].Value):
			changes = append(changes, "argument "+old.Name+" changed")
		}
	}
	for _, m := range now.Properties {
		if !slices.ContainsFunc(before.Properties, func(old Member) bool { return old.Name == m.Name }) {
			changes = append(changes, "argument "+m.Name+" added")
		}
	}
	return changes
}

// compact is JSON in one form, whatever its white space and escapes.
func compact(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	out, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(out)
}
