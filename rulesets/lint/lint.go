package lint

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// Options are the options of [All].
type Options struct {
	// Project, if not nil, is the folder in which globs should match a file.
	Project fs.FS
	// Resolve, if not nil, checks the includes of a ruleset.
	Resolve func(r ruleset.Ruleset) error
	// Now is the time by which texts are due for review; the zero time leaves them out.
	Now time.Time
}

// checks are the checks of each text.
var checks = []func(text){checkHidden, checkSecrets, checkCommands, checkBase64, checkHosts}

// Ruleset checks one ruleset by itself. Of a rule it returns the first findings, and
// counts the rest in one more. What is beyond the limits of the work is a finding.
func Ruleset(r ruleset.Ruleset) []Finding {
	c := newCollector()
	for _, t := range []text{
		{r.Name, "description", r.Description, c}, {r.Name, "tags", strings.Join(r.Tags, "\n"), c},
		{r.Name, "front matter", r.Extra, c}, {r.Name, "markdown", r.Markdown, c},
	} {
		t = t.cut()
		for _, check := range checks {
			check(t)
		}
		switch t.field {
		case "markdown":
			checkComments(t)
		case "description":
			checkDescription(t)
		}
	}
	for _, f := range slices.Concat(frontMatter(r), importedFiles(r), budgets(r)) {
		c.add(f)
	}
	found := c.findings()
	sortFindings(found)
	return found
}

// All checks rulesets by themselves and together.
func All(all []ruleset.Ruleset, o Options) []Finding {
	var found []Finding
	first := map[[sha256.Size]byte]ruleset.Name{}
	for _, r := range all {
		found = append(found, Ruleset(r)...)
		found = append(found, duplicate(r, first)...)
		found = append(found, o.deadGlobs(r)...)
		if due, is := Due(r, o.Now); is {
			found = append(found, due)
		}
		if o.Resolve != nil {
			if err := o.Resolve(r); err != nil {
				found = append(found, Finding{r.Name, "include", Error, "front matter", 1, 1, err.Error()})
			}
		}
	}
	sortFindings(found)
	return found
}

// frontMatter reports keys that cannot be read, and globs that are not valid.
func frontMatter(r ruleset.Ruleset) []Finding {
	fields, problems := frontmatter.Of(r)
	var found []Finding
	for _, p := range problems {
		found = append(found, Finding{r.Name, "front-matter", Warning, "front matter", p.Line, 1, p.String()})
	}
	for _, glob := range fields.Globs {
		if !selection.ValidGlob(glob) {
			found = append(found, Finding{r.Name, "glob", Warning, "front matter", 1, 1, fmt.Sprintf("%q is not a valid glob", glob)})
		}
	}
	return found
}

// deadGlobs reports the globs of a ruleset that match no file of the project.
func (o Options) deadGlobs(r ruleset.Ruleset) []Finding {
	fields, _ := frontmatter.Of(r)
	if o.Project == nil || len(fields.Globs) == 0 {
		return nil
	}
	alive := map[string]bool{}
	_ = fs.WalkDir(o.Project, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what cannot be read has no rules
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		for _, glob := range fields.Globs {
			alive[glob] = alive[glob] || selection.Match(glob, path)
		}
		return nil
	})
	var found []Finding
	for _, glob := range fields.Globs {
		if selection.ValidGlob(glob) && !alive[glob] {
			found = append(found, Finding{r.Name, "glob", Warning, "front matter", 1, 1, fmt.Sprintf("%q matches no file of the project", glob)})
		}
	}
	return found
}

// minDuplicate is the length from which equal texts are no accident.
const minDuplicate = 80

// duplicate reports a text that another ruleset has, apart from white space.
func duplicate(r ruleset.Ruleset, first map[[sha256.Size]byte]ruleset.Name) []Finding {
	plain := strings.Join(strings.Fields(r.Markdown), " ")
	if len(plain) < minDuplicate {
		return nil
	}
	sum := sha256.Sum256([]byte(plain))
	other, known := first[sum]
	if !known {
		first[sum] = r.Name
		return nil
	}
	return []Finding{{r.Name, "duplicate", Warning, "markdown", 1, 1, fmt.Sprintf("the text is that of %s", other)}}
}

// budgets reports a text that is larger than a client reads of one file.
func budgets(r ruleset.Ruleset) []Finding {
	fields, _ := frontmatter.Of(r)
	var found []Finding
	for _, c := range editors.Clients {
		for _, b := range c.Budgets {
			size := b.Measure([]byte(r.Markdown))
			if b.Of != editors.UserBudget && size > b.Size && fields.For(c.Name) {
				found = append(found, Finding{
					r.Name, "budget", Note, "markdown", 1, 1,
					fmt.Sprintf("%d %s; the limit of %s for %s is %d: %s", size, b.Unit(), c.Name, b.Of, b.Size, b.Effect),
				})
			}
		}
	}
	return found
}
