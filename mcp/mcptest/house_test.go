package mcptest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

type greetArgs struct {
	Name string `json:"name" doc:"Whom to greet"`
}

type greeting struct {
	Name string `json:"name"`
}

func (g greeting) Text() string { return "Hello, " + g.Name }

// rooms is the number of resources of the house: more than a page.
const rooms = 2500

// house is a table with a tool that answers, one that fails in each way, one
// that asks the client, and resources. Each token in doorbell is a new room.
func house(doorbell <-chan struct{}) *mcp.Table {
	greet := func(_ context.Context, _ *mcp.Call, in greetArgs) (greeting, error) {
		switch in.Name {
		case "nobody":
			return greeting{}, mcp.ToolError(errors.New("nobody is here"))
		case "ghost":
			return greeting{}, &jsonrpc.Error{Code: -32007, Message: "No history"}
		}
		return greeting(in), nil
	}
	return &mcp.Table{
		Family: "house",
		Tools: []mcp.Tool{{
			Name: "house/greet", Title: "Greet", Doc: "Greet somebody", Scope: "house:read", Hints: mcp.ReadOnly,
			Call: mcp.Typed(greet),
		}},
		Resources: []mcp.ResourceSource{{
			Scheme: "house", List: list,
			Read: func(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
				if uri == "house://attic" {
					return nil, &mcp.ResourceNotFoundError{URI: uri, Message: "there is no attic"}
				}
				return []mcp.Contents{{URI: uri, MIMEType: "image/png", Blob: []byte{0, 255}}}, nil
			},
			Templates: []mcp.ResourceTemplate{{URITemplate: "house://{room}", Name: "room"}},
		}},
		Watch: func(ctx context.Context, changes mcp.Changes) error {
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-doorbell:
					changes.ResourcesChanged()
				}
			}
		},
	}
}

func list(_ context.Context, _ *mcp.Call, after string, limit int) ([]mcp.Resource, string, error) {
	from, _ := strconv.Atoi(after) // "" is the beginning
	var page []mcp.Resource
	for i := from; i < min(from+limit, rooms); i++ {
		page = append(page, mcp.Resource{URI: fmt.Sprintf("house://%d", i), Name: strconv.Itoa(i)})
	}
	if from+len(page) == rooms {
		return page, "", nil
	}
	return page, strconv.Itoa(from + len(page)), nil
}

// A checker is a test that may fail: it notes what it was told. Fatalf panics
// with fatal, which ends what runs under try.
type checker struct {
	mu       sync.Mutex
	told     []string
	cleanups []func()
	ctx      context.Context
	stop     context.CancelFunc
}

// fatal ends a test.
type fatal struct{}

func newChecker() *checker {
	w := &checker{}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

func (w *checker) Helper()                  {}
func (w *checker) Context() context.Context { return w.ctx }
func (w *checker) Cleanup(f func())         { w.cleanups = append(w.cleanups, f) }

// TempDir is a folder that goes with the test.
func (w *checker) TempDir() string {
	dir, err := os.MkdirTemp("", "mcptest")
	if err != nil {
		w.Fatalf("%v", err)
	}
	w.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left is the system's to clean
	return dir
}

func (w *checker) Errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, fmt.Sprintf(format, args...))
}

func (w *checker) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	panic(fatal{})
}

// try runs a test to its end, cleanups included, and returns what it was told.
func (w *checker) try(test func()) (told []string) {
	defer func() {
		if r := recover(); r != nil && r != any(fatal{}) {
			panic(r)
		}
		w.stop()
		for _, clean := range slices.Backward(w.cleanups) {
			clean()
		}
		told = w.told
	}()
	test()
	return nil
}

// askName asks the user and answers what they said.
func askName(ctx context.Context, call *mcp.Call, _ struct{}) (string, error) {
	answers, err := call.Ask(ctx, map[string]mcp.InputRequest{
		"name": mcp.Form("What is your name?", []byte(`{"type":"object","properties":{"name":{"type":"string"}}}`)),
	})
	return string(answers["name"]), err
}
