package debugger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

// Projects are the folders below which source code may be searched for bugs.
// Nil means those of TRIPTYCH_PROJECTS, else the working directory, unless that
// is the root of the file system.
type Projects []string

func (p *Projects) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar((*[]string)(p), "projects", nil, "let find_similar_bugs search source code below this `folder`; may be given several times (TRIPTYCH_PROJECTS; the working directory)")
}

// A similarGroup is the tool that searches for similar bugs.
type similarGroup struct {
	projects []string                     // absolute; the first is the current one
	finder   func() (*bugs.Finder, error) // the same one each time
	// stopSite is where the process of a session stopped, or why there is none;
	// nil means that there never is one.
	stopSite func(ctx context.Context, call *mcp.Call, session string) (bugs.Site, error)
}

// open makes the search; its rules are read by the first one.
func (p Projects) open(env mcp.Env) (*similarGroup, error) {
	all, err := folders(p, env.Getenv("TRIPTYCH_PROJECTS"))
	if err != nil {
		return nil, fmt.Errorf("folder of projects: %w", err)
	}
	return &similarGroup{projects: all, finder: sync.OnceValues(func() (*bugs.Finder, error) { return newFinder(all, env.Logger) })}, nil
}

func newFinder(roots []string, log *slog.Logger) (*bugs.Finder, error) {
	return bugs.New(bugs.Config{Roots: roots, Logger: log.With("component", "bugs")})
}

// tools are the rows of the group.
func (t *similarGroup) tools() []mcp.Tool {
	return []mcp.Tool{
		{
			Name: "debugger/find_similar_bugs", Title: "Similar bugs", Scope: scopeRead, Hints: mcp.ReadOnly, Task: mcp.TaskWhenSlow,
			Doc:    "Search source code for places that resemble the one where the program stopped, or a given one",
			Phrase: "Similar bugs searched",
			Call:   mcp.Typed(t.findSimilarBugs),
		},
	}
}

type similarArgs struct {
	sessionArg
	Pattern  string `json:"pattern_type,omitempty" enum:"crash|memory|logic" doc:"Class of bugs to look for; found out by itself when it is not given"`
	Path     string `json:"search_path,omitempty" doc:"Folder or file to search, by default the current project"`
	File     string `json:"file,omitempty" doc:"Source file of the place to compare with, by default where the program stopped"`
	Line     int    `json:"line,omitempty" min:"1" doc:"Line of that place"`
	Function string `json:"function,omitempty" doc:"Function of that place"`
	Limit    int    `json:"max_results" min:"1" max:"100" default:"10" doc:"Most places in the answer"`
}

var errLineAlone = errors.New("line needs a file")

// Validate checks what the published schema does not say.
func (a similarArgs) Validate() error {
	if a.Line > 0 && a.File == "" {
		return errLineAlone
	}
	return nil
}

func (t *similarGroup) findSimilarBugs(ctx context.Context, call *mcp.Call, args similarArgs) (*bugs.Report, error) {
	site, err := t.siteOf(ctx, call, args)
	if err != nil {
		return nil, err
	}
	path, err := t.searchPath(args.Path)
	if err != nil {
		return nil, err
	}
	finder, err := t.finder()
	if err != nil {
		return nil, err
	}
	report, err := finder.Find(ctx, bugs.Request{
		Path: path, Site: site, Class: bugs.Class(args.Pattern), Limit: args.Limit,
		Progress: func(done, total int) { call.Progress(ctx, float64(done), float64(total), "files read") },
	})
	if errors.Is(err, bugs.ErrNothingToCompare) {
		err = &notAttachedError{"no process has stopped here; attach to one, or give file and line, or pattern_type"}
	}
	if err == nil && args.File != "" && len(report.Findings) == 0 && !filepath.IsAbs(site.File) {
		return nil, mcp.InvalidParams("nothing was found, and file %q is not there", args.File)
	}
	return report, err
}

// siteOf is the place to compare with: the one that is given, else where the
// program stopped. A class of bugs alone needs none.
func (t *similarGroup) siteOf(ctx context.Context, call *mcp.Call, args similarArgs) (bugs.Site, error) {
	given := bugs.Site{File: args.File, Line: args.Line, Function: args.Function}
	if full, ok := t.inProjects(args.File); ok && args.File != "" {
		given.File = full
	}
	if args.File != "" || args.Function != "" || t.stopSite == nil {
		return given, nil
	}
	site, err := t.stopSite(ctx, call, args.Session)
	if _, none := errors.AsType[*notAttachedError](err); none && args.Pattern != "" {
		return given, nil
	}
	return site, err
}

// searchPath is what a path means. Paths that lead out of the projects are left
// to the finder, which refuses them whether they exist or not.
func (t *similarGroup) searchPath(path string) (string, error) {
	if len(t.projects) == 0 {
		return "", &refusedError{"there is no folder that may be searched; " + projectsHint}
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
	return filepath.Join(t.projects[0], path), nil
}

// inProjects finds a relative path below the first project that has it.
func (t *similarGroup) inProjects(path string) (string, bool) {
	if !filepath.IsLocal(cmp.Or(path, ".")) {
		return "", false
	}
	for _, project := range t.projects {
		full := filepath.Join(project, path)
		if _, err := os.Lstat(full); err == nil {
			return full, true
		}
	}
	return "", false
}

const projectsHint = "--projects names those that may"

// wireSimilar is for what cannot be searched.
func wireSimilar(err error) *jsonrpc.Error {
	e, ok := errors.AsType[*bugs.PathError](err)
	switch {
	case !ok:
		return nil
	case e.Denied:
		return jsonrpc.Errorf(mcp.CodePermissionDenied, "Permission denied").WithDetails("%v; %s", e, projectsHint)
	}
	return mcp.InvalidParams("%v", e)
}
