package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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
	// Unordered output:
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

// A calculator over TCP, and a client of it.
func ExampleLoop() {
	type terms struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	methods := jsonrpc.MethodMap{
		"sum": jsonrpc.Method(func(_ context.Context, p terms) (int, error) { return p.A + p.B, nil }),
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() {
		ended <- jsonrpc.Loop(ctx, listener, jsonrpc.Config{}, func(*jsonrpc.Conn) jsonrpc.Handler { return methods })
	}()

	stream, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := jsonrpc.NewClient(stream, stream, jsonrpc.ClientConfig{})
	var sum int
	err = client.CallResult(ctx, "sum", terms{A: 2, B: 3}, &sum)
	fmt.Println(sum, err)
	fmt.Println(client.CallResult(ctx, "product", nil, &sum))
	fmt.Println(client.CallResult(ctx, "sum", nil, new(string)))
	_ = stream.Close()
	client.Close()
	stop()
	fmt.Println(<-ended)
	// Output:
	// 5 <nil>
	// Method not found: product
	// result of sum: json: cannot unmarshal number into Go value of type string
	// context canceled
}

// A server over TCP whose methods can be cancelled. JSON-RPC has no cancellation of its
// own, so a protocol on top of it names a notification; here it is "cancel" with the id as
// its params. A Preempter sees notifications before everything that waits.
func ExampleConn_Cancel() {
	started, stopped := make(chan struct{}), make(chan error, 1)
	methods := jsonrpc.MethodMap{
		"wait": jsonrpc.Method(func(ctx context.Context, _ struct{}) (struct{}, error) {
			close(started)
			<-ctx.Done()
			stopped <- ctx.Err()
			return struct{}{}, ctx.Err()
		}),
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = listener.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_ = jsonrpc.Loop(context.Background(), listener, jsonrpc.Config{}, func(conn *jsonrpc.Conn) jsonrpc.Handler {
			return cancellable{methods, conn}
		})
	}()

	stream, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := jsonrpc.NewClient(stream, stream, jsonrpc.ClientConfig{})
	go func() {
		<-started
		_ = client.Notify(context.Background(), "cancel", []int{1}) // a client counts its calls from 1
		fmt.Println("method:", <-stopped)
		cancel() // a cancelled request is not answered
	}()
	_, err = client.Call(ctx, "wait", nil)
	fmt.Println("call:", errors.Is(err, context.Canceled))
	_ = stream.Close()
	client.Close()
	// Output:
	// method: context canceled
	// call: true
}

// cancellable has methods that the notification cancel ends.
type cancellable struct {
	jsonrpc.MethodMap
	conn *jsonrpc.Conn
}

// Preempt implements [jsonrpc.Preempter].
func (c cancellable) Preempt(req *jsonrpc.Request) bool {
	ids := jsonrpc.Elements(req.Params)
	for req.Method == "cancel" && ids.Next() {
		c.conn.Cancel(jsonrpc.RawID(ids.Value()))
	}
	return true
}
