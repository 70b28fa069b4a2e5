package ruleset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxNameBytes is the longest name a ruleset may have.
const MaxNameBytes = 128

// A Name is a valid ruleset name: ^[a-z0-9]+(_[a-z0-9]+)*$, at most
// [MaxNameBytes] bytes. Only [ParseName] makes one.
type Name string

// ParseName checks s and returns it as a Name, or an [*InvalidNameError].
func ParseName(s string) (Name, error) {
	if !validName(s) {
		return "", &InvalidNameError{Name: s}
	}
	return Name(s), nil
}

// Slug returns the name as Agent Skills and file names have it: go_style becomes go-style.
func (n Name) Slug() string { return strings.ReplaceAll(string(n), "_", "-") }

func validName(s string) bool {
	if s == "" || len(s) > MaxNameBytes {
		return false
	}
	wordBefore := false // the byte before this one was a letter or a digit
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			wordBefore = true
		case c == '_' && wordBefore:
			wordBefore = false
		default:
			return false
		}
	}
	return wordBefore
}

// Meta is a ruleset without its text.
type Meta struct {
	Name         Name
	Description  string
	Tags         []string // never nil after a store returned it
	CreatedAt    time.Time
	LastModified time.Time // UTC, never before CreatedAt
	Summary      Summary   // only lists have it
	// Layer is the layer of a ruleset whose tags name none: that of its store, "" where
	// there is one store.
	Layer string
}

// A Summary holds what lists tell of the text and the front matter. Package frontmatter
// makes it.
type Summary struct {
	Bytes      int    // of the Markdown
	Prompt     bool   // whether it is offered as a prompt
	Activation string // always, glob, auto or manual
}

// A Ruleset is a named Markdown text for AI editors.
type Ruleset struct {
	Meta
	Markdown string
	// Extra holds the front matter keys without a field here, such as an editor's
	// globs, as the lines of a YAML mapping. Stores keep it and do not read it.
	Extra string
	// Files are the files beside the text, in order of path. Lists and [Store.Read] leave
	// them out.
	Files []File
	// Folder reports that the text is the [MainFile] of a folder in the store, which
	// people made: it has no times and no tags of ours.
	Folder bool
	// Rev is the number of the newest revision, which has this content.
	Rev int
}

// SameContent reports whether a and b have the same texts: description, tags, Markdown
// and the extra keys. Their files may differ, see [SameFiles].
func SameContent(a, b Ruleset) bool {
	return a.Description == b.Description && a.Markdown == b.Markdown && a.Extra == b.Extra && slices.Equal(a.Tags, b.Tags)
}

// Compare orders lists: by creation time, then by name.
func Compare(a, b Meta) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Name, b.Name))
}

// An InvalidNameError reports a string that is no ruleset name.
type InvalidNameError struct{ Name string }

func (e *InvalidNameError) Error() string {
	return fmt.Sprintf("invalid ruleset name '%s': must use snake_case (lowercase letters, numbers, and underscores only)", e.Name)
}

// Clone returns a deep copy.
func (m Meta) Clone() Meta {
	m.Tags = copyTags(m.Tags)
	return m
}

// Clone returns a deep copy.
func (r Ruleset) Clone() Ruleset {
	r.Meta, r.Files = r.Meta.Clone(), slices.Clone(r.Files)
	return r
}

func copyTags(tags []string) []string { return append([]string{}, tags...) }

// MaxBytes is the size limit of a ruleset, the sum of all its texts.
const MaxBytes = 16 << 20

// CheckSize returns a [*TooLargeError] if the texts of a ruleset are too large.
func (r Ruleset) CheckSize() error {
	size := len(r.Description) + len(r.Markdown) + len(r.Extra)
	for _, tag := range r.Tags {
		size += len(tag)
	}
	if size > MaxBytes {
		return &TooLargeError{Bytes: size}
	}
	return nil
}
