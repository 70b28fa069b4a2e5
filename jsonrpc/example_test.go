package jsonrpc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

func greet(_ context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	if req.Method != "greet" {
		return dst, jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "Method not found: %s", req.Method)
	}
	return jsonrpc.AppendString(dst, "hello"), nil
}

func ExampleConn_Serve() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"greet"}
{"jsonrpc":"2.0","id":"two","method":"part"}
{"jsonrpc":"2.0","method":"news"}
`)
	conn := jsonrpc.NewConn(in, os.Stdout, jsonrpc.Config{})
	if err := conn.Serve(context.Background(), jsonrpc.HandlerFunc(greet)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":"hello"}
	// {"jsonrpc":"2.0","id":"two","error":{"code":-32601,"message":"Method not found: part"}}
}

func ExampleClient() {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	server := jsonrpc.NewConn(toServer, fromServer, jsonrpc.Config{})
	done := make(chan error)
	go func() { done <- server.Serve(context.Background(), jsonrpc.HandlerFunc(greet)) }()

	client := jsonrpc.NewClient(toClient, fromClient, jsonrpc.ClientConfig{})
	result, err := client.Call(context.Background(), "greet", nil)
	fmt.Println(string(result), err)

	_ = fromClient.Close() // ends the server, a pipe closes
	fmt.Println(<-done)
	_ = fromServer.Close() // ends the client, likewise
	client.Close()
	// Output:
	// "hello" <nil>
	// <nil>
}

func ExampleDecode() {
	body, err := jsonrpc.Decode([]byte(`[{"jsonrpc":"2.0","id":1,"method":"greet"}, 7]`), jsonrpc.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(body.Answer(context.Background(), jsonrpc.HandlerFunc(greet), nil)))
	// Output:
	// [{"jsonrpc":"2.0","id":1,"result":"hello"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request","data":{"details":"a message must be an object"}}}]
}

func ExampleMembers() {
	members := jsonrpc.Members([]byte(`{"name":"echo","arguments":{"text":"hi"}}`))
	for members.Next() {
		fmt.Printf("%s is %s\n", members.Key(), members.Value())
	}
	// Output:
	// name is "echo"
	// arguments is {"text":"hi"}
}
