package debugger

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/debugger/document/isolate"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/xmltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session/folders"
	"github.com/triptych-mcp/triptych/mcp"
)

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
	set.StringArrayVar(&d.Roots, "documents", nil, "let the XML tools read documents below this `folder`; may be given several times (TRIPTYCH_DOCUMENTS; the working directory)")
	set.IntVar(&d.Memory, "documents-memory", defaultMemory, "let XML documents in use and the cache take so many `MiB`")
	set.IntVar(&d.Size, "documents-size", 0, "read XML documents of up to so many `MiB`, 256 at most; data takes 15 to 60 times that of --documents-memory, half of which is for documents in use (default a 64th of --documents-memory)")
	set.DurationVar(&d.Timeout, "documents-timeout", 30*time.Second, "let one question about XML documents use the processor for so `long`")
}

// open returns the group of tools. Its library opens what it needs with the first
// request.
func (d *Documents) open(env mcp.Env) (*xmltools.Group, error) {
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
