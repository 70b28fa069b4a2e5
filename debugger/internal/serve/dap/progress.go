package dap

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-dap"
)

// A progress tells the client how long work takes. It is the client of an
// operation for [session.Session.Await].
type progress struct {
	out   *writer // nil if the client is not told
	title string
	id    string

	mu      sync.Mutex
	started bool
	ended   bool
}

// newProgress returns the progress of an operation; work without a title is
// not told of.
func (c *client) newProgress(title string) *progress {
	p := &progress{title: title, id: fmt.Sprintf("run-%d", time.Now().UnixNano())}
	if c.arguments.SupportsProgressReporting && title != "" {
		p.out = c.out
	}
	return p
}

// InputClosed is never closed: the server watches the client.
func (*progress) InputClosed() <-chan struct{} { return nil }

// Progress is called each second.
func (p *progress) Progress(_ context.Context, _, _ float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.out == nil || p.ended:
	case !p.started:
		p.started = true
		p.out.event("progressStart", dap.ProgressStartEventBody{ProgressId: p.id, Title: p.title, Cancellable: true, Message: message})
	default:
		p.out.event("progressUpdate", dap.ProgressUpdateEventBody{ProgressId: p.id, Message: message})
	}
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.started {
		p.out.event("progressEnd", dap.ProgressEndEventBody{ProgressId: p.id})
	}
}

// slowTime is the time after which the client is told of work.
const slowTime = time.Second

// requestPrefix begins the ids of progress of requests.
const requestPrefix = "request-"

// slowly tells the client of a request that takes long. The returned function
// is called at its end. The request is canceled by the id of its progress.
func (c *client) slowly(ctx context.Context, title string) func() {
	p := c.newProgress(title)
	p.id = requestPrefix + strconv.Itoa(c.flight.current())
	timer := time.AfterFunc(slowTime, func() { p.Progress(ctx, 0, 0, "") })
	return func() {
		timer.Stop()
		p.end()
	}
}

// requestOfProgress returns the number of the request that a progress is of.
func requestOfProgress(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, requestPrefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil
}
