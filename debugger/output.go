package debugger

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// The resources with the output of launched programs have URIs such as
// debugger://output/dbg-0a1b2c3d.
const (
	outputScheme    = "debugger"
	outputAuthority = "output"
	outputPrefix    = outputScheme + "://" + outputAuthority + "/"
)

// maxOutputResource is the maximum size of the text of a resource: the latest
// output.
const maxOutputResource = 64 << 10

// outputs serves what launched programs have written, to the clients that have
// launched them. Reading it does not change what the answers of tools show.
func (g *groups) outputs() mcp.ResourceSource {
	return mcp.ResourceSource{
		Scheme: outputScheme, Authority: outputAuthority, Scope: sessiontools.ReadScope, Extension: true,
		LookUp: sessiontools.LookUp,
		List:   g.listOutputs, Read: g.readOutput,
		Templates: []mcp.ResourceTemplate{{
			URITemplate: outputPrefix + "{session}", Name: "output", Title: "Output of a launched program", MIMEType: "text/plain",
		}},
	}
}

// listOutputs lists the outputs of the caller's programs, of which there are few.
func (g *groups) listOutputs(_ context.Context, call *mcp.Call, after string, limit int) (items []mcp.Resource, next string, err error) {
	own := g.sessions.Own(call.StateKey())
	slices.SortFunc(own, func(a, b *session.Session) int { return cmp.Compare(a.ID, b.ID) })
	for _, s := range own {
		uri := outputPrefix + s.ID
		switch {
		case s.Target.Output == nil || uri <= after:
		case len(items) == limit:
			return items, items[limit-1].URI, nil
		default:
			items = append(items, mcp.Resource{URI: uri, Name: s.Target.Name(), Title: "Output of " + s.Target.Name(), MIMEType: "text/plain"})
		}
	}
	return items, "", nil
}

func (g *groups) readOutput(_ context.Context, call *mcp.Call, uri string) ([]mcp.Contents, error) {
	var s *session.Session
	if id := strings.TrimPrefix(uri, outputPrefix); id != "" {
		s, _ = g.sessions.Find(call.StateKey(), id) // nil is reported below
	}
	if s == nil || s.Target.Output == nil {
		return nil, &mcp.ResourceNotFoundError{URI: uri}
	}
	return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: s.Target.Output.Tail(maxOutputResource)}}, nil
}

// watch tells subscribers when their programs write something.
func (g *groups) watch(ctx context.Context, changes mcp.Changes) error {
	stop := g.sessions.WatchOutput(func(id string) { changes.ResourceUpdated(outputPrefix + id) })
	defer stop()
	<-ctx.Done()
	return nil
}
