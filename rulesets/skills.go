package rulesets

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/skill"
	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// skills serves rulesets as Agent Skills: python_style_guide is the skill
// python-style-guide, its text the SKILL.md, and its files the files of the
// skill. A ruleset is not served if its name or description is not valid for a
// skill, or if its front matter has skill: false.
func (t *tools) skills() mcp.ResourceSource {
	return mcp.ResourceSource{
		Scheme: skill.Scheme, Scope: scopeRead, Extension: true,
		LookUp: "it reads rulesets, which every caller with the scope may read",
		Read:   t.readSkillFile, Directory: t.skillDirectory, Complete: t.completeSkill,
		Skills: &mcp.SkillSource{List: t.listSkills, Get: t.getSkill},
		Templates: []mcp.ResourceTemplate{{
			URITemplate: skillTemplate, Name: "skill", Title: "File of a skill",
			Description: "A ruleset as an Agent Skill: SKILL.md, and the files beside it",
		}},
	}
}

// skillTemplate has the path of a file with its slashes.
const skillTemplate = "skill://{name}/{+path}"

// skillNamed returns the ruleset of the skill with a name.
func skillNamed(name string) (ruleset.Name, error) {
	if err := skill.CheckName(name); err != nil {
		return "", err
	}
	return ruleset.ParseName(strings.ReplaceAll(name, "-", "_"))
}

// A parcel is a skill: a ruleset with its files.
type parcel struct {
	name  ruleset.Name
	rev   int
	main  []byte
	files []skill.File
}

// parcel returns the skill of a ruleset as a store shows it. The error is the
// store's, or a [*noSkillError].
func (t *tools) parcel(ctx context.Context, seen ruleset.Store, name ruleset.Name) (*parcel, error) {
	r, err := t.readAt(ctx, seen, name, "")
	if err != nil {
		return nil, err
	}
	fields, _ := frontmatter.Of(r)
	if fields.NoSkill {
		return nil, &noSkillError{errors.New("it says skill: false")}
	}
	p := &parcel{name: name, rev: r.Rev}
	if err := t.checkLimits(ctx, name); err != nil {
		return nil, err
	}
	if p.main, err = t.mainText(ctx, seen, r, &fields); err != nil {
		return nil, err
	}
	for _, f := range r.Files {
		p.files = append(p.files, skill.File{Path: f.Path, SHA256: f.SHA256, Size: f.Size})
	}
	p.files = append(p.files, skill.FileOf(skill.MainFile, p.main))
	return p, nil
}

// checkLimits returns a [*noSkillError] if there are more files than a skill may have.
func (t *tools) checkLimits(ctx context.Context, name ruleset.Name) error {
	store, ok := ruleset.FilesOf(t.store)
	if !ok {
		return nil
	}
	_, err := store.Files(ctx, name)
	if isTooMuch(err) {
		return &noSkillError{err}
	}
	return err
}

// mainText returns the SKILL.md of a ruleset: the imported file. If the ruleset is a
// folder, the file is served byte for byte, and older revisions with the keys and text
// that they had.
func (t *tools) mainText(ctx context.Context, seen ruleset.Store, r ruleset.Ruleset, f *frontmatter.Fields) ([]byte, error) {
	if text, imported := editors.SkillText(r); imported {
		return text, nil
	}
	_, isOlder := seen.(*view)
	if store, ok := ruleset.FilesOf(t.store); ok && r.Folder && !isOlder {
		return store.ReadFile(ctx, r.Name, ruleset.MainFile)
	}
	text, err := skillText(r, f)
	if err != nil {
		return nil, &noSkillError{err}
	}
	return text, nil
}

// isTooMuch reports whether there are more files than a skill may have.
func isTooMuch(err error) bool {
	_, large := errors.AsType[*ruleset.TooLargeError](err)
	_, many := errors.AsType[*ruleset.TooManyFilesError](err)
	return large || many
}

// entry returns the entry of lists, or a [*noSkillError].
func (p *parcel) entry() (*mcp.Skill, error) {
	s, err := skill.Manifest(p.name.Slug(), editors.StrictFront(p.main), p.files)
	if err != nil {
		return nil, &noSkillError{err}
	}
	return s, nil
}

// A noSkillError gives the reason why a ruleset is not served as a skill.
type noSkillError struct{ err error }

func (e *noSkillError) Error() string { return e.err.Error() }
func (e *noSkillError) Unwrap() error { return e.err }

