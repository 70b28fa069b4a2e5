package main

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

// printDiff prints what changed in the tools since a release: since a file that
// `triptych tools --json` wrote, or since a git revision of this repository,
// whose golden files hold the tools.
func (a *app) printDiff(ctx context.Context, tools []toolInfo, ref string) error {
	before, err := readSurface(ctx, ref)
	if err != nil {
		return hinted(fmt.Errorf("read the tools of %s: %w", ref, err),
			"name a file that `triptych tools --json` wrote, or a git revision while in the repository")
	}
	after := map[string]surface{}
	for _, tool := range tools {
		if err := addSurface(after, tool.raw); err != nil {
			return err
		}
	}
	for _, line := range diffSurfaces(before, after) {
		if err := a.printf("%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// A surface is the part of one tool that clients see.
type surface struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Input       schemaShape     `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	Annotations json.RawMessage `json:"annotations"`
}

// addSurface adds a tool under its portable name.
func addSurface(to map[string]surface, raw []byte) error {
	var s surface
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	to[strings.ReplaceAll(s.Name, "/", "_")] = s
	return nil
}

func readSurface(ctx context.Context, ref string) (map[string]surface, error) {
	text, err := os.ReadFile(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return gitSurface(ctx, ref)
	}
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	all := map[string]surface{}
	for _, raw := range list {
		if err := addSurface(all, raw); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// gitSurface reads the golden files of the families at a revision.
func gitSurface(ctx context.Context, ref string) (map[string]surface, error) {
	if strings.HasPrefix(ref, "-") {
		return nil, misused("%q is no revision", ref)
	}
	names, err := git(ctx, "ls-tree", "-r", "--name-only", "--full-tree", ref)
	if err != nil {
		return nil, err
	}
	all := map[string]surface{}
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSpace(name)
		if !strings.Contains(name, "/testdata/tools/") || !strings.HasSuffix(name, ".golden.json") || strings.Count(name[:strings.Index(name, "/testdata/")], "/") > 0 {
			continue
		}
		raw, err := git(ctx, "show", ref+":"+name)
		if err != nil {
			return nil, err
		}
		if err := addSurface(all, raw); err != nil {
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

// diffSurfaces lists tools that came and went, and what changed of the others, by
// name.
func diffSurfaces(before, after map[string]surface) []string {
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
func (s *surface) changes(now *surface) []string {
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

func argumentChanges(before, now *schemaShape) (changes []string) {
	for _, old := range before.Properties {
		at := slices.IndexFunc(now.Properties, func(m orderedMember) bool { return m.name == old.name })
		needed, needs := slices.Contains(before.Required, old.name), slices.Contains(now.Required, old.name)
		switch {
		case at < 0:
			changes = append(changes, "argument "+old.name+" removed")
		case !needed && needs:
			changes = append(changes, "argument "+old.name+" became required")
		case needed && !needs:
			changes = append(changes, "argument "+old.name+" became optional")
		case compact(old.value) != compact(now.Properties[at].value):
			changes = append(changes, "argument "+old.name+" changed")
		}
	}
	for _, m := range now.Properties {
		if !slices.ContainsFunc(before.Properties, func(old orderedMember) bool { return old.name == m.name }) {
			changes = append(changes, "argument "+m.name+" added")
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
