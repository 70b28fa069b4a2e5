package rulesclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// skillURI returns the URI of a file of the skill that a ruleset is.
func skillURI(name ruleset.Name, path string) string {
	return "skill://" + name.Slug() + "/" + path
}

// A resourceRead is the parameters of requests for one resource.
type resourceRead struct {
	URI  string `json:"uri"`
	Meta any    `json:"_meta"`
}

// Files returns the files of a skill beside its SKILL.md, in the order of the server. A
// ruleset that is no skill has none.
func (c *Client) Files(ctx context.Context, name ruleset.Name) ([]ruleset.File, error) {
	uri := skillURI(name, ruleset.MainFile)
	var answer struct {
		Skill struct {
			Resources []struct {
				URI    string `json:"uri"`
				Digest string `json:"digest"`
				Size   int64  `json:"size"`
			} `json:"resources"`
		} `json:"skill"`
	}
	_, err := c.ask(ctx, "skills/get", uri, resourceRead{uri, c.meta}, &answer)
	if failure, ok := errors.AsType[*jsonrpc.Error](err); ok && (failure.Code == jsonrpc.CodeInvalidParams || failure.Code == jsonrpc.CodeMethodNotFound) {
		return nil, nil // it is no skill, or the server has none
	}
	if err != nil {
		return nil, err
	}
	var files []ruleset.File
	for _, r := range answer.Skill.Resources {
		path, below := strings.CutPrefix(r.URI, skillURI(name, ""))
		digest, err := hex.DecodeString(strings.TrimPrefix(r.Digest, "sha256:"))
		if !below || err != nil || len(digest) != sha256.Size || ruleset.CheckFilePath(path) != nil {
			return nil, fmt.Errorf("the server has a file %q of ruleset '%s', which is none", r.URI, name)
		}
		if path != ruleset.MainFile {
			files = append(files, ruleset.File{Path: path, Size: r.Size, SHA256: [sha256.Size]byte(digest)})
		}
	}
	return files, nil
}

// ReadFile returns the bytes of a file of a skill, which must have the hash that
// [Client.Files] has returned.
func (c *Client) ReadFile(ctx context.Context, name ruleset.Name, file ruleset.File) ([]byte, error) {
	uri := skillURI(name, file.Path)
	var answer struct {
		Contents []struct {
			Text string `json:"text"`
			Blob []byte `json:"blob"`
		} `json:"contents"`
	}
	if _, err := c.ask(ctx, "resources/read", uri, resourceRead{uri, c.meta}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Contents) != 1 {
		return nil, fmt.Errorf("%s: the server answered with %d contents", uri, len(answer.Contents))
	}
	data := answer.Contents[0].Blob
	if data == nil {
		data = []byte(answer.Contents[0].Text)
	}
	if sha256.Sum256(data) != file.SHA256 {
		return nil, fmt.Errorf("%s has not the hash that the server gives it; was it changed? Try again", uri)
	}
	return data, nil
}

// ChangeFile sets a file of a ruleset.
func (c *Client) ChangeFile(ctx context.Context, name ruleset.Name, path string, data []byte) error {
	file := rulesets.FileArgOf(ruleset.FileChange{Path: path, Data: data})
	_, err := c.call(ctx, "update_ruleset", map[string]any{"name": name, "files": []rulesets.FileArg{file}}, nil)
	return named(err, name)
}
