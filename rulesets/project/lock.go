package project

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// LockFile is the file that records the rule files that were written.
const LockFile = "triptych.lock"

// lockHead is the first line of a lock. Its number changes when the format does.
const lockHead = "triptych-lock 1\n"

const lockComment = `# Written by triptych rulesets pull, for git to keep. Each line is a file, or a block in
# a file of yours: the sha256 of its text, with line ends of \n, its path, and the
# revisions of the rulesets in it.
`

// A Lock records the files and blocks that were written into a project.
type Lock struct{ Entries []Entry }

// An Entry is a file or a block that was written.
type Entry struct {
	Path   string
	Shared bool
	Sum    string // of the content, as Sum returns it, or absent
	// Was is the hash of the content before a run that was interrupted, or is under
	// way, or absent; empty if there is no such run.
	Was string
	// Found is set for a file that the project had with this content before it was
	// written: the rule is at home there.
	Found bool
	Parts []editors.Part
}

// absent stands for the hash of a file that does not exist.
const absent = "-"

// Sum returns the hash of a content; line ends of texts count as \n.
func Sum(content []byte) string {
	sum := sha256.Sum256(normal(content))
	return hex.EncodeToString(sum[:])
}

// Text returns the lock as a file: a line for each entry, sorted by path.
func (l Lock) Text() []byte {
	slices.SortFunc(l.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	b.WriteString(lockHead + lockComment)
	for _, e := range l.Entries {
		kind := "file"
		if e.Shared {
			kind = "block"
		}
		path := e.Path
		if strings.ContainsAny(path, " \t\"\\\n") {
			path = strconv.Quote(path)
		}
		b.WriteString(kind + " " + e.Sum + " " + path)
		for _, p := range e.Parts {
			b.WriteString(" " + p.String())
		}
		if e.Found {
			b.WriteString(" found")
		}
		if e.Was != "" {
			b.WriteString(" was:" + e.Was)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// ParseLock reads a [LockFile].
func ParseLock(data []byte) (Lock, error) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, lockHead)
	if !ok {
		return Lock{}, fmt.Errorf("%s is not of format 1: this program is too old for it, or it was edited", LockFile)
	}
	var l Lock
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		entry, err := parseEntry(line)
		if err != nil {
			return Lock{}, fmt.Errorf("%s: %w in the line %q", LockFile, err, line)
		}
		l.Entries = append(l.Entries, entry)
	}
	return l, nil
}

func parseEntry(line string) (e Entry, err error) {
	kind, rest, _ := strings.Cut(line, " ")
	e.Shared = kind == "block"
	if !e.Shared && kind != "file" {
		return e, fmt.Errorf("%q is neither file nor block", kind)
	}
	e.Sum, rest, _ = strings.Cut(rest, " ")
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return e, err
		}
		if e.Path, err = strconv.Unquote(quoted); err != nil {
			return e, err
		}
		rest = strings.TrimPrefix(rest[len(quoted):], " ")
	} else {
		e.Path, rest, _ = strings.Cut(rest, " ")
	}
	if len(e.Sum) != 64 && e.Sum != absent || e.Path == "" {
		return e, fmt.Errorf("a hash and a path are missing")
	}
	if !fs.ValidPath(e.Path) {
		return e, fmt.Errorf("%q is not a path from the project's folder", e.Path)
	}
	for word := range strings.FieldsSeq(rest) {
		if e.Found = e.Found || word == "found"; word == "found" {
			continue
		}
		if was, ok := strings.CutPrefix(word, "was:"); ok {
			e.Was = was
			continue
		}
		name, rev, _ := strings.Cut(word, "@")
		number, err := strconv.Atoi(rev)
		if err != nil {
			return e, fmt.Errorf("%q is not NAME@REVISION", word)
		}
		e.Parts = append(e.Parts, editors.Part{Name: ruleset.Name(name), Rev: number})
	}
	return e, nil
}

// Revisions returns the revision of each ruleset in the lock.
func (l Lock) Revisions() map[ruleset.Name]int {
	revs := map[ruleset.Name]int{}
	for _, e := range l.Entries {
		for _, p := range e.Parts {
			revs[p.Name] = p.Rev
		}
	}
	return revs
}

func (l Lock) byPath() map[string]Entry {
	m := make(map[string]Entry, len(l.Entries))
	for _, e := range l.Entries {
		m[e.Path] = e
	}
	return m
}
