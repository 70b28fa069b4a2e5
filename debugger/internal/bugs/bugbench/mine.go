package main

import (
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The words of messages that speak of a fault, and of tidying up.
var (
	faulty = regexp.MustCompile(`(?i)\b(fix(es|ed)?|bug|leak(s|ed|ing)?|overflow|underflow|crash(es|ed)?|null|nil|dereference|race|deadlock|wrong|incorrect(ly)?|missing|forg[eo]t(ten)?|unchecked|use.after.free|double.free|uninitiali[sz]ed|out.of.bounds|off.by.one|panic|invalid|regression|CVE)\b`)
	tidy   = regexp.MustCompile(`(?i)\b(typos?|comments?|style|indent\w*|warnings?|renam\w+|format(ting)?|docs?|documentation|spelling|lint\w*|refactor\w*|clean ?-?ups?|cosmetic|copyright|whitespace|revert|merge|bump|version|deprecat\w*|convert|migrate|replace all|logging|log messages?)\b`)
)

// Limits of what counts, see the package comment.
const (
	maxFiles   = 12
	maxPlaces  = 40
	maxChanged = 8
	minWords   = 4
	minCommon  = 0.6
	apart      = 15
	perProject = 20
)

// mine prints the fixes of clones.
func mine(ctx context.Context, dirs []string, out io.Writer) error {
	for _, dir := range dirs {
		c := openClone(dir)
		fixes, err := c.fixes(ctx)
		if err != nil {
			return err
		}
		for _, f := range spread(fixes, perProject) {
			if _, err := fmt.Fprintln(out, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread returns at most n of all, evenly.
func spread(all []fix, n int) []fix {
	if len(all) <= n {
		return all
	}
	var some []fix
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// fixes returns the fixes of a project's history, the newest first.
func (c clone) fixes(ctx context.Context) ([]fix, error) {
	log, err := c.git(ctx, "log", "--no-merges", "-n", "20000", "--format=%x01%H%x02%s%x02%b")
	if err != nil {
		return nil, err
	}
	var found []fix
	for row := range strings.SplitSeq(log, "\x01") {
		parts := strings.SplitN(row, "\x02", 3)
		if len(parts) < 3 || !faulty.MatchString(parts[1]) || tidy.MatchString(parts[1]) {
			continue
		}
		diff, err := c.git(ctx, "show", "--format=", "-U0", "--no-color", "--no-renames", "--diff-filter=M", parts[0])
		if err != nil {
			return nil, err
		}
		if f, ok := fixOf(diff); ok {
			f.project, f.commit = c.project, parts[0]
			found = append(found, f)
		}
	}
	return found, nil
}

// A hunk is one changed place of a diff without context.
type hunk struct {
	place
	changed int             // lines
	words   map[string]bool // of the changed lines
	before  string          // the removed text without blanks
	after   string
	code    bool // a changed line is no comment
	imports bool // a changed line imports or defines something
	acts    bool // a changed line calls or checks something
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+`)

// hunks reads a diff. It returns nothing for one that touches too much.
func hunks(diff string) []hunk {
	var all []hunk
	files := map[string]bool{}
	file, source := "", false
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "--- a/"):
			file = line[len("--- a/"):]
			if source = isSource(file); source {
				files[file] = true
			}
		case strings.HasPrefix(line, "+++ ") || !source:
		case strings.HasPrefix(line, "@@"):
			all = append(all, hunk{place: place{file, lineOf(line)}, words: map[string]bool{}})
		case len(all) > 0 && (line[:min(1, len(line))] == "+" || line[:min(1, len(line))] == "-"):
			all[len(all)-1].add(line)
		}
		if len(files) > maxFiles || len(all) > maxPlaces {
			return nil
		}
	}
	return all
}

// lineOf returns the line in the parent that a hunk changes, or is put before.
func lineOf(head string) int {
	m := hunkHead.FindStringSubmatch(head)
	if m == nil {
		return 0
	}
	var at, n int
	_, _ = fmt.Sscan(m[1], &at) // digits by the expression
	if m[2] == "" {
		return at
	}
	_, _ = fmt.Sscan(m[2], &n)
	if n == 0 {
		return max(1, at)
	}
	return at
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[^\sA-Za-z0-9_(){}\[\],;]+`)

func (h *hunk) add(line string) {
	h.changed++
	for _, w := range word.FindAllString(line[1:], -1) {
		h.words[w] = true
	}
	bare := strings.Join(strings.Fields(line[1:]), "")
	if bare != "" && !commented.MatchString(bare) && (path.Ext(h.file) != ".py" || bare[0] != '#') {
		h.code = true
	}
	h.imports = h.imports || importing.MatchString(strings.TrimSpace(line[1:]))
	h.acts = h.acts || strings.Contains(bare, "(") && !commented.MatchString(bare) && !declaring.MatchString(strings.TrimSpace(line[1:]))
	if line[0] == '-' {
		h.before += bare
	} else {
		h.after += bare
	}
}

// commented matches a line that is a comment, without its blanks.
var commented = regexp.MustCompile(`^(//|/?\*|"""|<!--)`)

// importing matches a line that imports a name or defines a macro.
var importing = regexp.MustCompile(`^(#\s*(include|define|if|endif|pragma)|(pub )?(use|mod|extern)\b|import\b|from\b.*\bimport\b|package\b|(const|var|let)\b.*\brequire\()`)

// declaring matches a line that declares a function.
var declaring = regexp.MustCompile(`^(public|private|protected|static|extern|virtual|def |fn |func |function )`)

// eligible reports whether a hunk may be a place of a fix.
func (h hunk) eligible() bool {
	return h.code && h.changed <= maxChanged && len(h.words) >= minWords && h.before != h.after
}

// alike reports whether two hunks changed alike.
func (h hunk) alike(other hunk) bool {
	common := 0
	for w := range h.words {
		if other.words[w] {
			common++
		}
	}
	return float64(common) >= minCommon*float64(len(h.words)+len(other.words)-common)
}

// fixOf finds the largest group of places that a diff changed alike.
func fixOf(diff string) (fix, bool) {
	all := slices.DeleteFunc(hunks(diff), func(h hunk) bool { return !h.eligible() })
	var best []place
	for i, h := range all {
		group := []place{h.place}
		for _, other := range all[i+1:] {
			if path.Ext(h.file) == path.Ext(other.file) && h.alike(other) && separate(group, other.place) {
				group = append(group, other.place)
			}
		}
		if len(group) > len(best) {
			best = group
		}
	}
	if len(best) < 2 {
		return fix{}, false
	}
	return fix{language: languages[path.Ext(best[0].file)], places: best}, true
}

// separate reports whether a place is far enough from all others.
func separate(group []place, p place) bool {
	return !slices.ContainsFunc(group, func(g place) bool {
		return g.file == p.file && max(g.line, p.line)-min(g.line, p.line) < apart
	})
}
