package debugger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/debugger/document/isolate"
	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/accounttools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/bugtools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/controltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/expose"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/exposetools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/xmltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/secrets"
)

// A Config configures the family.
type Config struct {
	// Trail is the audit trail; nil means that none is kept.
	Trail accounttools.Trail
	// Connected is called when a debugger of the user's own connects to a
	// session of an agent, and when it has disconnected. An error refuses it.
	// Nil records nothing.
	Connected func(Connection) error
	// Accounts return the callers' plans; nil means that all callers are
	// local.
	Accounts accounttools.Accounts
	// Live configures the tools for live processes.
	Live Live
	// Traces are the folders of core files and traces.
	Traces Traces
	// FileMemory limits the memory of core files, traces, recordings and debug information.
	FileMemory FileMemory
	// Documents configures the tools for XML documents.
	Documents Documents
	// Projects are the folders of source code to search.
	Projects Projects
	// IndexProjects stores the analysis of source code in the data folder, so
	// that a restart does not read it again.
	IndexProjects bool

	sessions *session.Registry // since Open
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	c.Live.registerFlags(set)
	c.Traces.registerFlags(set)
	c.FileMemory.RegisterFlag(set)
	c.Projects.registerFlags(set)
	set.BoolVar(&c.IndexProjects, "projects-index", false, "store in the data folder what find_similar_bugs has read, up to 1 GiB")
	c.Documents.registerFlags(set)
}

// Scopes returns the scopes of the family's rows.
func (*Config) Scopes() []mcp.Scope { return closedTable().Scopes() }

// Tools returns the family's tools, which cannot be called.
func (*Config) Tools() []mcp.Tool { return closedTable().Tools }

// closedTable returns the family's table before it is opened.
func closedTable() *mcp.Table {
	g := &groups{
		control: new(controltools.Group), travel: new(traveltools.Group), look: new(looktools.Group),
		account: new(accounttools.Group), similar: new(bugtools.Group), xml: new(xmltools.Group),
		expose: new(exposetools.Group),
	}
	return g.table()
}

// Open returns the family's table.
func (c *Config) Open(_ context.Context, env host.Env) (*mcp.Table, error) {
	sessions, rules, err := c.Live.open(env)
	if err != nil {
		return nil, err
	}
	traces, err := c.Traces.open(env)
	if err != nil {
		return nil, err
	}
	memory, err := c.FileMemory.limit(env.Getenv)
	if err != nil {
		return nil, err
	}
	index := ""
	if c.IndexProjects {
		index = filepath.Join(env.Data, indexFolder)
	}
	similar, err := c.Projects.open(env, index)
	if err != nil {
		return nil, err
	}
	documents, err := c.Documents.open(env)
	if err != nil {
		return nil, err
	}
	c.sessions = sessions
	look := &looktools.Group{Sessions: sessions, NoWrite: c.Live.NoWrite, AllowCalls: c.Live.AllowCalls}
	similar.StopSite = look.StopSite
	g := &groups{
		sessions: sessions,
		control: &controltools.Group{
			Sessions: sessions, Policy: rules, NoLaunch: c.Live.NoLaunch, NoWrite: c.Live.NoWrite, Traces: traces, Findings: findingsOf(env),
			Memory:     budget.New(memory),
			MaxHistory: c.Live.mostHistory(), MaxHistoryFile: c.Live.mostHistoryFile(),
		},
		travel: &traveltools.Group{
			Sessions: sessions, Exports: filepath.Join(env.Data, tracesFolder), Now: env.Now,
			WithholdTraces: c.Live.MaskSecrets == maskOn,
		},
		look:    look,
		account: accounttools.New(c.Trail, c.Accounts, env.Now),
		similar: similar,
		xml:     documents,
		expose: &exposetools.Group{
			Sessions: sessions, Exposer: &expose.Exposer{Sessions: sessions, NoWrite: c.Live.NoWrite, Log: env.Logger, Record: c.Connected},
		},
	}
	if c.Live.masks() {
		g.mask = maskReport
	}
	return g.table(), nil
}

// Traces are the folders below which core files and traces may be opened. Nil
// means those of TRIPTYCH_TRACES, else the working directory, unless that is
// the root of the file system. The folder traces of the data folder, to which
// debugger/export_trace writes, is always one of them.
type Traces []string

func (t *Traces) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar((*[]string)(t), "traces", nil, "let the debugger open core files and traces below this `folder`; repeatable (TRIPTYCH_TRACES)\ndefault: the working directory")
}

// findingsFolder is the folder for what was found in recordings in the data folder.
const findingsFolder = "recording-index"

// findingsOf returns that folder, "" without a data folder.
func findingsOf(env host.Env) string {
	if env.Data == "" {
		return ""
	}
	return filepath.Join(env.Data, findingsFolder)
}

// tracesFolder is the folder for traces in the data folder.
const tracesFolder = "traces"

// open returns the set of folders.
func (t Traces) open(env host.Env) (folders.Set, error) {
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
	set.StringArrayVar((*[]string)(p), "projects", nil, "let find_similar_bugs search source code below this `folder`; repeatable (TRIPTYCH_PROJECTS)\ndefault: the working directory")
}

// indexFolder is the folder for analyzed source code in the data folder.
const indexFolder = "source-index"

