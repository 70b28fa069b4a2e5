package xml_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A project is a line of testdata/schemas.txt.
type project struct {
	name, commit string
	folders      []string
}

func projects(t *testing.T) []project {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schemas.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []project
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 2 && words[0] != "#" {
			all = append(all, project{words[0], words[1], words[2:]})
		}
	}
	return all
}

// checkOut writes the schemas and documents in the folders of a project into dir, and
// reports whether there is a clone of it. Files that the clone lacks are left out.
func checkOut(t *testing.T, clones, dir string, p project) bool {
	t.Helper()
	clone := filepath.Join(clones, strings.ReplaceAll(p.name, "/", "+"))
	if _, err := os.Stat(clone); err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(clone, "repo")); err == nil {
		clone = filepath.Join(clone, "repo")
	}
	paths := blobs(t, clone, p)
	cmd := exec.CommandContext(t.Context(), "git", "-C", clone, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(strings.Join(slices.Sorted(maps.Keys(paths)), "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	for len(out) > 0 {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		words := strings.Fields(string(head))
		if len(words) != 3 { // "ID missing"
			out = rest
			continue
		}
		size, err := strconv.Atoi(words[2])
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths[words[0]] {
			writeFile(t, filepath.Join(dir, filepath.Base(p.name), path), rest[:size])
		}
		out = rest[size+1:]
	}
	return true
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// blobs returns the paths of schemas and documents by the ids of their contents.
func blobs(t *testing.T, clone string, p project) map[string][]string {
	t.Helper()
	args := append([]string{"-C", clone, "ls-tree", "-r", "-z", p.commit, "--"}, p.folders...)
	out, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	paths := map[string][]string{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(line, "\t")
		words := strings.Fields(about)
		if len(words) == 3 && words[1] == "blob" && slices.Contains([]string{".xsd", ".xml", ".gml"}, filepath.Ext(path)) {
			paths[words[2]] = append(paths[words[2]], path)
		}
	}
	return paths
}

// A tree is a folder of schemas and documents, with all addresses made local.
type tree struct {
	dir       string
	schemas   map[string]*schemaFile // by path
	documents []string
}

// A schemaFile holds what the choice of schemas needs to know of one.
type schemaFile struct {
	path, space string
	names       []string // of global elements
	refers      []string // paths of schemas
	incomplete  bool     // a file that it refers to is missing
}

func readTree(t *testing.T, dir string) *tree {
	t.Helper()
	all := &tree{dir: dir, schemas: map[string]*schemaFile{}}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.Type().IsRegular():
			return nil
		case filepath.Ext(path) == ".xsd":
			all.schemas[path] = &schemaFile{path: path}
		default:
			all.documents = append(all.documents, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	bySuffix := all.suffixes()
	for _, s := range all.schemas {
		all.localize(t, s, bySuffix)
	}
	for range 30 { // a path of references is hardly longer
		for _, s := range all.schemas {
			s.incomplete = s.incomplete || slices.ContainsFunc(s.refers, func(path string) bool { return all.schemas[path].incomplete })
		}
	}
	return all
}

// suffixes maps the last two and more elements of paths to the shortest path that ends so.
func (all *tree) suffixes() map[string]string {
	found := map[string]string{}
	for path := range all.schemas {
		for rest := path; strings.Count(rest, "/") > 0; {
			_, rest, _ = strings.Cut(rest, "/")
			if old, ok := found[rest]; strings.Contains(rest, "/") && (!ok || len(path) < len(old) || len(path) == len(old) && path < old) {
				found[rest] = path
			}
		}
	}
	return found
}

var (
	schemaLocation = regexp.MustCompile(`(schemaLocation\s*=\s*)("[^"]*"|'[^']*')`)
	comments       = regexp.MustCompile(`(?s)<!--.*?-->`)
	globalElement  = regexp.MustCompile(`<(?:\w+:)?element\s[^>]*?name\s*=\s*["']([^"']+)`)
	openImport     = regexp.MustCompile(`<(?:\w+:)?import\s[^>]*>`)
	targetSpace    = regexp.MustCompile(`targetNamespace\s*=\s*["']([^"']*)`)
)

// localize replaces addresses in a schema by relative paths of files that have the
// same end, and records what the schema refers to.
func (all *tree) localize(t *testing.T, s *schemaFile, bySuffix map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	text := comments.ReplaceAllString(string(raw), "")
	if m := targetSpace.FindStringSubmatch(text); m != nil {
		s.space = m[1]
	}
	for _, m := range globalElement.FindAllStringSubmatch(text, -1) {
		s.names = append(s.names, m[1])
	}
	for _, found := range openImport.FindAllString(text, -1) {
		s.incomplete = s.incomplete || !strings.Contains(found, "schemaLocation") // a catalog has the file
	}
	for _, m := range schemaLocation.FindAllStringSubmatch(text, -1) {
		if path := all.target(s.path, strings.Trim(m[2], `"'`), bySuffix); path != "" {
			s.refers = append(s.refers, path)
		} else {
			s.incomplete = true
		}
	}
	changed := schemaLocation.ReplaceAllStringFunc(string(raw), func(found string) string {
		m := schemaLocation.FindStringSubmatch(found)
		path := all.target(s.path, strings.Trim(m[2], `"'`), bySuffix)
		if path == "" {
			return found
		}
		relative, err := filepath.Rel(filepath.Dir(s.path), path)
		if err != nil {
			t.Fatal(err)
		}
		return m[1] + `"` + relative + `"`
	})
	if err := os.WriteFile(s.path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// target returns the file that a schema at a path means by a location, or "".
func (all *tree) target(from, location string, bySuffix map[string]string) string {
	_, rest, remote := strings.Cut(strings.TrimSpace(location), "://")
	if !remote {
		path := filepath.Join(filepath.Dir(from), filepath.FromSlash(strings.TrimSpace(location)))
		if all.schemas[path] == nil {
			return ""
		}
		return path
	}
	for strings.Contains(rest, "/") {
		if path := bySuffix[rest]; path != "" {
			return path
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	return ""
}

// complete returns the paths of schemas that refer to nothing that is missing, at most
// so many, evenly over the tree.
func (all *tree) complete(limit int) []string {
	var paths []string
	for path, s := range all.schemas {
		if !s.incomplete {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return evenly(paths, limit)
}

// evenly returns at most so many of a list, at even distances.
func evenly(all []string, limit int) []string {
	if len(all) <= limit {
		return all
	}
	some := make([]string, limit)
	for i := range some {
		some[i] = all[i*len(all)/limit]
	}
	return some
}

// schemaOf returns the complete schema with the global element that is the root of a
// document, the one nearest to it by path; "" if there is none.
func (all *tree) schemaOf(path string) string {
	space, name := rootOf(path)
	best, nearest := "", -1
	for candidate, s := range all.schemas {
		if s.incomplete || s.space != space || !slices.Contains(s.names, name) {
			continue
		}
		common := commonPrefix(candidate, path)
		if common > nearest || common == nearest && candidate < best {
			best, nearest = candidate, common
		}
	}
	return best
}

func commonPrefix(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return strings.Count(a[:i], "/")
		}
	}
	return min(len(a), len(b))
}

// rootOf returns the name of a document's root; "" if it cannot be read as UTF-8.
func rootOf(path string) (space, name string) {
	file, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	tokens := xml.NewDecoder(io.LimitReader(file, 64<<10))
	for {
		token, err := tokens.Token()
		if err != nil {
			return "", "" // io.EOF, too: there is no root so far
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Space, start.Name.Local
		}
	}
}
