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
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A run is what the test asks for.
type run struct {
	Command  string
	Args     []string
	Revision string // "" is the newest that the SDK knows
	Steps    []step
}

// A report is what the test hears of it.
type report struct {
	Revision     string    `json:"revision"`
	Server       string    `json:"server"`
	Capabilities []string  `json:"capabilities"`
	Outcomes     []outcome `json:"outcomes"`
	Complaints   []string  `json:"complaints"`
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
	s := newScenario()
	client := mcp.NewClient(&mcp.Implementation{Name: "interop", Version: "1.0.0"}, &mcp.ClientOptions{
		Logger: slog.New(slog.NewTextHandler(&s.complaints, &slog.HandlerOptions{Level: slog.LevelWarn})),
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) {
			s.changes.note("resources")
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			s.changes.note(req.Params.URI)
		},
	})
	transport := &mcp.CommandTransport{Command: exec.Command(r.Command, r.Args...)}
	transport.Command.Stderr = os.Stderr
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: r.Revision})
	if err != nil {
		return err
	}
	s.session = session
	out := report{Outcomes: s.takeAll(ctx, r.Steps)}
	settled := session.InitializeResult()
	out.Revision, out.Server = settled.ProtocolVersion, settled.ServerInfo.Name
	if out.Capabilities, err = offered(settled.Capabilities); err != nil {
		return err
	}
	if err := session.Close(); err != nil {
		s.complaints.add("closing: %v", err)
	}
	out.Complaints = s.complaints.all()
	return json.NewEncoder(os.Stdout).Encode(out)
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
