package debugger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/debugger/document/isolate"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Documents configuration says which XML documents can be read, and what that
// may cost.
type Documents struct {
	// Roots are the folders below which documents lie. Nil means those of
	// TRIPTYCH_DOCUMENTS, else the working directory, unless that is the root
	// of the file system, where nobody means all files. Without any, only
	// documents that come inline can be read.
	Roots []string
	// Memory is how many MiB the documents of all requests and the cache may
	// take; 2048. A process of their own is ended at twice that.
	Memory int
	// Timeout is how long one request may take; 30 s.
	Timeout time.Duration
	// Command is a program that calls [isolate.Serve] with its standard input
	// and output; documents are then read by it, in a process that starts with
	// the first request. Nil reads them in this process.
	Command []string
}

// defaultMemory is in MiB.
const defaultMemory = 2048

func (d *Documents) registerFlags(set *pflag.FlagSet) {
	set.StringArrayVar(&d.Roots, "documents", nil, "let the XML tools read documents below this `folder`; may be given several times (TRIPTYCH_DOCUMENTS; the working directory)")
	set.IntVar(&d.Memory, "documents-memory", defaultMemory, "let XML documents in use and the cache take so many `MiB`")
	set.DurationVar(&d.Timeout, "documents-timeout", 30*time.Second, "let one question about XML documents take so `long`")
}

// open makes the library; what it needs is opened by the first request.
func (d *Documents) open(env mcp.Env) (documents, error) {
	if d.Memory < 0 || d.Timeout < 0 {
		return nil, errors.New("limits of documents must not be negative")
	}
	roots, err := folders(d.Roots, env.Getenv("TRIPTYCH_DOCUMENTS"))
	if err != nil {
		return nil, fmt.Errorf("folder for documents: %w", err)
	}
	config := d.library(roots)
	if d.Command == nil {
		return &lazyLibrary{open: sync.OnceValues(func() (*document.Library, error) { return document.Open(config, env.Logger) })}, nil
	}
	return isolate.New(d.Command, config, 2*d.memory(), env.Logger), nil
}

func (d *Documents) memory() int64 {
	if d.Memory == 0 {
		return defaultMemory << 20
	}
	return int64(d.Memory) << 20
}

// library shares the memory out; the rest is for what is neither a document nor
// a query. Documents and schemas are at most a sixty-fourth of it in text, as
// their trees are many times larger.
func (d *Documents) library(roots []string) document.Config {
	all := d.memory()
	return document.Config{
		Roots: roots, MaxMemory: all / 2, QueryMemory: all / 4, CacheBytes: all / 8, MaxDocument: max(1, all/64),
		Deadline: d.Timeout,
	}
}

// folders are those given, else those of a list as in PATH, else the working
// directory unless it is the root. They are absolute, and there.
func folders(given []string, list string) ([]string, error) {
	if len(given) == 0 {
		given = filepath.SplitList(list)
	}
	if len(given) == 0 {
		dir, err := os.Getwd()
		if err != nil || filepath.Dir(dir) == dir {
			return nil, nil //nolint:nilerr // where there is no working directory, nothing lies below it
		}
		given = []string{dir}
	}
	var all []string
	for _, dir := range given {
		full, err := folder(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, full)
	}
	return all, nil
}

func folder(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("it has no name")
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(full)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", full)
	}
	return full, nil
}

// documents is a library of XML documents, in this process or another. Its
// methods may be called by many goroutines; Close once, after all others.
type documents interface {
	Query(ctx context.Context, req document.QueryRequest) (document.QueryResult, error)
	Validate(ctx context.Context, req document.ValidateRequest) (document.Validation, error)
	Preload(ctx context.Context, req document.PreloadRequest, told func(done, total int, message string)) ([]document.PreloadReport, error)
	Stats(ctx context.Context) (document.Stats, error)
	Close() error
}

// A lazyLibrary is a library in this process.
type lazyLibrary struct {
	open func() (*document.Library, error) // the same one each time
}

func (l *lazyLibrary) Query(ctx context.Context, req document.QueryRequest) (document.QueryResult, error) {
	library, err := l.open()
	if err != nil {
		return document.QueryResult{}, err
	}
	return library.Query(ctx, req)
}

func (l *lazyLibrary) Validate(ctx context.Context, req document.ValidateRequest) (document.Validation, error) {
	library, err := l.open()
	if err != nil {
		return document.Validation{}, err
	}
	return library.Validate(ctx, req)
}

func (l *lazyLibrary) Preload(ctx context.Context, req document.PreloadRequest, told func(done, total int, message string)) ([]document.PreloadReport, error) {
	library, err := l.open()
	if err != nil {
		return nil, err
	}
	return library.Preload(ctx, req, told)
}

func (l *lazyLibrary) Stats(context.Context) (document.Stats, error) {
	library, err := l.open()
	if err != nil {
		return document.Stats{}, err
	}
	return library.Stats(), nil
}

// Close closes what was opened. One that was not is opened for it, which costs
// little.
func (l *lazyLibrary) Close() error {
	library, err := l.open()
	if err != nil {
		return nil //nolint:nilerr // nothing is open
	}
	return library.Close()
}