// skillText returns the SKILL.md for a ruleset: the front matter of skills and
// the text. The result depends on the ruleset only.
func skillText(r ruleset.Ruleset, f *frontmatter.Fields) ([]byte, error) {
	front := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	set := func(key, value string) {
		if value != "" {
			front.Content = append(front.Content, textNode(key), textNode(value))
		}
	}
	set("name", r.Name.Slug())
	set("description", r.Description)
	metadata := map[string]string{}
	if s := f.Skill; s != nil {
		set("license", s.License)
		set("compatibility", s.Compatibility)
		set("allowed-tools", strings.Join(s.AllowedTools, " "))
		maps.Copy(metadata, s.Metadata)
	}
	if _, own := metadata["tags"]; !own && len(r.Tags) > 0 && !r.Folder {
		metadata["tags"] = strings.Join(r.Tags, ", ")
	}
	if len(metadata) > 0 {
		m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(metadata)) {
			m.Content = append(m.Content, textNode(key), textNode(metadata[key]))
		}
		front.Content = append(front.Content, textNode("metadata"), m)
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(front), enc.Close()); err != nil {
		return nil, err
	}
	if r.Folder {
		b.WriteString(r.Extra) // the keys of skills as written by the author
	}
	b.WriteString("---\n\n" + r.Markdown)
	return b.Bytes(), nil
}

// SkillFile returns the SKILL.md of a ruleset, which depends on the revision only, or the
// reason why the ruleset is no skill.
func SkillFile(r ruleset.Ruleset) (main []byte, err error) {
	fields, _ := frontmatter.Of(r)
	if fields.NoSkill {
		return nil, &noSkillError{errors.New("it says skill: false")}
	}
	main, imported := editors.SkillText(r)
	if !imported {
		if main, err = skillText(r, &fields); err != nil {
			return nil, &noSkillError{err}
		}
	}
	if _, err := skill.Manifest(r.Name.Slug(), editors.StrictFront(main), []skill.File{skill.FileOf(skill.MainFile, main)}); err != nil {
		return nil, &noSkillError{err}
	}
	return main, nil
}

// textNode returns a YAML string, quoted if other parsers could read it as
// another type.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsFunc(s, func(c rune) bool {
		return c < ' ' || c > '~' && c < 0xa0 || c == '\u2028' || c == '\u2029' || c == '\ufeff'
	}) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// listSkills returns the skills among the next rulesets. It first leaves out
// rulesets that cannot be skills, since reading takes time.
func (t *tools) listSkills(ctx context.Context, call *mcp.Call, after string, limit int) ([]mcp.Skill, string, error) {
	names, next, err := t.skillNames(ctx, after, limit)
	if err != nil {
		return nil, "", &opError{"list", err}
	}
	var items []mcp.Skill
	for _, name := range names {
		p, err := t.parcel(ctx, t.viewFor(call), name)
		var entry *mcp.Skill
		if err == nil {
			entry, err = p.entry()
		}
		if _, none := errors.AsType[*noSkillError](err); none || isAbsent(err) {
			continue
		}
		if err != nil {
			return nil, "", &opError{"list", err}
		}
		items = append(items, *entry)
	}
	return items, next, nil
}

// inFolders is the prefix of positions after the last ruleset; the name of a
// folder follows.
const inFolders = "/"

// skillNames returns a page of the names that may be skills: the rulesets, then the
// folders of the store.
func (t *tools) skillNames(ctx context.Context, after string, limit int) (names []ruleset.Name, next string, err error) {
	if last, behind := strings.CutPrefix(after, inFolders); behind {
		return t.folderNames(ctx, last, limit)
	}
	metas, next, err := t.store.List(ctx, ruleset.Page{After: after, Limit: limit})
	if err != nil {
		return nil, "", err
	}
	for _, m := range metas {
		if skill.CheckName(m.Name.Slug()) == nil && skill.CheckDescription(m.Description) == nil {
			names = append(names, m.Name)
		}
	}
	return names, cmp.Or(next, inFolders), nil
}

func (t *tools) folderNames(ctx context.Context, last string, limit int) (names []ruleset.Name, next string, err error) {
	store, ok := ruleset.FilesOf(t.store)
	if !ok {
		return nil, "", nil
	}
	all, err := store.Folders(ctx)
	if err != nil {
		return nil, "", err
	}
	from, found := slices.BinarySearch(all, ruleset.Name(last))
	if found {
		from++
	}
	if names = all[from:]; len(names) > limit {
		names = names[:limit]
		next = inFolders + string(names[limit-1])
	}
	return names, next, nil
}

