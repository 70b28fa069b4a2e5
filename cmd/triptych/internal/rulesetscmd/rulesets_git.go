package rulesetscmd

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/gitsource"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulefiles"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A repository is a git repository that files are imported from.
type repository struct {
	url  string
	tree *gitsource.Tree
}

// fetch replaces the URLs among the arguments of import by folders with their files.
func (t *transfer) fetch(ctx context.Context, args []string, local bool) ([]string, error) {
	places := slices.Clone(args)
	t.repositories = nil
	for i, arg := range args {
		source, isURL, err := gitsource.Parse(arg, local)
		if err != nil {
			return nil, cmderr.UsageErrorf("%v", err)
		}
		if !isURL {
			continue
		}
		tree, err := gitsource.Open(ctx, source.URL, []string{source.Path}, local)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source.URL, err)
		}
		t.repositories = append(t.repositories, &repository{source.URL, tree})
		if tree.Files == 0 && len(tree.Left) == 0 {
			return nil, fmt.Errorf("%s: the repository has no files at %q", source.URL, source.Path)
		}
		places[i] = filepath.Join(tree.Dir, filepath.FromSlash(source.Path))
	}
	return places, nil
}

func (t *transfer) closeRepositories() {
	for _, r := range t.repositories {
		_ = r.tree.Close() // what is left is in the system's folder for temporary files
	}
}

// in returns the repository of a file, and its path there; r is nil for other files.
func (t *transfer) in(file string) (r *repository, rel string) {
	for _, r := range t.repositories {
		if rel, err := filepath.Rel(r.tree.Dir, file); err == nil && filepath.IsLocal(rel) {
			return r, filepath.ToSlash(rel)
		}
	}
	return nil, ""
}

// shown returns a file as people know it.
func (t *transfer) shown(file string) string {
	if r, rel := t.in(file); r != nil {
		return r.url + "#" + rel
	}
	return file
}

// origin returns the reason of a change that comes from a repository, "" for another file.
func (t *transfer) origin(file string) string {
	r, rel := t.in(file)
	if r == nil {
		return ""
	}
	return origin{r.url, rel, r.tree.Commit, objectOf(r.tree, rel)}.String()
}

// objectOf returns the id of what a ruleset is made of: a file, or the folder of a skill.
func objectOf(tree *gitsource.Tree, rel string) string {
	if path.Base(rel) == ruleset.MainFile {
		return cmp.Or(tree.Object(path.Dir(rel)), tree.Commit) // the folder may be the whole
	}
	return tree.Object(rel)
}

// addRepositories gives files their places in repositories, and adds the entries that were
// not read.
func (t *transfer) addRepositories(found *rulefiles.Found) {
	for i := range found.Files {
		if r, rel := t.in(found.Files[i].Path); r != nil {
			found.Files[i].Rel = rel
		}
	}
	for _, r := range t.repositories {
		var some []rulefiles.Left
		for name, reason := range r.tree.Left {
			some = append(some, rulefiles.Left{Path: filepath.Join(r.tree.Dir, filepath.FromSlash(name)), Reason: reason})
		}
		slices.SortFunc(some, func(a, b rulefiles.Left) int { return strings.Compare(a.Path, b.Path) })
		found.Left = append(found.Left, some...)
	}
}

// An origin names the place in a repository that a revision was imported from.
type origin struct{ url, path, commit, object string }

// String returns the origin as the reason of a revision.
func (o origin) String() string {
	return fmt.Sprintf("imported from %s#%s at %s/%s", o.url, (&url.URL{Path: o.path}).EscapedPath(), o.commit, o.object)
}

var originForm = regexp.MustCompile(`^imported from ([^\s#]+)#(\S+) at ([0-9a-f]{40,64})/([0-9a-f]{40,64})$`)

// parseOrigin reads the reason of a revision.
func parseOrigin(message string) (o origin, ok bool) {
	m := originForm.FindStringSubmatch(message)
	if m == nil {
		return o, false
	}
	place, err := url.PathUnescape(m[2])
	return origin{m[1], place, m[3], m[4]}, err == nil
}

// lastOrigin returns the newest revision of a history that was imported from a repository.
func lastOrigin(history []ruleset.Revision) (o origin, rev int, ok bool) {
	for _, r := range history {
		if r.Deleted {
			return o, 0, false // what was made after a deletion is another ruleset
		}
		if o, ok := parseOrigin(r.By.Message); ok {
			return o, r.Number, true
		}
	}
	return o, 0, false
}
