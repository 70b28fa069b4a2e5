package debugger

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/bugtools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/mcp"
)

// Traces are the folders below which core files and traces may be opened. Nil
// means those of TRIPTYCH_TRACES, else the working directory, unless that is
// the root of the file system. The folder traces of the data folder, to which
// debugger/export_trace writes, is always one of them.
type Traces []string

func (t *Traces) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar((*[]string)(t), "traces", nil, "let the debugger open core files and traces below this `folder`; may be given several times (TRIPTYCH_TRACES; the working directory)")
}

// tracesFolder is the folder for traces in the data folder.
const tracesFolder = "traces"

// open returns the set of folders.
func (t Traces) open(env mcp.Env) (folders.Set, error) {
	all, err := folders.Given(t, env.Getenv("TRIPTYCH_TRACES"))
	if err != nil {
		return nil, fmt.Errorf("folder of traces: %w", err)
	}
	return append(folders.Set(all), filepath.Join(env.Data, tracesFolder)), nil
}

// Projects are the folders below which source code may be searched for bugs.
// Nil means those of TRIPTYCH_PROJECTS, else the working directory, unless that
// is the root of the file system.
type Projects []string

func (p *Projects) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar((*[]string)(p), "projects", nil, "let find_similar_bugs search source code below this `folder`; may be given several times (TRIPTYCH_PROJECTS; the working directory)")
}

// indexFolder is the folder for analyzed source code in the data folder.
const indexFolder = "source-index"

// open returns the group of tools. Its rules are read by the first search. The
// analysis of projects is stored in the folder index unless that is empty.
func (p Projects) open(env mcp.Env, index string) (*bugtools.Group, error) {
	all, err := folders.Given(p, env.Getenv("TRIPTYCH_PROJECTS"))
	if err != nil {
		return nil, fmt.Errorf("folder of projects: %w", err)
	}
	config := bugs.Config{Roots: all, Index: index, Logger: env.Logger.With("component", "bugs")}
	return &bugtools.Group{Projects: all, Finder: sync.OnceValues(func() (*bugs.Finder, error) { return bugs.New(config) })}, nil
}
