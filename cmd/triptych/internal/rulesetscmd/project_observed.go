package rulesetscmd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// An observed file was loaded, or was expected to be.
type observed struct {
	Path      string `json:"path"`
	Predicted bool   `json:"predicted"`
	Loaded    bool   `json:"loaded"`
	Reason    string `json:"reason"` // of the client if it was loaded, else of the prediction
	Tokens    int    `json:"tokens"` // about
}

// untold reports whether the client may have loaded a file without telling: it calls its hook for
// no AGENTS.md (seen with Claude Code 2.1.330).
func (o observed) untold() bool { return o.Predicted && !o.Loaded && path.Base(o.Path) == "AGENTS.md" }

// tokensOf estimates the tokens of a text of some bytes.
func tokensOf(bytes int) int { return (bytes + 3) / 4 }

// loadedFor returns the files of the project that were loaded at the start, or for one file.
func loadedFor(all []loading, file string) map[string]loading {
	loaded := map[string]loading{}
	for _, l := range all {
		_, fromLoaded := loaded[l.Parent]
		isFor := l.Trigger == file || l.Trigger == "" && (l.Parent == "" || fromLoaded)
		if isFor && filepath.IsLocal(filepath.FromSlash(l.File)) {
			loaded[l.File] = l
		}
	}
	return loaded
}

// compareObserved compares the files that a client is expected to load with those that it
// has loaded, in order of path.
func compareObserved(verdicts []editors.Verdict, loaded map[string]loading, size func(file string) int) (all []observed) {
	for _, v := range verdicts {
		l, was := loaded[v.Path]
		if v.Loaded || was {
			all = append(all, observed{v.Path, v.Loaded, was, cmp.Or(l.Reason, v.Reason), tokensOf(size(v.Path))})
		}
		delete(loaded, v.Path)
	}
	for file, l := range loaded {
		all = append(all, observed{file, false, true, l.Reason, tokensOf(size(file))})
	}
	slices.SortFunc(all, func(a, b observed) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// explainObserved prints what Claude Code has loaded for a file beside what was expected.
// A difference is an error.
func (a commands) explainObserved(root, file string, asJSON bool, verdicts []editors.Verdict) error {
	all, err := a.loadings(root)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return cmderr.WithHints(errors.New("no session of Claude Code was recorded in this project"),
			"triptych hook install claude records them; begin a session then", "its hook is not called for AGENTS.md")
	}
	files := compareObserved(verdicts, loadedFor(all, file), func(file string) int {
		info, err := os.Stat(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return 0
		}
		return int(info.Size())
	})
	if asJSON {
		if err := a.PrintJSON(files); err != nil {
			return err
		}
	}
	differing, predicted, loaded := 0, 0, 0
	for _, f := range files {
		word := "loaded, as expected"
		switch {
		case f.untold():
			word = "expected, not told"
		case !f.Loaded:
			word, differing = "expected, not loaded", differing+1
		case !f.Predicted:
			word, differing = "loaded, not expected", differing+1
		}
		if f.Predicted {
			predicted += f.Tokens
		}
		if f.Loaded {
			loaded += f.Tokens
		}
		if !asJSON {
			if err := a.Printf("  %-21s %s: %s (about %d tokens)\n", word, f.Path, f.Reason, f.Tokens); err != nil {
				return err
			}
		}
	}
	if !asJSON {
		if err := a.Printf("expected about %d tokens, loaded about %d\n", predicted, loaded); err != nil {
			return err
		}
	}
	if differing > 0 {
		return fmt.Errorf("not as expected: %s", cmdio.Counted(differing, "file"))
	}
	return nil
}
