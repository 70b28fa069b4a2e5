package mcp_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

type addArgs struct {
	A float64 `json:"a" doc:"First term"`
	B float64 `json:"b" doc:"Second term"`
}

func add(_ context.Context, _ *mcp.Call, in addArgs) (string, error) {
	return fmt.Sprint(in.A + in.B), nil
}

func readPi(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: "3.14159"}}, nil
}

// A server with a tool and a resource over standard input and output. A program
// passes os.Stdin, or calls stdio.Serve, which also ends well when it is told to.
func Example() {
	server, err := mcp.New(mcp.Config{Name: "maths", Version: "1.0.0"}, &mcp.Table{
		Tools:     []mcp.Tool{{Name: "add", Doc: "Add two numbers", Hints: mcp.ReadOnly, Call: mcp.Typed(add)}},
		Resources: []mcp.ResourceSource{{Scheme: "maths", Read: readPi}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}
{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"maths://pi"}}
`)
	conn := jsonrpc.NewConn(in, os.Stdout, jsonrpc.Config{})
	handler := server.Bind(host.Caller{Principal: host.Local(), Connection: true, Send: conn}, conn.Cancel)
	if err := conn.Serve(context.Background(), handler); err != nil {
		fmt.Println(err)
	}
	handler.End(context.Background())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"5"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"maths://pi","mimeType":"text/plain","text":"3.14159"}]}}
}

type sum struct {
	Sum float64 `json:"sum"`
}

func addTerms(_ context.Context, _ *mcp.Call, in addArgs) (sum, error) { return sum{in.A + in.B}, nil }

// A tool that answers with a struct. A client that names no revision gets the JSON as text;
// from revision 2025-06-18 on it is the structured content, too.
func ExampleTyped() {
	server, err := mcp.New(mcp.Config{Name: "maths", Version: "1.0.0"}, &mcp.Table{
		Tools: []mcp.Tool{{Name: "add", Doc: "Add two numbers", Hints: mcp.ReadOnly, Call: mcp.Typed(addTerms)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}
{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"example","version":"1"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3}}}
`)
	conn := jsonrpc.NewConn(in, os.Stdout, jsonrpc.Config{})
	handler := server.Bind(host.Caller{Principal: host.Local(), Connection: true, Send: conn}, conn.Cancel)
	if err := conn.Serve(context.Background(), handler); err != nil {
		fmt.Println(err)
	}
	handler.End(context.Background())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"sum\":5}"}]}}
	// {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"maths","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\"sum\":5}"}],"structuredContent":{"sum":5}}}
}
