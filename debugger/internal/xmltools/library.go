package xmltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// Library is a library of XML documents, in this process or another. Its
// methods may be called by many goroutines; Close once, after all others.
type Library interface {
	Query(ctx context.Context, req document.QueryRequest) (document.QueryResult, error)
	Validate(ctx context.Context, req document.ValidateRequest) (document.Validation, error)
	Preload(ctx context.Context, req document.PreloadRequest, told func(done, total int, message string)) ([]document.PreloadReport, error)
	Stats(ctx context.Context) (document.Stats, error)
	Close() error
}

// A Lazy is a library in this process.
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

// Close closes what was opened. One that was not is opened for it, which costs
// little.
func (l *Lazy) Close() error {
	library, err := l.Open()
	if err != nil {
		return nil //nolint:nilerr // nothing is open
	}
	return library.Close()
}
