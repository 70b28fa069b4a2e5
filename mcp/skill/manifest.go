package skill

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/mcp"
)

// Scheme is the scheme of the URIs.
const Scheme = "skill"

// MainFile is the file that makes a folder a skill.
const MainFile = "SKILL.md"

// The limits of SEP-2640 that every host accepts.
const (
	MaxFiles = 512
	MaxBytes = 16 << 20
)

// maxPath is the longest path of a file, in bytes.
const maxPath = 512

// A File is a file of a skill.
type File struct {
	Path   string // slash-separated, below the folder of the skill
	SHA256 [sha256.Size]byte
	Size   int64
}

// FileOf describes the bytes of a file.
func FileOf(path string, data []byte) File {
	return File{Path: path, SHA256: sha256.Sum256(data), Size: int64(len(data))}
}

// CheckPath reports why a path cannot be that of a file in a skill: it must be
// slash-separated, stay below the folder, and have no hidden part.
func CheckPath(p string) error {
	if !fs.ValidPath(p) || p == "." || len(p) > maxPath || strings.ContainsAny(p, "\\:\x00") {
		return fmt.Errorf("the path %.80q is not one below the folder of the skill", p)
	}
	for part := range strings.SplitSeq(p, "/") {
		if strings.HasPrefix(part, ".") {
			return fmt.Errorf("the path %.80q has a hidden part", p)
		}
	}
	return nil
}

// URI returns the URI of a file of the skill at a path such as team/git-workflow.
func URI(skill, file string) string {
	u := url.URL{Path: "/" + skill + "/" + file}
	return Scheme + ":/" + u.EscapedPath()
}

// DirectoryURI returns the URI of a folder of the skill; "" is that of the skill.
func DirectoryURI(skill, dir string) string { return strings.TrimSuffix(URI(skill, dir), "/") }

// PathOf returns the path that a URI of this scheme has, unescaped; ok is false for
// one that no file or folder can have.
func PathOf(uri string) (p string, ok bool) {
	rest, ok := strings.CutPrefix(uri, Scheme+"://")
	if !ok {
		return "", false
	}
	p, err := url.PathUnescape(rest)
	return p, err == nil && CheckPath(p) == nil
}

// slug returns a display name such as "Web Helper" as the name of a skill, web-helper.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// Manifest returns the entry of the skill at a path, whose last segment is its name: the
// one in the file, or one made of the display name that published skills have there. files are all of its files in any
// order; main is the SKILL.md. The error says why it cannot be served.
func Manifest(at string, main []byte, files []File) (*mcp.Skill, error) {
	front, err := readFront(main)
	if err != nil {
		return nil, err
	}
	if name := path.Base(at); slug(front.Name) != name {
		if err := front.check(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the name %q is not that of its folder, %q", front.Name, name)
	}
	if err := CheckDescription(front.Description); err != nil {
		return nil, err
	}
	if len(files) > MaxFiles {
		return nil, fmt.Errorf("the skill has %d files; at most %d are served", len(files), MaxFiles)
	}
	s := &mcp.Skill{URI: URI(at, MainFile), Frontmatter: front.JSON, Files: make([]mcp.SkillFile, len(files))}
	sorted, size := slices.Clone(files), int64(0)
	slices.SortFunc(sorted, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i, f := range sorted {
		s.Files[i] = mcp.SkillFile{URI: URI(at, f.Path), SHA256: f.SHA256, Size: f.Size}
		size += f.Size
	}
	if size > MaxBytes {
		return nil, fmt.Errorf("the skill has %d bytes; at most %d are served", size, MaxBytes)
	}
	return s, nil
}

// Children returns the direct children of a folder of the skill at a path, in order of
// name; dir is "" for the skill's own. ok is false if there is no such folder.
func Children(at, dir string, files []File) (items []mcp.Resource, ok bool) {
	below := ""
	if dir != "" {
		below = dir + "/"
	}
	seen := map[string]bool{}
	for _, f := range files {
		rest, inside := strings.CutPrefix(f.Path, below)
		if !inside {
			continue
		}
		name, _, deeper := strings.Cut(rest, "/")
		if seen[name] {
			continue
		}
		seen[name] = true
		item := mcp.Resource{URI: URI(at, below+name), Name: name, MIMEType: MIMEType(name), Size: f.Size}
		if deeper {
			item.MIMEType, item.Size = mcp.DirectoryMIMEType, 0
		}
		items = append(items, item)
	}
	slices.SortFunc(items, func(a, b mcp.Resource) int { return strings.Compare(a.Name, b.Name) })
	return items, len(items) > 0 || dir == ""
}

// types are the types of files that skills often have. They do not depend on the tables
// of the system.
var types = map[string]string{
	".md": "text/markdown", ".txt": "text/plain", ".py": "text/x-python", ".sh": "text/x-shellscript", ".js": "text/javascript",
	".ts": "text/x-typescript", ".go": "text/x-go", ".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml",
	".toml": "application/toml", ".csv": "text/csv", ".html": "text/html", ".css": "text/css", ".xml": "application/xml",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".pdf": "application/pdf", ".zip": "application/zip",
}

// MIMEType returns the type of a file by its name. Files such as LICENSE are texts.
func MIMEType(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if ext == "" {
		return "text/plain"
	}
	return cmp.Or(types[ext], binaryType)
}

// binaryType is the type of bytes that nothing is known of.
const binaryType = "application/octet-stream"

// Contents returns the contents of a file as a resource: a text where its type is one
// and its bytes are UTF-8.
func Contents(uri, name string, data []byte) mcp.Contents {
	c := mcp.Contents{URI: uri, MIMEType: MIMEType(name)}
	switch isText := isText(c.MIMEType); {
	case isText && utf8.Valid(data):
		c.Text = string(data)
		return c
	case isText:
		c.MIMEType = binaryType
	}
	c.Blob = data
	if data == nil {
		c.Blob = []byte{}
	}
	return c
}

func isText(mimeType string) bool {
	kind, sub, _ := strings.Cut(mimeType, "/")
	return kind == "text" || strings.HasSuffix(sub, "json") || strings.HasSuffix(sub, "yaml") ||
		strings.HasSuffix(sub, "toml") || strings.HasSuffix(sub, "xml")
}
