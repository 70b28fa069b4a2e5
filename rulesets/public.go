package rulesets

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/mcp/skill"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// PublicSkillsPath is the place of the index on a host, by version 0.2.0 of Agent Skills
// Discovery.
const PublicSkillsPath = "/.well-known/agent-skills"

// skillsSchema identifies the form of the index.
const skillsSchema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

const (
	// maxArtifact limits the size of a public skill with its files.
	maxArtifact = 4 << 20
	// indexAge is the time for which an index is served without reading the store again.
	indexAge = 10 * time.Second
)

// PublicSkills serves skills to callers without a key: the revisions of rulesets that have
// or had a label. What a version is does not change any more. Its methods may be called
// from any goroutine.
type PublicSkills struct {
	store ruleset.Store
	label ruleset.Label
	now   func() time.Time

	mu    sync.Mutex // held while the index is made: callers wait for one
	index []byte
	made  time.Time
}

// NewPublicSkills returns the public skills of a store.
func NewPublicSkills(store ruleset.Store, label ruleset.Label, now func() time.Time) *PublicSkills {
	return &PublicSkills{store: store, label: label, now: now}
}

// PublicSkills returns the public skills of the open family: those with a label.
func (c *Config) PublicSkills(word string) (*PublicSkills, error) {
	label, err := ruleset.ParseLabel(word)
	if err != nil {
		return nil, err
	}
	if c.store == nil {
		return nil, errors.New("rulesets are not served")
	}
	return NewPublicSkills(c.store, label, c.now), nil
}

// A publicSkill is an entry of the index.
type publicSkill struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // skill-md or archive
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

// Index returns the index: the newest version of each skill with the label.
func (p *PublicSkills) Index(ctx context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.index != nil && p.now().Sub(p.made) < indexAge {
		return p.index, nil
	}
	skills, err := p.skills(ctx)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(struct {
		Schema string        `json:"$schema"`
		Skills []publicSkill `json:"skills"`
	}{skillsSchema, skills}, "", "  ")
	if err != nil {
		return nil, err
	}
	p.index, p.made = append(text, '\n'), p.now()
	return p.index, nil
}

func (p *PublicSkills) skills(ctx context.Context) ([]publicSkill, error) {
	metas, _, err := p.store.List(ctx, ruleset.Page{})
	if err != nil {
		return nil, err
	}
	all := []publicSkill{}
	for _, m := range metas {
		moves, err := p.store.LabelMoves(ctx, m.Name)
		if err != nil {
			return nil, err
		}
		rev := ruleset.Labels(moves)[p.label]
		if rev == 0 {
			continue
		}
		a, err := p.artifact(ctx, m.Name, rev)
		if _, none := errors.AsType[*noSkillError](err); none || isAbsent(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, a.entry())
	}
	slices.SortFunc(all, func(a, b publicSkill) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Artifact returns a file of a version of a skill, such as v3 and SKILL.md, byte for byte
// the same at all times. ok is false if there is none that is public.
func (p *PublicSkills) Artifact(ctx context.Context, slug, version, file string) (data []byte, ok bool, err error) {
	name, err := skillNamed(slug)
	digits, isVersion := strings.CutPrefix(version, "v")
	rev, notNumber := strconv.Atoi(digits)
	if err != nil || !isVersion || notNumber != nil || "v"+strconv.Itoa(rev) != version {
		return nil, false, nil
	}
	moves, err := p.store.LabelMoves(ctx, name)
	if err != nil {
		return nil, false, err
	}
	if !slices.ContainsFunc(moves, func(m ruleset.LabelMove) bool { return m.Label == p.label && m.To == rev }) {
		return nil, false, nil
	}
	a, err := p.artifact(ctx, name, rev)
	if _, none := errors.AsType[*noSkillError](err); none || isAbsent(err) {
		return nil, false, nil
	}
	if err != nil || a.file() != file {
		return nil, false, err
	}
	return a.data, true, nil
}

// An artifact is a version of a skill as it is downloaded.
type artifact struct {
	name        ruleset.Name
	rev         int
	description string
	archive     bool // has files beside its text
	data        []byte
}

func (a *artifact) file() string {
	if a.archive {
		return a.name.Slug() + ".zip"
	}
	return skill.MainFile
}

func (a *artifact) entry() publicSkill {
	sum := sha256.Sum256(a.data)
	return publicSkill{
		Name: a.name.Slug(), Type: map[bool]string{false: "skill-md", true: "archive"}[a.archive], Description: a.description,
		URL:    fmt.Sprintf("%s/%s/v%d/%s", PublicSkillsPath, a.name.Slug(), a.rev, a.file()),
		Digest: "sha256:" + hex.EncodeToString(sum[:]),
	}
}

// artifact makes the skill of a revision. It depends on the revision only, so that a
// folder, whose newest text is a file of its own, has the same bytes later.
func (p *PublicSkills) artifact(ctx context.Context, name ruleset.Name, rev int) (*artifact, error) {
	history, err := p.store.History(ctx, name)
	if err != nil {
		return nil, err
	}
	found, err := find(history, name, rev)
	if err != nil {
		return nil, err
	}
	r := found.Content
	if found.Deleted {
		return nil, &noSkillError{errors.New("it is deleted")}
	}
	main, err := SkillFile(r)
	if err != nil {
		return nil, err
	}
	a := &artifact{name: name, rev: rev, description: r.Description, data: main, archive: len(r.Files) > 0}
	if size := int64(len(main)) + sizeOf(r.Files); size > maxArtifact {
		return nil, &noSkillError{fmt.Errorf("it has %d bytes", size)}
	}
	if a.archive {
		a.data, err = p.zip(ctx, name, main, r.Files)
	}
	return a, err
}

func sizeOf(files []ruleset.File) (size int64) {
	for _, f := range files {
		size += f.Size
	}
	return size
}

// zip packs a skill without compression, whose bytes would depend on the compressor.
func (p *PublicSkills) zip(ctx context.Context, name ruleset.Name, main []byte, files []ruleset.File) ([]byte, error) {
	store, ok := ruleset.FilesOf(p.store)
	if !ok {
		return nil, &noSkillError{errors.New("the store keeps no files")}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(path string, data []byte) error {
		f, err := w.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store})
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	if err := add(skill.MainFile, main); err != nil {
		return nil, err
	}
	for _, f := range files {
		data, err := store.ReadRevised(ctx, name, f)
		if err == nil {
			err = add(f.Path, data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
