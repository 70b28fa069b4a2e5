// Command gosdk takes the steps of a run with the client of the Go SDK and
// prints what came of them; see the package interop for what a run is.
//
//	gosdk '{"command":"triptych","args":["stdio"],"revision":"","steps":[{"do":"tools"}]}'
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A run holds the parameters that the test passes.
type run struct {
	Command     string
	Args        []string
	URL         string // of a server over HTTPS; "" starts the command
	Certificate string // the file of the server's certificate
	Key         string
	Wrong       string // a key that must be refused; "" tries none
	Revision    string // "" is the newest that the SDK knows
	Steps       []step
	Login       bool // logs in by the page of the server, instead of steps
	Restart     bool // lists the tools before and after the server is started again, instead of steps
}

// A report holds the results that the test reads.
type report struct {
	Revision     string     `json:"revision"`
	Server       string     `json:"server"`
	Capabilities []string   `json:"capabilities"`
	Outcomes     []outcome  `json:"outcomes"`
	Complaints   []string   `json:"complaints"`
	Refused      *refusal   `json:"refused,omitempty"`
	Exchanges    []exchange `json:"exchanges"`
	Session      string     `json:"session"`
}

func main() {
	if err := play(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

func play(ctx context.Context) error {
	if len(os.Args) != 2 {
		return errors.New("want one argument, the run as JSON")
	}
	var r run
	if err := json.Unmarshal([]byte(os.Args[1]), &r); err != nil {
		return err
	}
	if r.Login {
		return r.logIn(ctx)
	}
	if r.Restart {
		return r.outlive(ctx)
	}
	var out report
	var err error
	if r.Wrong != "" {
		if out.Refused, err = r.beRefused(ctx); err != nil {
			return err
		}
	}
	if err := r.report(ctx, &out); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// beRefused connects with the wrong key.
func (r run) beRefused(ctx context.Context) (*refusal, error) {
	_, w, err := r.connect(ctx, newScenario(), r.Wrong)
	if w == nil || err == nil {
		return nil, fmt.Errorf("the wrong key was not refused: %w", err)
	}
	return refused(err, w), nil
}

// report takes all steps and closes the session.
func (r run) report(ctx context.Context, out *report) error {
	s := newScenario()
	session, w, err := r.connect(ctx, s, r.Key)
	if err != nil {
		return err
	}
	s.session = session
	out.Outcomes = s.takeAll(ctx, r.Steps)
	settled := session.InitializeResult()
	out.Revision, out.Server = settled.ProtocolVersion, settled.ServerInfo.Name
	if out.Capabilities, err = offered(settled.Capabilities); err != nil {
		return err
	}
	if err := session.Close(); err != nil {
		s.complaints.add("closing: %v", err)
	}
	out.Exchanges, out.Session = w.seen()
	out.Complaints = s.complaints.all()
	return nil
}

// connect opens a session of the scenario. The witness is nil only if there is
// no way to the server.
func (r run) connect(ctx context.Context, s *scenario, key string) (*mcp.ClientSession, *witness, error) {
	transport, w, err := r.transport(key)
	if err != nil {
		return nil, nil, err
	}
	session, err := s.client().Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: r.Revision})
	return session, w, err
}

// client returns a client that passes notifications to the scenario.
func (s *scenario) client() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1.0.0"}, &mcp.ClientOptions{
		Logger: slog.New(slog.NewTextHandler(&s.complaints, &slog.HandlerOptions{Level: slog.LevelWarn})),
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			s.changes.note("resources")
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			s.changes.note(req.Params.URI)
		},
	})
}

// offered are the names of the capabilities, sorted.
func offered(c *mcp.ServerCapabilities) ([]string, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	var names []string
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// complaints are all that went wrong beside the outcomes; the SDK's log is
// written to them.
type complaints struct {
	mu   sync.Mutex
	list []string
}

func (c *complaints) Write(line []byte) (int, error) {
	c.add("%s", strings.TrimSpace(string(line)))
	return len(line), nil
}

func (c *complaints) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

func (c *complaints) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.list...)
}
