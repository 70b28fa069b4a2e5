package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of what counts as a pair, see the package comment.
const (
	leastDays     = 1
	mostChanges   = 8
	mostHunks     = 40 // hunks that have a word, beyond which it says nothing
	contextLines  = 2  // lines before and after a place that must have stood there before
	leastDistinct = 12 // letters of the place and its context
)

// pairs prints the pairs of clones: a fix, and the places that a later fix changed alike
// and that stood there before the first one.
func pairs(ctx context.Context, dirs []string, out io.Writer) error {
	for _, dir := range dirs {
		c := openClone(dir)
		found, err := c.pairs(ctx)
		if err != nil {
			return err
		}
		for _, f := range spread(found, perProject) {
			if _, err := fmt.Fprintln(out, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// building matches subjects of commits that mend how a program is built.
var building = regexp.MustCompile(`(?i)\b(import aliases|compil\w+|build|[a-z]*lint|prototype|coverity|license|header)\b`)

// A revision is a commit that mends a fault, with its hunks.
type revision struct {
	commit, subject string
	time            int64
	hunks           []hunk
}

// A changed is a hunk of a revision.
type changed struct {
	of *revision
	hunk
}

// pairs returns the pairs of a project's history, the newest first.
func (c clone) pairs(ctx context.Context) ([]fix, error) {
	all, err := c.revisions(ctx)
	if err != nil {
		return nil, err
	}
	byWord := map[string][]changed{}
	for _, r := range all {
		for _, h := range r.hunks {
			for w := range h.words {
				byWord[w] = append(byWord[w], changed{r, h})
			}
		}
	}
	var found []fix
	used := map[*revision]bool{}
	for _, later := range all {
		if f, earlier, ok := c.pair(ctx, later, byWord, used); ok {
			used[later], used[earlier] = true, true
			found = append(found, f)
		}
	}
	return found, nil
}

// pair returns the pair whose second commit is later.
func (c clone) pair(ctx context.Context, later *revision, byWord map[string][]changed, used map[*revision]bool) (fix, *revision, bool) {
	if used[later] {
		return fix{}, nil, false
	}
	for _, h := range later.hunks {
		for _, first := range earlier(later, h, byWord) {
			if used[first.of] {
				continue
			}
			if line := c.lineBefore(ctx, first.of, later, h); line > 0 && separate([]place{first.place}, place{h.file, line}) {
				return fix{
					project: c.project, commit: first.of.commit, language: languages[path.Ext(h.file)],
					places: []place{first.place, {h.file, line}},
				}, first.of, true
			}
		}
	}
	return fix{}, nil, false
}

// earlier returns the hunks of earlier revisions that are alike, the newest first.
func earlier(later *revision, h hunk, byWord map[string][]changed) []changed {
	var found []changed
	for w := range h.words {
		if len(w) < 4 || len(byWord[w]) > mostHunks {
			continue
		}
		for _, other := range byWord[w] {
			known := slices.ContainsFunc(found, func(f changed) bool { return f.of == other.of && f.place == other.place })
			if !known && later.time-other.of.time >= leastDays*86400 && later.subject != other.of.subject &&
				path.Ext(h.file) == path.Ext(other.file) && h.alike(other.hunk) {
				found = append(found, other)
			}
		}
	}
	slices.SortFunc(found, func(a, b changed) int {
		return cmp.Or(cmp.Compare(b.of.time, a.of.time), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return found[:min(len(found), 8)]
}

// lineBefore returns the line of the place that a later commit changes in the tree before
// an earlier commit, or 0 if its lines were not there, or more than once.
func (c clone) lineBefore(ctx context.Context, first, later *revision, h hunk) int {
	after, err := c.git(ctx, "show", later.commit+"^:"+h.file)
	if err != nil {
		return 0
	}
	cmd := exec.CommandContext(ctx, "git", "--git-dir", c.dir, "show", first.commit+"^:"+h.file)
	text, err := cmd.Output()
	if err != nil {
		return 0 // the file is newer
	}
	lines := strings.Split(after, "\n")
	from, to := max(0, h.line-1-contextLines), min(len(lines), h.line+contextLines)
	if from >= to {
		return 0
	}
	part := strings.Join(lines[from:to], "\n") + "\n"
	before := "\n" + string(text)
	if len(strings.Join(strings.Fields(part), "")) < leastDistinct || strings.Count(before, "\n"+part) != 1 {
		return 0
	}
	return strings.Count(before[:strings.Index(before, "\n"+part)+1], "\n") + h.line - 1 - from
}

// revisions returns the commits of a project that mend faults, the newest first.
func (c clone) revisions(ctx context.Context) ([]*revision, error) {
	log, err := c.git(ctx, "log", "--no-merges", "-n", "25000", "--format=%H%x02%ct%x02%s")
	if err != nil {
		return nil, err
	}
	var all []*revision
	byCommit := map[string]*revision{}
	for row := range strings.Lines(log) {
		parts := strings.SplitN(strings.TrimSpace(row), "\x02", 3)
		if len(parts) == 3 && faulty.MatchString(parts[2]) && !tidy.MatchString(parts[2]) && !building.MatchString(parts[2]) {
			at, _ := strconv.ParseInt(parts[1], 10, 64) // git prints a number
			r := &revision{commit: parts[0], subject: parts[2], time: at}
			all, byCommit[r.commit] = append(all, r), r
		}
	}
	return all, c.diffs(ctx, all, func(commit, diff string) {
		r, all := byCommit[commit], hunks(diff)
		if len(all) > mostChanges {
			return
		}
		r.hunks = slices.DeleteFunc(all, func(h hunk) bool { return !h.eligible() || h.imports || !h.acts })
	})
}

// diffs passes the diffs of commits to a function.
func (c clone) diffs(ctx context.Context, all []*revision, visit func(commit, diff string)) error {
	var ids strings.Builder
	for _, r := range all {
		fmt.Fprintln(&ids, r.commit)
	}
	cmd := exec.CommandContext(ctx, "git", "--git-dir", c.dir, "diff-tree", "--stdin", "-r", "-p", "-U0",
		"--no-color", "--no-renames", "--diff-filter=M", "--pretty=format:%x01%H")
	cmd.Stdin, cmd.Stderr = strings.NewReader(ids.String()), os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	from := bufio.NewReader(pipe)
	for {
		text, err := from.ReadString('\x01')
		commit, diff, ok := strings.Cut(strings.TrimSuffix(text, "\x01"), "\n")
		if ok && len(commit) == 40 {
			visit(commit, diff)
		}
		if err != nil {
			return cmd.Wait()
		}
	}
}
