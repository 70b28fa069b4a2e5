package bugtools

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
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
	Pattern  string `json:"pattern_type,omitempty" enum:"crash|memory|logic" doc:"Class of bugs; default: detected"`
	Path     string `json:"search_path,omitempty" doc:"Folder or file; default: the current project"`
	File     string `json:"file,omitempty" doc:"Place to compare with; default: where the program stopped"`
	Line     int    `json:"line,omitempty" min:"1"`
	Function string `json:"function,omitempty"`
	Patch    string `json:"patch,omitempty" doc:"Unified diff of a fix: find where it was forgotten"`
	Limit    int    `json:"max_results" min:"1" max:"100" default:"10"`
}

var (
	errLineAlone  = errors.New("line needs a file")
	errPatchFirst = errors.New("a patch has its own places: give it without file, line and function")
)

// Validate checks what the published schema does not express.
func (a similarArgs) Validate() error {
	if a.Line > 0 && a.File == "" {
		return errLineAlone
	}
	if a.Patch != "" && (a.File != "" || a.Function != "") {
		return errPatchFirst
	}
	return nil
}

func (t *Group) findSimilarBugs(ctx context.Context, call *mcp.Call, args similarArgs) (*bugs.Report, error) {
	var site bugs.Site
	hunks, err := hunksOf(args.Patch)
	if args.Patch == "" {
		site, err = t.siteOf(ctx, call, args)
	}
	if err != nil {
		return nil, err
	}
	path, err := t.searchPath(args.Path)
	if err != nil {
		return nil, err
	}
	finder, err := t.Finder()
	if err != nil {
		return nil, err
	}
	report, err := finder.Find(ctx, bugs.Request{
		Path: path, Site: site, Patch: hunks, Class: bugs.Class(args.Pattern), Limit: args.Limit,
		Progress: func(done, total int) { call.Progress(ctx, float64(done), float64(total), "files read") },
	})
	if errors.Is(err, bugs.ErrNothingToCompare) {
		err = failure.NotAttached("no process has stopped here; attach to one, or give file and line, or pattern_type")
	}
	if err == nil && args.File != "" && len(report.Findings) == 0 && !filepath.IsAbs(site.File) {
		return nil, mcp.InvalidParams("nothing was found, and file %q is not there", args.File)
	}
	return report, err
}

// hunksOf reads a patch, none if there is none.
func hunksOf(patch string) ([]bugs.Hunk, error) {
	if patch == "" {
		return nil, nil
	}
	hunks, err := bugs.ParsePatch(patch)
	if err != nil {
		return nil, mcp.InvalidParams("patch: %v", err)
	}
	return hunks, nil
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
	if _, none := errors.AsType[*failure.NotAttachedError](err); none && args.Pattern != "" {
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
