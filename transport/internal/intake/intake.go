// Package intake reads bodies of requests into memory, within a budget and at a minimum rate.
//
//	in := intake.Limits{Max: 16 << 20, Grace: 5 * time.Second, Rate: 16 << 10}
//	text, err := in.Read(w, r, hold)
//
// The memory is taken from the hold before it is allocated and as bytes arrive: a length that
// a client states costs nothing. The caller releases the hold, also after an error.
package intake

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// The errors of [Limits.Read] besides those of package budget.
var (
	// ErrTooLarge is returned for a body of more than Max bytes. A stated length is refused
	// before the body is read.
	ErrTooLarge = errors.New("the body is too large")
	// ErrTooSlow is returned for a body that arrives with less than Rate.
	ErrTooSlow = errors.New("the body arrives too slowly")
	// ErrCutOff is returned for a body without its end.
	ErrCutOff = errors.New("the body could not be read to its end")
)

// Limits bound a body.
type Limits struct {
	Max   int64         // bytes
	Grace time.Duration // the longest pause before the next part
	Rate  int64         // bytes a second, once Grace is over
}

// Read reads the body of a request to its end. A client that sends a byte now and then would
// keep a connection and memory for hours, so the body has to arrive at Rate.
func (l Limits) Read(w http.ResponseWriter, r *http.Request, hold *budget.Hold) ([]byte, error) {
	if r.ContentLength > l.Max {
		return nil, ErrTooLarge
	}
	body := r.Body
	if r.ContentLength < 0 {
		body = http.MaxBytesReader(w, body, l.Max)
	}
	in := reader{from: body, length: r.ContentLength, hold: hold}
	if !isBuffered(r) {
		in.pace(http.NewResponseController(w), l.Grace, l.Rate)
	}
	text, err := in.readAll()
	if err == nil {
		return text, nil
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, ErrTooLarge
	}
	switch {
	case errors.Is(err, budget.ErrOwner), errors.Is(err, budget.ErrTotal):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, ErrTooSlow
	}
	return nil, ErrCutOff
}

// isBuffered reports whether all of the body has arrived: reading it needs no
// deadline.
func isBuffered(r *http.Request) bool {
	b, ok := r.Body.(interface{ Len() int })
	return ok && int64(b.Len()) == r.ContentLength || r.Body == http.NoBody
}

// The memory of a body: how much is allocated before its bytes arrive, and how
// much for a body of unknown length. Past that it doubles as bytes arrive.
const (
	firstStep   = 64 << 10
	unknownStep = 4 << 10
)

// A reader reads a body into memory that grows as its bytes arrive, each step of which is
// taken from a budget before. It is used once, by one goroutine; what it took from hold stays
// taken after an error, until the caller releases it.
type reader struct {
	from   io.Reader
	length int64 // as the client stated it, -1 if it did not
	hold   *budget.Hold

	control  *http.ResponseController // nil for a body that has arrived
	grace    time.Duration
	rate     int64
	deadline time.Time
}

// pace makes reads end when the body arrives too slowly. It is called before the first
// read.
func (b *reader) pace(control *http.ResponseController, grace time.Duration, rate int64) {
	b.control, b.grace, b.rate = control, grace, rate
	b.deadline = time.Now().Add(grace)
}

// setDeadline gives the next read the time that n bytes have earned, but never
// more than the grace: a fast beginning is no credit for a pause.
func (b *reader) setDeadline(n int) {
	if b.control == nil {
		return
	}
	b.deadline = b.deadline.Add(time.Duration(float64(n) / float64(b.rate) * float64(time.Second)))
	if latest := time.Now().Add(b.grace); b.deadline.After(latest) {
		b.deadline = latest
	}
	_ = b.control.SetReadDeadline(b.deadline) // recorders of tests have none
}

// readAll reads the body to its end. The buffer grows in steps as bytes arrive, each of
// which is taken from the budget before it is allocated: a declared length alone costs
// nothing. Without a declared length it begins with a small step.
func (b *reader) readAll() ([]byte, error) {
	size := int64(unknownStep)
	if b.length >= 0 {
		size = min(b.length+1, firstStep) // one more, for the end to be seen
	}
	if err := b.hold.Take(size); err != nil {
		return nil, err
	}
	text := make([]byte, 0, size)
	for n := 0; ; {
		b.setDeadline(n)
		var err error
		n, err = b.from.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if err != nil {
			if b.control != nil {
				_ = b.control.SetReadDeadline(time.Time{}) // as in setDeadline
			}
			if errors.Is(err, io.EOF) {
				return text, nil
			}
			return nil, err
		}
		if len(text) == cap(text) {
			if text, err = b.grow(text); err != nil {
				return nil, err
			}
		}
	}
}

// grow doubles the memory of text, but not beyond the stated length. The budget is asked
// for the difference only: the old memory is garbage as soon as it was copied.
func (b *reader) grow(text []byte) ([]byte, error) {
	size := 2 * int64(cap(text))
	if b.length >= 0 {
		size = min(size, b.length+1)
	}
	size = max(size, int64(cap(text))+1) // a length that lies
	if err := b.hold.Take(size - int64(cap(text))); err != nil {
		return nil, err
	}
	grown := make([]byte, len(text), size)
	copy(grown, text)
	return grown, nil
}