// skillAt splits a URI into the ruleset and the path below the skill's folder.
func skillAt(uri string) (name ruleset.Name, below string, ok bool) {
	p, ok := skill.PathOf(uri)
	if !ok {
		return "", "", false
	}
	word, below, _ := strings.Cut(p, "/")
	name, err := skillNamed(word)
	return name, below, err == nil
}

// parcelAt returns the skill that a URI names, and the path below its folder.
func (t *tools) parcelAt(ctx context.Context, call *mcp.Call, uri string) (*parcel, string, error) {
	name, below, ok := skillAt(uri)
	if !ok {
		return nil, "", skillMissing(uri, "")
	}
	p, err := t.parcel(ctx, t.viewFor(call), name)
	if isAbsent(err) {
		return nil, "", skillMissing(uri, "")
	}
	if _, none := errors.AsType[*noSkillError](err); none {
		return nil, "", skillMissing(uri, err.Error())
	}
	if err != nil {
		return nil, "", &opError{"retrieve", err}
	}
	return p, below, nil
}

func (t *tools) getSkill(ctx context.Context, call *mcp.Call, uri string) (*mcp.Skill, error) {
	p, below, err := t.parcelAt(ctx, call, uri)
	if err != nil {
		return nil, err
	}
	entry, err := p.entry()
	if err != nil {
		return nil, skillMissing(uri, err.Error())
	}
	if below != skill.MainFile {
		return nil, skillMissing(uri, "")
	}
	return entry, nil
}

func (t *tools) readSkillFile(ctx context.Context, call *mcp.Call, uri string) ([]mcp.Contents, error) {
	p, below, err := t.parcelAt(ctx, call, uri)
	if err != nil {
		return nil, err
	}
	if below == skill.MainFile {
		if p.rev != 0 {
			t.audience.read(ctx, call, t.labelFor(call), ruleset.Ruleset{Meta: ruleset.Meta{Name: p.name}, Rev: p.rev})
		}
		return []mcp.Contents{skill.Contents(uri, below, p.main)}, nil
	}
	at := slices.IndexFunc(p.files, func(f skill.File) bool { return f.Path == below })
	store, ok := ruleset.FilesOf(t.store)
	if !ok || at < 0 {
		return nil, skillMissing(uri, "")
	}
	f := p.files[at]
	data, err := store.ReadRevised(ctx, p.name, ruleset.File{Path: f.Path, SHA256: f.SHA256, Size: f.Size})
	if _, none := errors.AsType[*ruleset.NoFileError](err); none {
		return nil, skillMissing(uri, "")
	}
	if err != nil {
		return nil, &opError{"retrieve", err}
	}
	return []mcp.Contents{skill.Contents(uri, path.Base(below), data)}, nil
}

// skillDirectory lists a folder of one skill.
func (t *tools) skillDirectory(ctx context.Context, call *mcp.Call, uri, _ string, _ int) ([]mcp.Resource, string, error) {
	p, below, err := t.parcelAt(ctx, call, uri)
	if err != nil {
		return nil, "", err
	}
	items, ok := skill.Children(p.name.Slug(), below, p.files)
	if !ok {
		return nil, "", skillMissing(uri, "")
	}
	return items, "", nil
}

func skillMissing(uri, why string) error {
	return &mcp.ResourceNotFoundError{URI: uri, Baseline: jsonrpc.CodeInternalError, Message: "Resource not found: " + uri, Reason: why}
}

// completeSkill completes the names of skills, and the paths of files of a skill.
func (t *tools) completeSkill(ctx context.Context, call *mcp.Call, _, argument, value string, known map[string]string) ([]string, int, error) {
	if argument == "name" {
		names, total, err := t.complete(ctx, call, "", "name", strings.ReplaceAll(value, "-", "_"), nil)
		for i, name := range names {
			names[i] = ruleset.Name(name).Slug()
		}
		return names, total, err
	}
	p, _, err := t.parcelAt(ctx, call, skill.DirectoryURI(known["name"], ""))
	if err != nil {
		return nil, 0, nil //nolint:nilerr // there is nothing to suggest
	}
	var paths []string
	for _, f := range p.files {
		if strings.HasPrefix(f.Path, value) {
			paths = append(paths, f.Path)
		}
	}
	return paths, len(paths), nil
}
