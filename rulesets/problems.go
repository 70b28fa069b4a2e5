package rulesets

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// problemsURI is the resource that lists files of the store that are not served.
const problemsURI = "ruleset-problems://files"

// unserved describes the files that look like rulesets but are not valid.
type unserved struct {
	view func(*mcp.Call) ruleset.Store // as a caller may read it
}

// source serves the list of files that look like rulesets but are not
// valid. The resource is listed only while there are such files.
func (u unserved) source() mcp.ResourceSource {
	return mcp.ResourceSource{
		Scheme: "ruleset-problems", Scope: scopeRead, Extension: true,
		LookUp: "it reads the names of files, and why they are not served",
		List:   u.list, Read: u.read,
	}
}

// problems returns the files that are not served. There are none for callers who
// see a label only, and for stores that are not folders.
func (u unserved) problems(ctx context.Context, call *mcp.Call) ([]ruleset.Problem, error) {
	inspector, ok := ruleset.As[ruleset.Inspector](u.view(call))
	if !ok {
		return nil, nil
	}
	return inspector.Problems(ctx)
}

func (u unserved) list(ctx context.Context, call *mcp.Call, _ string, _ int) ([]mcp.Resource, string, error) {
	problems, err := u.problems(ctx, call)
	if err != nil || len(problems) == 0 {
		return nil, "", err
	}
	return []mcp.Resource{{
		URI: problemsURI, Name: "ruleset_problems", Title: "Files that are not served", MIMEType: "text/plain",
		Description: fmt.Sprintf("%d file(s) of the folder of rulesets that are not served, and why", len(problems)),
	}}, "", nil
}

func (u unserved) read(ctx context.Context, call *mcp.Call, uri string) ([]mcp.Contents, error) {
	if uri != problemsURI {
		return nil, &mcp.ResourceNotFoundError{URI: uri}
	}
	problems, err := u.problems(ctx, call)
	if err != nil {
		return nil, &opError{"list", err}
	}
	var b strings.Builder
	if len(problems) == 0 {
		b.WriteString("All files are served.\n")
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "%s: %s\n", p.File, p.Reason)
	}
	return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: b.String()}}, nil
}

// line returns the line about files that are not served, or "".
func (u unserved) line(ctx context.Context, call *mcp.Call) string {
	problems, err := u.problems(ctx, call)
	if err != nil || len(problems) == 0 || call.Baseline() {
		return "" // the list is complete without it
	}
	first := problems[0]
	return fmt.Sprintf("%d file(s) are not served, such as %s: %s. Read %s for all", len(problems), first.File, first.Reason, problemsURI)
}

// BrokenFiles returns the number of files of the open store that look like rulesets and are not
// served, for metrics. Stores that are not folders have none.
func (c *Config) BrokenFiles(ctx context.Context) (int, error) {
	inspector, ok := ruleset.As[ruleset.Inspector](c.store)
	if !ok {
		return 0, nil
	}
	problems, err := inspector.Problems(ctx)
	return len(problems), err
}
