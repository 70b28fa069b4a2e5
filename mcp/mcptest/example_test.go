package mcptest_test

import (
	"fmt"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// t stands for the *testing.T that every test has.
func ExampleConnect() {
	t := newChecker()
	t.try(func() {
		client := mcptest.Connect(t, house(nil))
		client.Initialize("2025-06-18")
		got := client.Call("house/greet", map[string]any{"name": "Ann"})
		fmt.Println(got.Text)
		fmt.Println(string(got.Structured))
	})
	// Output:
	// Hello, Ann
	// {"name":"Ann"}
}

func ExampleConfig_Connect() {
	t := newChecker()
	t.try(func() {
		reader := mcptest.Config{Principal: host.Principal{ID: "reader", Scopes: []mcp.Scope{}}}
		client := reader.Connect(t, house(nil))
		fmt.Println(client.Call("house/greet", map[string]any{"name": "Ann"}).Err.Code)
	})
	// Output: -32003
}

func ExampleClient_Read() {
	t := newChecker()
	t.try(func() {
		client := mcptest.Connect(t, house(nil))
		parts, err := client.Read("house://hall")
		fmt.Println(parts[0].MIMEType, parts[0].Blob, err == nil)
	})
	// Output: image/png [0 255] true
}

func ExampleSurface() {
	t := newChecker()
	told := t.try(func() { mcptest.Surface(t, "testdata/tools", house(nil)) })
	fmt.Println(len(told))
	// Output: 0
}

func ExampleGolden() {
	t := newChecker()
	told := t.try(func() { mcptest.Golden(t, "testdata/greeting.txt", []byte("Hello, Ann\n")) })
	fmt.Println(len(told))
	// Output: 0
}
