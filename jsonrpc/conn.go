package jsonrpc

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// A Config bounds what a connection takes. Zero fields mean the defaults.
type Config struct {
	MaxMessage     int           // bytes of one line; 64 MiB
	MaxDepth       int           // nesting of arrays and objects; [DefaultDepth]
	MaxBatch       int           // messages in one batch; 1000
	MaxBatchAnswer int           // bytes of its answers, after which the rest is refused; 8 MiB
	MaxRunning     int           // handlers that run beside the reading goroutine; 64
	MaxQueued      int           // requests that wait for their turn; 1024
	MaxQueuedBytes int           // and their bytes; 64 MiB
	MaxBuffered    int           // outgoing bytes before writers wait; 1 MiB
	Drain          time.Duration // how long handlers may go on when ctx is done; 5 s
	// Barrier is called before each write and returns when what must be safe
	// before an answer leaves is safe, such as its record in an audit trail.
	// One call serves all answers of the write. When it fails, its error
	// as [ErrorOf] shows it takes the place of each result. Nil waits for
	// nothing.
	Barrier func() error
	Logger  *slog.Logger // nil discards
}

// discard is the logger of connections that have none.
var discard = slog.New(slog.DiscardHandler)

// withDefaults returns the configuration with the default in each field that is not
// positive.
func (c Config) withDefaults() Config {
	c.MaxMessage = positive(c.MaxMessage, 64<<20)
	c.MaxDepth = positive(c.MaxDepth, DefaultDepth)
	c.MaxBatch = positive(c.MaxBatch, 1000)
	c.MaxBatchAnswer = positive(c.MaxBatchAnswer, 8<<20)
	c.MaxRunning = positive(c.MaxRunning, 64)
	c.MaxQueued = positive(c.MaxQueued, 1024)
	c.MaxQueuedBytes = positive(c.MaxQueuedBytes, 64<<20)
	c.MaxBuffered = positive(c.MaxBuffered, 1<<20)
	if c.Drain <= 0 {
		c.Drain = 5 * time.Second
	}
	if c.Logger == nil {
		c.Logger = discard
	}
	return c
}

