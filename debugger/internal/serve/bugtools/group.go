package bugtools

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Group has the tool that searches for similar bugs.
type Group struct {
	Projects []string                     // absolute; the first is the current one
	Finder   func() (*bugs.Finder, error) // the same one each time
	// StopSite returns where the process of a session stopped, or an error if
	// it has not; nil if there are no sessions.
	StopSite func(ctx context.Context, call *mcp.Call, session string) (bugs.Site, error)
}

type similarArgs struct {
	sessiontools.SessionArg
	Class    string `json:"pattern_type,omitempty" enum:"crash|memory|logic" doc:"Default: detected"`
	Path     string `json:"search_path,omitempty" doc:"Folder or file"`
	File     string `json:"file,omitempty" doc:"Default: where the program stopped"`
	Line     int    `json:"line,omitempty" min:"1" bounds:"enforced"`
	Function string `json:"function,omitempty"`
	Patch    string `json:"patch,omitempty" doc:"Diff of a fix, forgotten elsewhere"`
	Template string `json:"pattern,omitempty" doc:"Code with holes to find: free($x); … use($x)"`
	Limit    int    `json:"max_results" min:"1" max:"100" default:"10" bounds:"enforced"`
}

var (
	errLineAlone  = errors.New("line needs a file")
	errPatchFirst = errors.New("a patch has its own places: give it without file, line and function")
	errTemplate   = errors.New("a pattern is searched for by itself: give it without file, line, function and patch")
)

// Validate checks what the published schema does not express.
func (a similarArgs) Validate() error {
	if a.Line > 0 && a.File == "" {
		return errLineAlone
	}
	if a.Patch != "" && (a.File != "" || a.Function != "") {
		return errPatchFirst
	}
	if a.Template != "" && (a.File != "" || a.Function != "" || a.Patch != "") {
		return errTemplate
	}
	return nil
}

func (t *Group) findSimilarBugs(ctx context.Context, call *mcp.Call, args similarArgs) (*bugs.Report, error) {
	request, err := t.request(ctx, call, args)
	if err != nil {
		return nil, err
	}
	if request.Path, err = t.searchPath(args.Path); err != nil {
		return nil, err
	}
	finder, err := t.Finder()
	if err != nil {
		return nil, err
	}
	report, err := finder.Find(ctx, request)
	if errors.Is(err, bugs.ErrNothingToCompare) {
		err = failure.NotAttached("no process has stopped here; attach to one, or give file and line, or pattern_type")
	}
	if err == nil && args.File != "" && len(report.Findings) == 0 && !filepath.IsAbs(request.Site.File) {
		return nil, mcp.InvalidParams("nothing was found, and file %q is not there", args.File)
	}
	return report, err
}

// request returns the request for a call, without a path.
func (t *Group) request(ctx context.Context, call *mcp.Call, args similarArgs) (r bugs.Request, err error) {
	r = bugs.Request{
		Class: bugs.Class(args.Class), Limit: args.Limit,
		Progress: func(done, total int) { call.Progress(ctx, float64(done), float64(total), "files read") },
	}
	switch {
	case args.Patch != "":
		if r.Patch, err = bugs.ParsePatch(args.Patch); err != nil {
			return r, mcp.InvalidParams("patch: %v", err)
		}
	case args.Template != "":
		if r.Template, err = bugs.ParseTemplate(args.Template); err != nil {
			return r, mcp.InvalidParams("pattern: %v", err)
		}
	default:
		r.Site, err = t.siteOf(ctx, call, args)
	}
	return r, err
}

// siteOf returns the place to compare with: the one that is given, else where
// the program stopped. None is needed if a class of bugs is given.
func (t *Group) siteOf(ctx context.Context, call *mcp.Call, args similarArgs) (bugs.Site, error) {
	given := bugs.Site{File: args.File, Line: args.Line, Function: args.Function}
	if full, ok := t.inProjects(args.File); ok && args.File != "" {
		given.File = full
	}
	if args.File != "" || args.Function != "" || t.StopSite == nil {
		return given, nil
	}
	site, err := t.StopSite(ctx, call, args.Session)
	if _, none := errors.AsType[*failure.NotAttachedError](err); none && args.Class != "" {
		return given, nil
	}
	return site, err
}

// searchPath returns the full path to search. Paths that lead out of the
// projects are left to the finder, which rejects them whether or not they
// exist.
func (t *Group) searchPath(path string) (string, error) {
	if len(t.Projects) == 0 {
		return "", failure.Denied("there is no folder that may be searched; " + projectsHint)
	}
	if full, ok := t.inProjects(path); ok {
		return full, nil
	}
	if filepath.IsAbs(path) {
		return path, nil
	}
	if filepath.IsLocal(path) {
		return "", mcp.InvalidParams("search_path %q is not there", path)
	}
	return filepath.Join(t.Projects[0], path), nil
}

// inProjects finds a relative path below the first project that has it.
func (t *Group) inProjects(path string) (string, bool) {
	if !filepath.IsLocal(cmp.Or(path, ".")) {
		return "", false
	}
	for _, project := range t.Projects {
		full := filepath.Join(project, path)
		if _, err := os.Lstat(full); err == nil {
			return full, true
		}
	}
	return "", false
}
