package selection

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Query asks for the rules of a file.
type Query struct {
	// Path is the file, as [CleanPath] returns it, "" for no file in particular.
	Path string
	// Client is the program that would read the rules, "" for any.
	Client string
}

// A Decision says whether rules apply, and why.
type Decision struct {
	Applies bool
	Reason  string
}

// CleanPath returns a path as globs see it: from the root of the project, with
// slashes. It fails for a path that leads out of the project.
func CleanPath(p string) (string, error) {
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	isDrive := len(clean) > 1 && clean[1] == ':'
	if p == "" || path.IsAbs(clean) || isDrive || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fmt.Errorf("%q is not a path from the root of a project, such as src/api/x.go", p)
	}
	return clean, nil
}

// Decide reports whether rules apply to the file and the client of a query without
// anybody asking for them.
func Decide(f *frontmatter.Fields, q Query) Decision {
	if !f.For(q.Client) {
		return Decision{false, "it is for " + strings.Join(f.Targets, ", ")}
	}
	mode := f.Mode()
	switch unscoped := f.Activation == "" && len(f.Globs) == 0; {
	case unscoped && f.Skill != nil:
		return Decision{false, "it is a skill"}
	case unscoped && f.IsPrompt():
		return Decision{false, "it is a prompt"}
	case mode == frontmatter.Manual:
		return Decision{false, "manual: read only when it is asked for by name"}
	case mode == frontmatter.Auto:
		return Decision{false, "auto: read when the model finds that the description fits"}
	case mode == frontmatter.Always:
		return Decision{true, "always"}
	}
	return byGlobs(f.Globs, q.Path)
}

// byGlobs decides on rules for the files that globs match.
func byGlobs(globs []string, file string) Decision {
	if len(globs) == 0 {
		return Decision{false, "its activation is glob and it has no globs"}
	}
	matched := ""
	for _, glob := range globs {
		_, excludes := normalize(glob)
		switch {
		case matched != "" && !excludes, !Match(glob, file):
		case excludes:
			return Decision{false, "the file matches " + strconv.Quote(glob)}
		default:
			matched = glob
		}
	}
	if matched == "" {
		return Decision{false, "the file does not match " + quoted(globs)}
	}
	return Decision{true, "the file matches " + strconv.Quote(matched)}
}

// maxQuoted is the number of globs in a reason; the rest is counted.
const maxQuoted = 5

func quoted(globs []string) string {
	var parts []string
	for _, glob := range globs[:min(len(globs), maxQuoted)] {
		word := strconv.Quote(glob)
		if !ValidGlob(glob) {
			word += " (not a valid glob)"
		}
		parts = append(parts, word)
	}
	text := strings.Join(parts, ", ")
	if more := len(globs) - maxQuoted; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// A Layer is a level of generality. Lower ones come first.
type Layer int

// The layers.
const (
	Org Layer = iota
	Team
	Project
	User
)

var layerNames = [...]string{"org", "team", "project", "user"}

// String returns the name of the layer.
func (l Layer) String() string { return layerNames[l] }

// LayerOf returns the layer that tags name: the tag begins with org/, team/, project/
// or user/, as org/ alone or team/payments. The first such tag counts. ok is false if
// there is none.
func LayerOf(tags []string) (_ Layer, ok bool) {
	for _, tag := range tags {
		word, _, found := strings.Cut(tag, "/")
		for l, name := range layerNames {
			if found && word == name {
				return Layer(l), true
			}
		}
	}
	return Project, false
}

// ParseLayer returns the layer of a name: org, team, project or user.
func ParseLayer(name string) (_ Layer, ok bool) { return LayerOf([]string{name + "/"}) }

// LayerOfRuleset returns the layer that the tags of a ruleset name, else that of its
// store, else [Project].
func LayerOfRuleset(m ruleset.Meta) Layer {
	layer, ok := LayerOf(m.Tags)
	if !ok && m.Layer != "" {
		layer, _ = ParseLayer(m.Layer)
	}
	return layer
}

// A Place determines where rules stand among those that apply.
type Place struct {
	Layer Layer
	Order int
	Name  string
}

// Compare orders places.
func Compare(a, b Place) int {
	return cmp.Or(cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Order, b.Order), strings.Compare(a.Name, b.Name))
}
