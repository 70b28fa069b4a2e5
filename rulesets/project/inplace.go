package project

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// markInPlace notes of which rules the text is already in the file that they were imported
// from: that file is the ruleset, and the text is not written a second time.
func (p *Project) markInPlace(rules []editors.Rule) {
	locked := p.Lock.byPath()
	for i := range rules {
		r := &rules[i]
		file := r.Own[editors.SharedForm].File.Path
		if file == "" || !fs.ValidPath(file) {
			continue
		}
		entry := locked[file]
		isLocked := entry.Path != "" && !entry.Shared && slices.ContainsFunc(entry.Parts, func(part editors.Part) bool { return part.Name == r.Name })
		if !isLocked && !p.holds(file, *r) {
			continue
		}
		r.InPlace = append([]string{file}, p.links.to(file)...)
	}
}

// holds reports whether the text of a file, outside of the block, is that of a rule.
func (p *Project) holds(file string, r editors.Rule) bool {
	data, exists, err := p.links.read(file)
	if err != nil || !exists {
		return false
	}
	block, err := editors.SplitBlock(data)
	return err == nil && editors.SameText(block.Before+block.After, r)
}

// links finds the places of files behind links that stay in the project.
type links struct {
	dir  string // of the project
	disk *disk
}

// to returns the files with names that clients load which are links to a file.
func (l links) to(file string) (links []string) {
	real, _, err := l.resolve(file)
	if err != nil {
		return nil
	}
	for _, name := range editors.SharedNames() {
		other := path.Join(path.Dir(file), name)
		if other == file {
			continue
		}
		if at, linked, err := l.resolve(other); err == nil && linked && at == real {
			links = append(links, other)
		}
	}
	return links
}

// read reads a file, also through links that stay in the project.
func (l links) read(file string) ([]byte, bool, error) {
	data, exists, err := l.disk.read(file)
	if _, linked := errors.AsType[*LinkError](err); linked {
		real, _, err := l.resolve(file)
		if err != nil {
			return nil, false, err
		}
		return l.disk.read(real)
	}
	return data, exists, err
}

// exists reports whether a file of the project can be read.
func (l links) exists(file string) bool {
	_, exists, err := l.read(file)
	return err == nil && exists
}

// real returns the place of a file without links; where it is in none, the file itself.
func (l links) real(file string) string {
	if at, _ := l.of(file); at != "" {
		return at
	}
	return file
}

// resolve returns the place of a file in the project without links; linked reports whether
// there are any. A link out of the project is an error.
func (l links) resolve(file string) (real string, linked bool, err error) {
	root, err := filepath.EvalSymlinks(l.dir)
	if err != nil {
		return "", false, err
	}
	head, tail := file, ""
	for {
		at, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(head)))
		switch {
		case err == nil:
			rel, err := filepath.Rel(root, at)
			if err != nil || !filepath.IsLocal(rel) {
				return "", true, &LinkError{file}
			}
			real = path.Join(filepath.ToSlash(rel), tail)
			return real, real != file, nil
		case head == "." || !errors.Is(err, fs.ErrNotExist):
			return "", false, err
		}
		head, tail = path.Dir(head), path.Join(path.Base(head), tail)
	}
}

// throughLinks returns files with the places that links lead to. A file that is a link
// itself is never replaced; one that leads to the same text needs nothing.
func (p *Project) throughLinks(files []editors.File) (kept []editors.File, told []string) {
	planned, locked := map[string]bool{}, p.Lock.byPath()
	for _, file := range files {
		planned[file.Path] = true
	}
	for _, file := range files {
		real, isFolder := p.links.of(file.Path)
		switch {
		case real == "":
			kept = append(kept, file)
		case planned[real] || (!isFolder || locked[real].Path == "") && p.links.same(file, real):
			told = append(told, fmt.Sprintf("%s is a link to %s: nothing to do", file.Path, real))
		case isFolder:
			planned[real] = true
			file.Path = real
			kept = append(kept, file)
		default:
			kept = append(kept, file) // reading it says that it is a link
		}
	}
	return kept, told
}

// of returns the place that links on the way to a file lead to, "" if there are none
// or they leave the project; isFolder is false if the file itself is a link.
func (l links) of(file string) (real string, isFolder bool) {
	_, err := l.disk.dir(path.Dir(file))
	if _, linked := errors.AsType[*LinkError](err); linked {
		isFolder = true
	} else if _, _, err = l.disk.read(file); err == nil {
		return "", false
	}
	if _, linked := errors.AsType[*LinkError](err); !linked {
		return "", false
	}
	real, linked, err := l.resolve(file)
	if err != nil || !linked {
		return "", false
	}
	return real, isFolder
}

// same reports whether the file that a link leads to serves the link's clients
// already.
func (l links) same(file editors.File, real string) bool {
	data, exists, err := l.disk.read(real)
	if err != nil || !exists {
		return false
	}
	if file.Shared {
		return strings.Contains(string(file.Content), "\n@"+real+"\n") // it would import itself
	}
	return string(normal(data)) == string(normal(file.Content))
}

// reshaped returns the entry of a file that was written in another form: as a block, where
// it is the ruleset now, or the other way round. It describes the same bytes.
func reshaped(file editors.File, entry Entry, data []byte) Entry {
	if file.Content == nil || entry.Was != "" || file.Shared == entry.Shared && entry.Path != "" || !file.Whole && entry.Path == "" {
		return entry
	}
	block, err := editors.SplitBlock(data)
	switch {
	case err != nil:
	case file.Whole && (entry.Path == "" && string(normal([]byte(block.Before+block.After))) == string(normal(file.Lead)) || entry.Shared && Sum([]byte(block.Text)) == entry.Sum):
		return Entry{Path: file.Path, Sum: Sum(data)}
	case file.Shared && !entry.Shared && Sum(data) == entry.Sum && block.Found:
		return Entry{Path: file.Path, Shared: true, Sum: Sum([]byte(block.Text)), Parts: entry.Parts}
	case file.Shared && !entry.Shared && Sum(data) == entry.Sum:
		return Entry{}
	}
	return entry
}
