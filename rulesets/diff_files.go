package rulesets

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Contents returns the bytes of a file that a revision of a ruleset has. An error means
// that a diff shows the size and the digest of the file only. So does nil in place of
// the function.
type Contents func(name ruleset.Name, file ruleset.File) ([]byte, error)

// ContentsOf returns the contents of files that a store has recorded.
func ContentsOf(ctx context.Context, store ruleset.Store) Contents {
	files, ok := ruleset.FilesOf(store)
	if !ok {
		return nil
	}
	return func(name ruleset.Name, file ruleset.File) ([]byte, error) { return files.ReadRevised(ctx, name, file) }
}

// with returns contents that include the files of operations that may not be done yet.
func (c Contents) with(ops []ruleset.Operation) Contents {
	pending := map[ruleset.Digest][]byte{}
	add := func(changes []ruleset.FileChange) {
		for _, change := range changes {
			if change.Data != nil {
				pending[ruleset.FileOf(change.Path, change.Data).SHA256] = change.Data
			}
		}
	}
	for i := range ops {
		if ops[i].Create != nil {
			add(ops[i].Create.Files)
		}
		if ops[i].Update != nil {
			add(ops[i].Update.Files)
		}
	}
	return func(name ruleset.Name, file ruleset.File) ([]byte, error) {
		if data, ok := pending[file.SHA256]; ok {
			return data, nil
		}
		if c == nil {
			return nil, &ruleset.NoFileError{Name: name, Path: file.Path}
		}
		return c(name, file)
	}
}

// maxDiffedFile is the size above which files are compared by their digests.
const maxDiffedFile = 512 << 10

// text returns a file as a text; ok is false if it is binary, too large or not known.
func (c Contents) text(name ruleset.Name, file *ruleset.File) (text string, ok bool) {
	if file == nil {
		return "", true
	}
	if c == nil || file.Size > maxDiffedFile {
		return "", false
	}
	data, err := c(name, *file)
	return string(data), err == nil && utf8.Valid(data) && bytes.IndexByte(data, 0) < 0
}

// fileDocuments returns the files in which two revisions differ, in order of path.
func fileDocuments(from, to ruleset.Revision, contents Contents) (all []document) {
	before, after := byPath(from.Content.Files), byPath(to.Content.Files)
	paths := slices.Collect(maps.Keys(before))
	paths = slices.AppendSeq(paths, maps.Keys(after))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		old, now := before[path], after[path]
		if old != nil && now != nil && *old == *now {
			continue
		}
		d := document{from: fileName(from, path, old), to: fileName(to, path, now)}
		var isText, wasText bool
		d.before, wasText = contents.text(from.Content.Name, old)
		d.after, isText = contents.text(to.Content.Name, now)
		if !wasText || !isText || d.before == d.after {
			d.note = fmt.Sprintf("--- %s\n+++ %s\n%s%s", d.from, d.to, fileLine("-", old), fileLine("+", now))
		}
		all = append(all, d)
	}
	return all
}

func byPath(files []ruleset.File) map[string]*ruleset.File {
	all := make(map[string]*ruleset.File, len(files))
	for i := range files {
		all[files[i].Path] = &files[i]
	}
	return all
}

// fileName names a file of a revision as diffs do.
func fileName(r ruleset.Revision, path string, file *ruleset.File) string {
	if file == nil {
		return "/dev/null"
	}
	return revisionName(r) + "/" + path
}

// fileLine describes a file whose text is not shown.
func fileLine(mark string, file *ruleset.File) string {
	if file == nil {
		return ""
	}
	return fmt.Sprintf("%s%d bytes, SHA-256 %s\n", mark, file.Size, file.SHA256)
}