// open returns the group of tools. Its rules are read by the first search. The
// analysis of projects is stored in the folder index unless that is empty.
func (p Projects) open(env host.Env, index string) (*bugtools.Group, error) {
	all, err := folders.Given(p, env.Getenv("TRIPTYCH_PROJECTS"))
	if err != nil {
		return nil, fmt.Errorf("folder of projects: %w", err)
	}
	config := bugs.Config{Roots: all, Index: index, Logger: env.Logger.With("component", "bugs")}
	return &bugtools.Group{Projects: all, Finder: sync.OnceValues(func() (*bugs.Finder, error) { return bugs.New(config) })}, nil
}

// Documents configures which XML documents can be read, and with how much
// memory and time.
type Documents struct {
	// Roots are the folders below which documents may be read. Nil means those
	// of TRIPTYCH_DOCUMENTS, else the working directory, unless that is the
	// root of the file system. Without any, only inline documents can be read.
	Roots []string
	// Memory limits the memory of the documents of all requests and the cache,
	// in MiB; 0 means 2048. A separate process is killed at twice that.
	Memory int
	// Size limits the text of a document or schema in MiB, to 256 at most; 0 means a
	// sixty-fourth of Memory, as a tree is many times larger than its text.
	Size int
	// Timeout limits the processor time of a request; 0 means 30 s.
	Timeout time.Duration
	// Command is a program that calls [isolate.Serve] with its standard input
	// and output. Documents are then read in that process, which starts with
	// the first request. Nil reads them in this process.
	Command []string
}

// Memory and sizes in MiB.
const (
	defaultMemory = 2048
	maxSize       = 256
)

func (d *Documents) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar(&d.Roots, "documents", nil, "let the XML tools read documents below this `folder`; repeatable (TRIPTYCH_DOCUMENTS)\ndefault: the working directory")
	set.IntVar(&d.Memory, "documents-memory", defaultMemory, "let XML documents in use and the cache take so many `MiB`")
	set.IntVar(&d.Size, "documents-size", 0, "read XML documents of up to so many `MiB`, 256 at most\ndefault: a 64th of --documents-memory\nIn memory a document is 15 to 60 times as large; half of --documents-memory is for documents in use.")
	set.DurationVar(&d.Timeout, "documents-timeout", 30*time.Second, "let one question about XML documents use the processor for this `duration`")
}

// open returns the group of tools. Its library opens what it needs with the first
// request.
func (d *Documents) open(env host.Env) (*xmltools.Group, error) {
	if d.Memory < 0 || d.Size < 0 || d.Timeout < 0 {
		return nil, errors.New("limits of documents must not be negative")
	}
	if d.Size > maxSize {
		return nil, fmt.Errorf("documents of %d MiB: at most %d are read", d.Size, maxSize)
	}
	roots, err := folders.Given(d.Roots, env.Getenv("TRIPTYCH_DOCUMENTS"))
	if err != nil {
		return nil, fmt.Errorf("folder for documents: %w", err)
	}
	config := d.library(roots)
	if d.Command == nil {
		here := &xmltools.Lazy{Open: sync.OnceValues(func() (*document.Library, error) { return document.Open(config, env.Logger) })}
		return &xmltools.Group{Library: here, Folders: roots}, nil
	}
	apart := isolate.New(d.Command, config, 2*d.memory(), env.Logger)
	return &xmltools.Group{Library: apart, Folders: roots}, nil
}

func (d *Documents) memory() int64 {
	if d.Memory == 0 {
		return defaultMemory << 20
	}
	return int64(d.Memory) << 20
}

// library divides the memory between documents, queries and the cache, and
// leaves some for the rest.
func (d *Documents) library(roots []string) document.Config {
	all := d.memory()
	text := max(1, all/64)
	if d.Size > 0 {
		text = int64(d.Size) << 20
	}
	return document.Config{
		Roots: roots, MaxMemory: all / 2, QueryMemory: all / 4, CacheBytes: all / 8, MaxDocument: text,
		MaxTime: d.Timeout,
	}
}

// Limits of the memory of files that are debugged, in MiB. The least is enough for a small
// program and its libraries.
const (
	defaultFileMemory = budget.Default >> 20
	minFileMemory     = 16
	maxFileMemory     = 1 << 20
)

// A FileMemory limits the memory, in MiB, of the files of one client once they are read:
// recordings, traces, core files and debug information. All clients together may take twice
// that. 0 means 512.
type FileMemory int

// RegisterFlag adds the flag that sets the limit.
func (m *FileMemory) RegisterFlag(set *pflag.FlagSet) {
	set.IntVar((*int)(m), budget.Flag, defaultFileMemory, "let the files of one client take so many `MiB` of memory (TRIPTYCH_DEBUG_MEMORY)\n"+
		"They are recordings, traces, core files and debug information, once they are unpacked. Those of all clients may take twice that.")
}

// limit returns the limit in bytes, from the variable if no flag has set another value than
// the default.
func (m FileMemory) limit(getenv func(string) string) (int64, error) {
	n := int(m)
	if n == 0 {
		n = defaultFileMemory
	}
	if err := mebibytes(&n, defaultFileMemory, "TRIPTYCH_DEBUG_MEMORY", getenv("TRIPTYCH_DEBUG_MEMORY")); err != nil {
		return 0, err
	}
	if n < minFileMemory || n > maxFileMemory {
		return 0, fmt.Errorf("files that are debugged cannot take %d MiB of memory: %d to %d are possible", n, minFileMemory, maxFileMemory)
	}
	return int64(n) << 20, nil
}

// maskReport masks the secrets in a text of an answer. Those in values of a program have
// been masked before, where they lie in its memory.
func maskReport(text string) string { return secrets.Mask(text, secrets.Report) }
