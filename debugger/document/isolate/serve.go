package isolate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// Settings are the first line to a process.
type settings struct {
	Config document.Config `json:"config"`
	Memory int64           `json:"memory"` // bytes; 0 is no limit
}

// Serve runs the process: it answers requests from in on out until in
// ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger) error {
	decoder := json.NewDecoder(bufio.NewReader(in))
	var set settings
	if err := decoder.Decode(&set); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if err := limitMemory(set.Memory); err != nil {
		return fmt.Errorf("limit memory to %d bytes: %w", set.Memory, err)
	}
	TuneCollector(set.Memory)
	library, err := document.Open(set.Config, log)
	if err != nil {
		return err
	}
	s := &server{library: library, out: out, running: map[int64]context.CancelFunc{}, idler: newIdler()}
	err = s.serve(ctx, decoder)
	s.wg.Wait()
	_ = library.Close() // the process ends
	return err
}

// garbagePercent is the growth of the heap after which garbage is collected. Trees are
// large and live until their request ends, so that collecting while they grow costs much
// and frees little.
const garbagePercent = 200

// TuneCollector has the process collect garbage less often while it holds little, and
// keep below three quarters of its memory, which is 0 if it has no limit.
func TuneCollector(memory int64) {
	debug.SetGCPercent(garbagePercent)
	if soft := memory / 4 * 3; soft > 0 && soft < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(soft)
	}
}

// A server answers requests, each on a goroutine of its own.
type server struct {
	library *document.Library
	wg      sync.WaitGroup

	mu      sync.Mutex
	out     io.Writer
	running map[int64]context.CancelFunc
	idler   *idler
}

func (s *server) serve(ctx context.Context, decoder *json.Decoder) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		var r request
		if err := decoder.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		if r.Method == methodCancel {
			s.cancel(r.ID)
			continue
		}
		s.send(reply{ID: r.ID, Begun: true})
		ctx := s.begin(ctx, r.ID)
		s.wg.Go(func() { s.answer(ctx, r) })
	}
}

func (s *server) begin(ctx context.Context, id int64) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, s.running[id] = context.WithCancel(ctx)
	s.idler.busy()
	return ctx
}

func (s *server) cancel(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.running[id]; ok {
		cancel()
	}
}

// answer does one request.
func (s *server) answer(ctx context.Context, r request) {
	result, err := s.do(ctx, r)
	made := reply{ID: r.ID, Error: pack(err), Abandoned: s.library.Abandoned()}
	made.Result, err = json.Marshal(result)
	if err != nil {
		made.Error = pack(err)
	}
	s.send(made)
	s.cancel(r.ID) // frees its context
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, r.ID)
	if len(s.running) == 0 {
		s.idler.idle()
	}
}

// do calls the library.
func (s *server) do(ctx context.Context, r request) (any, error) {
	switch r.Method {
	case methodQuery:
		var arg document.QueryRequest
		if err := json.Unmarshal(r.Arg, &arg); err != nil {
			return nil, err
		}
		return s.library.Query(ctx, arg)
	case methodValidate:
		var arg document.ValidateRequest
		if err := json.Unmarshal(r.Arg, &arg); err != nil {
			return nil, err
		}
		return s.library.Validate(ctx, arg)
	case methodPreload:
		return s.preload(ctx, r)
	case methodStats:
		return s.library.Stats(), nil
	case methodContents:
		return s.library.Contents(), nil
	case methodRestore:
		var contents []document.Reference
		if err := json.Unmarshal(r.Arg, &contents); err != nil {
			return nil, err
		}
		s.library.Restore(ctx, contents)
		return nil, nil
	}
	return nil, fmt.Errorf("no method %q", r.Method)
}

func (s *server) preload(ctx context.Context, r request) (any, error) {
	var arg document.PreloadRequest
	if err := json.Unmarshal(r.Arg, &arg); err != nil {
		return nil, err
	}
	reports, err := s.library.Preload(ctx, arg, func(done, total int, message string) {
		s.send(reply{ID: r.ID, Progress: &progress{done, total, message}})
	})
	packed := make([]report, len(reports))
	for i, one := range reports {
		packed[i] = report{PreloadReport: one, Err: pack(one.Err)}
		packed[i].PreloadReport.Err = nil
	}
	return packed, err
}

// send writes one line. What cannot be written has no reader any more, and the
// end of the input will follow.
func (s *server) send(r reply) {
	line, err := json.Marshal(r)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.out.Write(append(line, '\n'))
}
