package mcp

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// skillsExtension is the extension by which a server serves Agent Skills (SEP-2640).
const skillsExtension = "io.modelcontextprotocol/skills"

// DirectoryMIMEType is the type of a resource that is a folder.
const DirectoryMIMEType = "inode/directory"

// A SkillSource serves the Agent Skills among the resources of a source: folders of
// files with a SKILL.md. Its functions may be called from any goroutine.
type SkillSource struct {
	// List returns up to limit skills from the position after, as
	// [ResourceSource].List does. It may return fewer and a position to go on from.
	List func(ctx context.Context, call *Call, after string, limit int) (items []Skill, next string, err error)
	// Get returns the skill whose SKILL.md has the URI, also one that is not
	// listed. The error is a [*ResourceNotFoundError] if there is none.
	Get func(ctx context.Context, call *Call, uri string) (*Skill, error)
}

// A Skill is an entry of skills/list.
type Skill struct {
	URI string // of its SKILL.md
	// Frontmatter is the front matter of the SKILL.md as a JSON object.
	Frontmatter json.RawMessage
	// Files are all files of the skill, the SKILL.md among them.
	Files []SkillFile
}

// A SkillFile is a file of a skill.
type SkillFile struct {
	URI    string
	SHA256 [32]byte // of its bytes
	Size   int64
}

// serveSkillsList answers skills/list, page by page over the sources that have skills
// and that the caller may read.
func serveSkillsList(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	return c.appendPage(dst, "skills", len(s.rows.sources), heavyPage, func(dst []byte, p *page, i int, after string) ([]byte, string, error) {
		src := s.rows.sources[i]
		if !c.handler.caller.Principal.Allows(src.Scope) || src.Skills == nil {
			return dst, "", nil
		}
		items, next, err := src.Skills.List(ctx, c, after, p.limit())
		if err != nil {
			return dst, "", src.table.wire(err)
		}
		for i := range items {
			dst = appendSkill(appendComma(dst, p.from), &items[i])
		}
		p.filled(len(items))
		return dst, next, nil
	})
}

// serveSkillsGet answers for one skill. The code for an unknown one is the same in all
// revisions.
func serveSkillsGet(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	src, uri, err := s.rows.sourceFor(c)
	if err == nil && src.Skills == nil {
		err = &ResourceNotFoundError{}
	}
	var found *Skill
	if err == nil {
		found, err = src.Skills.Get(ctx, c, uri)
	}
	if missing, ok := errors.AsType[*ResourceNotFoundError](err); ok {
		return dst, noSkill(uri, missing.Reason)
	}
	if err != nil && src != nil {
		err = resourceError(src.table.wire(err))
	}
	if err != nil {
		return dst, err
	}
	return appendSkill(append(dst, `"skill":`...), found), nil
}

// noSkill returns the error -32602 for a URI at which there is no skill, with the reason
// that the source gave.
func noSkill(uri, reason string) error {
	text := "No skill is served at " + params.Quoted(uri)
	if reason != "" {
		text += ": " + reason
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s", text)
}

// appendSkill appends a skill: its URI, its front matter as JSON, and its files with
// their digests and sizes in bytes.
func appendSkill(dst []byte, s *Skill) []byte {
	dst = jsonrpc.AppendString(append(dst, `{"uri":`...), s.URI)
	dst = append(append(dst, `,"frontmatter":`...), s.Frontmatter...)
	dst = append(dst, `,"resources":[`...)
	for i := range s.Files {
		f := &s.Files[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonrpc.AppendString(append(dst, `{"uri":`...), f.URI)
		dst = hex.AppendEncode(append(dst, `,"digest":"sha256:`...), f.SHA256[:])
		dst = strconv.AppendInt(append(dst, `","size":`...), f.Size, 10)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...)
}
