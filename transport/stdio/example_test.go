package stdio_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

// A server with one tool answers the lines of its input. A real one passes os.Stdin.
func Example() {
	type args struct {
		Name string `json:"name" doc:"Whom to greet"`
	}
	server, err := mcp.New(mcp.Config{Name: "greeter", Version: "1.0.0"}, &mcp.Table{
		Tools: []mcp.Tool{{
			Name: "greet", Doc: "Greet a person", Hints: mcp.ReadOnly,
			Call: mcp.Typed(func(_ context.Context, _ *mcp.Call, in args) (string, error) {
				return fmt.Sprintf("Hello, %s!", in.Name), nil
			}),
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	input := strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}` + "\n")
	if err := stdio.Serve(context.Background(), input, os.Stdout, server); err != nil {
		log.Fatal(err)
	}
	// Unordered output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}
}
