package skill

import (
	"context"
	"io/fs"
	"path"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
)

// Source returns a source of resources that serves the skills in files, which must not
// change: each folder at its top is a skill. Their URIs are
// skill://<authority>/<folder>/<file>. Other families serve theirs under another
// authority. The error is that of a folder that is not a skill.
func Source(authority string, scope mcp.Scope, files fs.FS) (mcp.ResourceSource, error) {
	s := &static{files: files, authority: authority}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return mcp.ResourceSource{}, err
	}
	for _, e := range entries {
		if err := s.add(e.Name()); err != nil {
			return mcp.ResourceSource{}, &fs.PathError{Op: "serve", Path: e.Name(), Err: err}
		}
	}
	return mcp.ResourceSource{
		Scheme: Scheme, Authority: authority, Scope: scope, Extension: true,
		LookUp: "it reads files that are part of the program",
		List:   s.resources, Read: s.read, Directory: s.directory, Skills: &mcp.SkillSource{List: s.list, Get: s.get},
	}, nil
}

// A static has skills that do not change.
type static struct {
	files     fs.FS
	authority string
	entries   []mcp.Skill
	mains     []mcp.Resource    // the SKILL.md of each entry
	manifests map[string][]File // by folder
}

// add reads the skill of a folder.
func (s *static) add(dir string) error {
	var files []File
	err := fs.WalkDir(s.files, dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(s.files, p)
		if err == nil {
			files = append(files, FileOf(strings.TrimPrefix(p, dir+"/"), data))
		}
		return err
	})
	if err != nil {
		return err
	}
	main, err := fs.ReadFile(s.files, dir+"/"+MainFile)
	if err != nil {
		return err
	}
	front, err := ParseFront(main)
	if err != nil {
		return err
	}
	entry, err := Manifest(s.authority+"/"+dir, main, files)
	if err != nil {
		return err
	}
	if s.manifests == nil {
		s.manifests = map[string][]File{}
	}
	s.entries, s.manifests[dir] = append(s.entries, *entry), files
	s.mains = append(s.mains, mcp.Resource{
		URI: entry.URI, Name: front.Name, Description: front.Description, MIMEType: MIMEType(MainFile), Size: int64(len(main)),
	})
	return nil
}

// resources lists the SKILL.md of each skill; clients find the other files from there.
func (s *static) resources(context.Context, *mcp.Call, string, int) ([]mcp.Resource, string, error) {
	return append([]mcp.Resource(nil), s.mains...), "", nil
}

// list shows all skills at once: they are few.
func (s *static) list(context.Context, *mcp.Call, string, int) ([]mcp.Skill, string, error) {
	return append([]mcp.Skill(nil), s.entries...), "", nil
}

func (s *static) get(_ context.Context, _ *mcp.Call, uri string) (*mcp.Skill, error) {
	for i := range s.entries {
		if s.entries[i].URI == uri {
			return &s.entries[i], nil
		}
	}
	return nil, missing(uri)
}

func (s *static) read(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	if p, ok := PathOf(uri); ok {
		p, _ = strings.CutPrefix(p, s.authority+"/")
		if data, err := fs.ReadFile(s.files, p); err == nil {
			return []mcp.Contents{Contents(uri, path.Base(p), data)}, nil
		}
	}
	return nil, missing(uri)
}

// directory lists a folder of a skill, and the one above all skills.
func (s *static) directory(_ context.Context, _ *mcp.Call, uri, _ string, _ int) ([]mcp.Resource, string, error) {
	p, ok := PathOf(uri)
	if !ok {
		return nil, "", missing(uri)
	}
	if p == s.authority {
		return s.top(), "", nil
	}
	p, _ = strings.CutPrefix(p, s.authority+"/")
	dir, below, _ := strings.Cut(p, "/")
	files, ok := s.manifests[dir]
	if !ok {
		return nil, "", missing(uri)
	}
	items, ok := Children(s.authority+"/"+dir, below, files)
	if !ok {
		return nil, "", missing(uri)
	}
	return items, "", nil
}

func (s *static) top() []mcp.Resource {
	items := make([]mcp.Resource, len(s.entries))
	for i := range items {
		at := strings.TrimSuffix(s.entries[i].URI, "/"+MainFile)
		items[i] = mcp.Resource{URI: at, Name: path.Base(at), MIMEType: mcp.DirectoryMIMEType}
	}
	return items
}

func missing(uri string) error {
	return &mcp.ResourceNotFoundError{URI: uri, Message: "Resource not found: " + uri}
}
