package aoc

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"

	"github.com/triptych-mcp/triptych/mcp"
)

// raceAppURI is the address of a page that hosts with the extension
// io.modelcontextprotocol/ui show together with the answer of speed_stats.
const raceAppURI = "ui://aoc/race"

// raceAppMeta is the _meta of the tool that the page belongs to.
var raceAppMeta = json.RawMessage(`{"ui":{"resourceUri":"` + raceAppURI + `"}}`)

// racePage is the page. It loads nothing from outside and draws the structured
// content that its host sends it.
//
//go:embed race.html
var racePage string

// raceApp serves the page. It is not listed: hosts find it through the tool's
// _meta.
var raceApp = mcp.ResourceSource{
	Scheme: "ui", Scope: "aoc:read", LookUp: "the page is the same for every caller",
	List: func(context.Context, *mcp.Call, string, int) ([]mcp.Resource, string, error) { return nil, "", nil },
	Read: func(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
		if uri != raceAppURI {
			return nil, notFound(uri, errors.New("there is no such page"))
		}
		return []mcp.Contents{{URI: uri, MIMEType: "text/html;profile=mcp-app", Text: racePage}}, nil
	},
}