// positive returns n, or the default when n is none.
func positive(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// A Conn serves one stream of lines in each direction, and is the [Sender] to
// the other side. See the package comment for who runs what.
type Conn struct {
	cfg       Config
	canceled  func(id int64) // of a ClientConfig
	handler   Handler
	sequencer Sequencer
	preempt   Preempter
	blocking  BlockingHandler
	guard     BatchGuard
	policy    IDPolicy
	reuser    IDReuser

	lines    *lineReader // belongs to the goroutine with the reading role
	decoder  *decoder    // likewise, as the four below
	message  message
	scratch  []byte // for answers
	spare    *job   // one to use again, nil when it is in use
	contexts contexts
	out      outbox
	values   context.Context

	// turn is odd while a handler runs on the reading goroutine. The goroutine
	// that makes it even by compare-and-swap has the reading role from then on.
	turn          atomic.Uint64
	inTurn        *job // the job of an odd turn, nil while the reader writes
	monitorParked atomic.Bool
	wakeMonitor   chan struct{}

	readerIdle  atomic.Bool // the reader waits for input and has nothing left to do
	draining    atomic.Bool // no new requests are taken
	served      atomic.Bool // Serve has returned: input is not ours any more
	writeFailed chan error  // holds the first error of a write

	scheduler   scheduler
	calls       calls
	inputClosed chan struct{} // closed by closeInput
	closeInput  func()        // input has ended after a silence, or we shut down
	drained     chan struct{} // closed when input has ended and all is answered
	returned    chan struct{} // closed when Serve returns
}

// NewConn returns a connection that reads lines from in and writes lines to out. It
// starts nothing, and never closes either stream. Where they have deadlines (net.Conn,
// pipes of package os), Serve uses them to end a read or write that hangs.
func NewConn(in io.Reader, out io.Writer, cfg Config) *Conn {
	c := &Conn{
		cfg: cfg.withDefaults(), wakeMonitor: make(chan struct{}, 1),
		inputClosed: make(chan struct{}), drained: make(chan struct{}), returned: make(chan struct{}),
	}
	c.closeInput = sync.OnceFunc(func() { close(c.inputClosed) })
	c.lines = newLineReader(in, c.cfg.MaxMessage)
	c.decoder = newDecoder(c.cfg.MaxDepth)
	c.writeFailed = make(chan error, 1)
	c.out.init(out, c.cfg.MaxBuffered, c.writeFailed)
	c.out.barrier = c.pass
	c.scheduler.init(c)
	c.calls.init()
	return c
}

// Serve answers what comes in until input ends and all of it is answered; then it returns
// nil. When ctx is done it gives handlers [Config].Drain to finish, cancels the rest and
// returns ctx's cause. When the other side stops reading it returns the error of the
// write. It must be called once.
//
// The optional interfaces of h ([Sequencer], [Preempter], [BlockingHandler],
// [BatchGuard], [IDPolicy], [IDReuser]) are looked up here, once.
func (c *Conn) Serve(ctx context.Context, h Handler) error {
	c.handler = h
	c.sequencer, _ = h.(Sequencer)
	c.preempt, _ = h.(Preempter)
	c.blocking, _ = h.(BlockingHandler)
	c.guard, _ = h.(BatchGuard)
	c.policy, _ = h.(IDPolicy)
	c.reuser, _ = h.(IDReuser)
	c.values = context.WithoutCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(c.monitor)
	go c.read()
	err := c.wait(ctx)
	c.served.Store(true)
	close(c.returned)
	c.calls.close()
	c.scheduler.cancelAll()
	wg.Wait()
	return err
}

// wait waits for the end of input, of the output or of ctx, and shuts down in the last
// two cases. It returns Serve's result.
func (c *Conn) wait(ctx context.Context) error {
	select {
	case <-c.drained:
		return c.out.failed()
	case err := <-c.writeFailed:
		c.shutDown(0) // no answer can be delivered any more
		return err
	case <-ctx.Done():
		c.shutDown(c.cfg.Drain)
		return context.Cause(ctx)
	}
}

// shutDown takes nothing new and gives what is in flight that long to end.
// What does not end when it is cancelled is left behind.
func (c *Conn) shutDown(grace time.Duration) {
	c.draining.Store(true)
	c.closeInput()
	c.restWithin(grace)
	if !c.scheduler.idleWithin(grace) {
		c.scheduler.cancelAll()
		c.scheduler.idleWithin(c.cfg.Drain)
	}
	c.unblock()
	c.out.drainWithin(c.cfg.Drain / 10)
	c.out.fail(ErrClosed)
}

// restWithin waits until the reader is done with what it had begun.
func (c *Conn) restWithin(d time.Duration) {
	for end := time.Now().Add(d); !c.readerIdle.Load() && time.Now().Before(end); {
		select {
		case <-c.drained:
			return
		case <-time.After(tick):
		}
	}
}

// unblock ends a Read or Write that hangs, where the stream has deadlines. Elsewhere its
// goroutine ends with the stream. A write gets a little longer than a read: answers may
// still be on their way.
func (c *Conn) unblock() {
	now := time.Now()
	if r, ok := c.lines.r.(interface{ SetReadDeadline(time.Time) error }); ok {
		_ = r.SetReadDeadline(now) // files and pipes may have none
	}
	if w, ok := c.out.w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = w.SetWriteDeadline(now.Add(c.cfg.Drain / 10)) // likewise
	}
}

// InputClosed is closed when the other side has ended its input after a silence, or when
// Serve's ctx is done. What is still being answered is answered, but need not wait
// for what may never come. Input that ends right behind a message, as a file or
// a pipe does, comes from a client that waits for all answers; then it is open
// for as long as the connection.
func (c *Conn) InputClosed() <-chan struct{} { return c.inputClosed }

// refuse answers a message that cannot be served. The zero ID stands for one that could
// not be read: section 5 of JSON-RPC 2.0 asks for null there, MCP for no id.
func (c *Conn) refuse(id ID, e *Error) {
	_ = c.out.put(appendRefusal(nil, id, c.policy == nil || c.policy.NullID(), e), false) // a dead stream is found by the reader
}

// refuseLine answers a line of which not even the id could be read.
func (c *Conn) refuseLine(e *Error) { c.refuse(ID{}, e) }

// Cancel ends the request in flight with that id: its context is done, and it is not
// answered. It reports whether there was one. A handler that returns a result all the
// same has it dropped. It may be called from any goroutine, also from a [Preempter].
func (c *Conn) Cancel(id ID) bool { return c.scheduler.cancel(id.String()) }

// Respond answers a request whose handler returned [ErrNoAnswer]; result is JSON. It is
// for the caller to do so once, and with an id of its own memory ([ID.Clone]): that of
// the request is valid only until the handler returns.
func (c *Conn) Respond(id ID, result []byte) error {
	return c.out.put(AppendResult(nil, id, result), true)
}
