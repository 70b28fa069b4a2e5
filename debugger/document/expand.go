package document

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// expand returns a report for every document that the paths and patterns match,
// each document once.
func (l *Library) expand(ctx context.Context, paths []string) ([]PreloadReport, error) {
	var all []PreloadReport
	seen := map[string]bool{}
	for _, p := range paths {
		found, err := l.matches(ctx, p)
		if err != nil {
			found = []PreloadReport{{Path: p, Err: err}}
		}
		for _, r := range found {
			if !seen[r.Path] {
				seen[r.Path] = true
				all = append(all, r)
			}
		}
		if len(all) > MaxPreload {
			return nil, &LimitError{Subject: "preload", What: "documents", Limit: MaxPreload}
		}
	}
	return all, ctx.Err()
}

// matches returns the documents that one path or pattern matches.
func (l *Library) matches(ctx context.Context, name string) ([]PreloadReport, error) {
	if !strings.ContainsAny(name, `*?[`) || isInline(name) {
		return []PreloadReport{{Path: name}}, nil
	}
	if _, err := path.Match(strings.ReplaceAll(filepath.ToSlash(name), "**", "*"), ""); err != nil {
		return nil, fmt.Errorf("pattern %q: %w", name, err)
	}
	places := l.roots.addresses(name)
	if len(places) == 0 {
		return nil, &PermissionError{name, outside}
	}
	var found []PreloadReport
	for _, at := range places {
		files, err := glob(ctx, at)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			found = append(found, PreloadReport{Path: f})
		}
	}
	if len(found) == 0 {
		return nil, &NotFoundError{name}
	}
	return found, nil
}

// maxWalked limits the files and directories that a pattern may visit.
const maxWalked = 1_000_000

// glob returns the regular files and links that match an address, in lexical
// order. It does not follow links to directories.
func glob(ctx context.Context, pattern address) ([]string, error) {
	parts := strings.Split(filepath.ToSlash(pattern.rel), "/")
	start := fixed(parts)
	var found []string
	walked := 0
	err := fs.WalkDir(pattern.root.dir.FS(), start, func(name string, entry fs.DirEntry, err error) error {
		if walked++; walked > maxWalked {
			return &LimitError{Subject: "pattern", What: "files to look at", Limit: maxWalked}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return skipUnreadable(entry, err)
		case entry.IsDir() && !mayContain(parts, name):
			return fs.SkipDir
		case !entry.IsDir() && matchParts(parts, strings.Split(name, "/")):
			found = append(found, filepath.Join(pattern.root.real, filepath.FromSlash(name)))
		}
		return nil
	})
	slices.Sort(found)
	return found, err
}

// skipUnreadable skips files and directories that cannot be read.
func skipUnreadable(entry fs.DirEntry, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		if entry != nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	return err
}

// fixed returns the directory of a pattern before its first wildcard.
func fixed(parts []string) string {
	n := 0
	for n < len(parts)-1 && !strings.ContainsAny(parts[n], `*?[`) {
		n++
	}
	if n == 0 {
		return "."
	}
	return path.Join(parts[:n]...)
}

// mayContain reports whether a directory may contain a match. A pattern without
// ** matches only at its own depth.
func mayContain(parts []string, dir string) bool {
	return dir == "." || slices.Contains(parts, "**") || strings.Count(dir, "/")+1 < len(parts)
}

// matchParts matches a path against a pattern, part by part. It reads the path
// once and tracks the set of parts of the pattern that may come next, so that its
// time is bounded for all patterns.
func matchParts(pattern, name []string) bool {
	next := make([]bool, len(pattern)+1)
	next[0] = true
	skipStars(pattern, next)
	for _, part := range name {
		after := make([]bool, len(pattern)+1)
		for i, p := range pattern {
			if !next[i] {
				continue
			}
			if p == "**" {
				after[i] = true
			} else if ok, _ := path.Match(p, part); ok { // the pattern is valid
				after[i+1] = true
			}
		}
		skipStars(pattern, after)
		next = after
	}
	return next[len(pattern)]
}

// skipStars adds the parts that may come next if a ** matches nothing.
func skipStars(pattern []string, next []bool) {
	for i, p := range pattern {
		if next[i] && p == "**" {
			next[i+1] = true
		}
	}
}
