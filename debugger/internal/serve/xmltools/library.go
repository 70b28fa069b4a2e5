package xmltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// A Library reads XML documents, in this process or another. Its methods may
// be called concurrently; Close is called once, after all others.
type Library interface {
	Query(ctx context.Context, req document.QueryRequest) (document.QueryResult, error)
	Validate(ctx context.Context, req document.ValidateRequest) (document.Validation, error)
	Preload(ctx context.Context, req document.PreloadRequest, told func(done, total int, message string)) ([]document.PreloadReport, error)
	Stats(ctx context.Context) (document.Stats, error)
	Close() error
}

// A Lazy is a library in this process that is opened by the first request.
type Lazy struct {
	Open func() (*document.Library, error) // the same one each time
}

func (l *Lazy) Query(ctx context.Context, req document.QueryRequest) (document.QueryResult, error) {
	library, err := l.Open()
	if err != nil {
		return document.QueryResult{}, err
	}
	return library.Query(ctx, req)
}

func (l *Lazy) Validate(ctx context.Context, req document.ValidateRequest) (document.Validation, error) {
	library, err := l.Open()
	if err != nil {
		return document.Validation{}, err
	}
	return library.Validate(ctx, req)
}

func (l *Lazy) Preload(ctx context.Context, req document.PreloadRequest, told func(done, total int, message string)) ([]document.PreloadReport, error) {
	library, err := l.Open()
	if err != nil {
		return nil, err
	}
	return library.Preload(ctx, req, told)
}

func (l *Lazy) Stats(context.Context) (document.Stats, error) {
	library, err := l.Open()
	if err != nil {
		return document.Stats{}, err
	}
	return library.Stats(), nil
}

// Close closes the library. If it was not open, Close opens it first, which is
// cheap.
func (l *Lazy) Close() error {
	library, err := l.Open()
	if err != nil {
		return nil //nolint:nilerr // nothing is open
	}
	return library.Close()
}
