package xmltools

import (
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A renamer removes the folders of documents from the names of files in answers. Callers
// over the network need not know where on this machine the documents are, and name them
// relative to these folders. A nil renamer changes nothing.
type renamer struct{ paths *strings.Replacer }

// newRenamer returns the renamer for some folders.
func newRenamer(dirs []string) *renamer {
	var paths []string
	for _, dir := range dirs {
		forms := []string{dir}
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
			forms = append(forms, real)
		}
		for _, form := range forms {
			prefix := strings.TrimSuffix(form, string(filepath.Separator)) + string(filepath.Separator)
			uri := (&url.URL{Scheme: "file", Path: filepath.ToSlash(prefix)}).String()
			paths = append(paths, uri, "file:///", prefix, "")
			if quoted, err := json.Marshal(prefix); err == nil { // as it is in the data of an error
				paths = append(paths, string(quoted[1:len(quoted)-1]), "")
			}
		}
	}
	return &renamer{strings.NewReplacer(paths...)}
}

// renamer returns the renamer for the answer to a call: nil for the user of the process.
func (t *Group) renamer(call *mcp.Call) *renamer {
	if call.Caller().Principal.ID == host.Local().ID {
		return nil
	}
	t.once.Do(func() { t.names = newRenamer(t.Folders) })
	return t.names
}

// text renames the files in a text.
func (r *renamer) text(s string) string {
	if r == nil {
		return s
	}
	return r.paths.Replace(s)
}

// reports renames the files in the outcome of a preload.
func (r *renamer) reports(p preloaded) preloaded {
	for i := range p.Documents {
		p.Documents[i].Path, p.Documents[i].Error = r.text(p.Documents[i].Path), r.text(p.Documents[i].Error)
	}
	return p
}

// stats renames the files in the cache.
func (r *renamer) stats(s document.Stats) document.Stats {
	for i := range s.Documents {
		s.Documents[i].Path = r.text(s.Documents[i].Path)
	}
	return s
}

// err returns the error as the client gets it, with the files renamed.
func (r *renamer) err(err error) error {
	if r == nil || err == nil {
		return err
	}
	answer, ok := errors.AsType[*jsonrpc.Error](WireError(err))
	if !ok {
		return err
	}
	renamed := *answer
	renamed.Message, renamed.Data = r.text(answer.Message), []byte(r.text(string(answer.Data)))
	return &renamed
}
