package streamable_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A tool whose answer is a struct, for clients with one key. A program passes the handler to
// package https, which also makes a certificate; here a client calls it as curl would.
func Example() {
	type place struct {
		City string `json:"city" doc:"Name of the city"`
	}
	type weather struct {
		Celsius float64 `json:"celsius" doc:"Temperature"`
		Sky     string  `json:"sky" doc:"What one sees there"`
	}
	server, err := mcp.New(mcp.Config{Name: "weather", Version: "1.0.0"}, &mcp.Table{
		Tools: []mcp.Tool{{
			Name: "weather", Doc: "The weather in a city", Hints: mcp.ReadOnly,
			Call: mcp.Typed(func(context.Context, *mcp.Call, place) (weather, error) {
				return weather{Celsius: 21.5, Sky: "clear"}, nil
			}),
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	endpoint := streamable.New(streamable.Config{Server: server, Auth: streamable.Key("a long secret"), Loopback: true})
	web := httptest.NewServer(endpoint)
	defer web.Close()

	for _, key := range []string{"a guess", "a long secret"} {
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Oslo"}}}`
		req, _ := http.NewRequest(http.MethodPost, web.URL, strings.NewReader(call))
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		fmt.Println(answer.StatusCode, string(text))
	}
	endpoint.Shutdown(context.Background())
	// Output:
	// 401 {"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Authentication failed","data":{"details":"send Authorization: Bearer KEY"}}}
	// 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"celsius\":21.5,\"sky\":\"clear\"}"}]}}
}
