package document

import (
	"bytes"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// schemaFiles is the file system from which a schema includes and imports: the
// library's roots, within its limits. It records what was read. After seal it
// serves the schemas that documents refer to, and records nothing.
type schemaFiles struct {
	library *Library
	base    string // directory of the first schema

	mu     sync.Mutex
	rent   *lease // nil after seal
	read   []version
	total  int64    // bytes read, including the first schema
	absent []string // requested files that do not exist
	remote []string // requested addresses that are never fetched
	shifts []shift  // of the files read, in ascending order
	lines  int      // the last line number in use
}

// A fatalError makes the engine stop instead of continuing without a file.
type fatalError struct{ error }

func (fatalError) FatalSchemaLoad() bool { return true }
func (e fatalError) Unwrap() error       { return e.error }

// Open opens a schema for reading. name is an absolute path or a URI.
func (f *schemaFiles) Open(name string) (fs.File, error) {
	if name == xmlNamespaceURL {
		return &memoryFile{Reader: bytes.NewReader([]byte(xmlNamespace)), name: name, size: len(xmlNamespace)}, nil
	}
	path, ok := localPath(name)
	if !ok {
		return nil, f.miss(&f.remote, name)
	}
	src, err := f.load(path)
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		return nil, f.miss(&f.absent, path)
	}
	if err != nil {
		return nil, fatalError{err}
	}
	text := f.shifted(src)
	return &memoryFile{Reader: bytes.NewReader(text), name: path, size: len(text), modified: src.stamp.Modified()}, nil
}

// A shift is the number of lines by which the text of a file was moved down.
type shift struct {
	path string
	by   int
}

// maxShift limits the lines by which a file is moved. The lines of further files
// cannot be distinguished.
const maxShift = 250_000

// shifted moves the text of a file down, so that its line numbers are distinct
// from those of all other files and from the numbers of the first schema's
// elements: messages of the engine often name the first schema with a line of
// another. The lines are inserted where white space is allowed, after "<?xml" or
// before everything.
func (f *schemaFiles) shifted(src *source) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rent == nil || f.lines > maxShift {
		return src.text
	}
	f.shifts = append(f.shifts, shift{src.name, f.lines})
	head := 0
	if bytes.HasPrefix(src.text, []byte("<?xml")) {
		head = len("<?xml")
	}
	text := slices.Concat(src.text[:head], bytes.Repeat([]byte{'\n'}, f.lines), src.text[head:])
	f.lines += bytes.Count(src.text, []byte{'\n'}) + 1
	return text
}

// unshift returns the file and line for a line number, or "" for numbers of the
// first schema's elements.
func (f *schemaFiles) unshift(number int) (path string, line int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.shifts {
		if number > s.by {
			path, line = s.path, number-s.by
		}
	}
	return path, line
}

// miss records a file that is not available and returns the error for it.
func (f *schemaFiles) miss(list *[]string, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rent != nil && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
	return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// missing describes the files that were not available, for users.
func (f *schemaFiles) missing() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, path := range f.absent {
		all = append(all, "not found: "+path)
	}
	for _, uri := range f.remote {
		all = append(all, "not read, since nothing is fetched from elsewhere: "+uri)
	}
	return all
}

// load reads and surveys a file for the engine of version 1.1.
func (f *schemaFiles) load(path string) (*source, error) {
	src, err := f.text(path)
	if err != nil {
		return nil, err
	}
	seen, err := look(src.name, src.text, f.library.config)
	if err != nil {
		return nil, err
	}
	return src, f.count(src, seen.memory())
}

// text reads a file.
func (f *schemaFiles) text(path string) (*source, error) {
	file, addr, err := f.library.roots.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return f.library.read(file, addr.name())
}

// count records a file that was read, and the memory of its tree.
func (f *schemaFiles) count(src *source, memory int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rent == nil {
		return nil
	}
	limit := f.library.config.MaxDocument
	if f.total += int64(len(src.text)); f.total > limit {
		return &LimitError{Subject: "schema", What: "size in bytes, with all it includes,", Limit: limit}
	}
	f.read = append(f.read, src.version())
	if !f.rent.try(memory) {
		return &LimitError{Subject: "schema", What: LimitMemory, Limit: f.library.config.MaxMemory}
	}
	return nil
}

// seal ends the recording and returns what was recorded.
func (f *schemaFiles) seal() ([]version, int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rent = nil
	all := slices.Clone(f.read)
	for _, path := range f.absent {
		all = append(all, version{path: path, absent: true})
	}
	return all, f.total
}

// explain adds the files that were not available to the error of a compilation.
func (f *schemaFiles) explain(err error) error {
	if wrong, ok := errors.AsType[*SchemaError](err); ok {
		for _, message := range f.missing() {
			wrong.Problems = append(wrong.Problems, Violation{Message: message})
		}
	}
	return err
}

// localPath returns the path for a name that the engine derived from a schema
// location: a path, or a URI with the scheme file.
func localPath(name string) (string, bool) {
	uri, err := url.Parse(name)
	if err != nil || uri.Scheme == "" || filepath.IsAbs(name) {
		return filepath.FromSlash(name), true
	}
	if uri.Scheme == "file" && (uri.Host == "" || uri.Host == "localhost") {
		return filepath.FromSlash(uri.Path), true
	}
	return "", false
}

// fileURI returns the URI of an absolute path, against which other locations are
// resolved (RFC 3986).
func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// A memoryFile is a file whose contents have been read.
type memoryFile struct {
	*bytes.Reader
	name     string
	size     int
	modified time.Time
}

func (f *memoryFile) Close() error               { return nil }
func (f *memoryFile) Stat() (fs.FileInfo, error) { return memoryInfo{f}, nil }

type memoryInfo struct{ file *memoryFile }

func (i memoryInfo) Name() string       { return filepath.Base(i.file.name) }
func (i memoryInfo) Size() int64        { return int64(i.file.size) }
func (i memoryInfo) Mode() fs.FileMode  { return 0o444 }
func (i memoryInfo) ModTime() time.Time { return i.file.modified }
func (i memoryInfo) IsDir() bool        { return false }
func (i memoryInfo) Sys() any           { return nil }

// xmlNamespaceURL is the address from which schemas import the attributes of the
// namespace xml, and xmlNamespace declares these attributes. Without it, every
// schema that permits xml:lang would be rejected, since nothing is fetched.
const (
	xmlNamespaceURL = "http://www.w3.org/2001/xml.xsd"
	xmlNamespace    = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/XML/1998/namespace">
<xs:attribute name="lang"><xs:simpleType><xs:union memberTypes="xs:language">
<xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value=""/></xs:restriction></xs:simpleType>
</xs:union></xs:simpleType></xs:attribute>
<xs:attribute name="space"><xs:simpleType><xs:restriction base="xs:NCName">
<xs:enumeration value="default"/><xs:enumeration value="preserve"/></xs:restriction></xs:simpleType></xs:attribute>
<xs:attribute name="base" type="xs:anyURI"/>
<xs:attribute name="id" type="xs:ID"/>
<xs:attributeGroup name="specialAttrs"><xs:attribute ref="xml:base"/><xs:attribute ref="xml:lang"/>
<xs:attribute ref="xml:space"/><xs:attribute ref="xml:id"/></xs:attributeGroup>
</xs:schema>`
)
