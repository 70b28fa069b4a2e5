package https_test

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

type greetArgs struct {
	Name string `json:"name" doc:"Who is greeted"`
}

func greet(_ context.Context, _ *mcp.Call, in greetArgs) (string, error) {
	return "Hello, " + in.Name + "!", nil
}

func readMotto(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
	return []mcp.Contents{{URI: uri, Text: "be kind"}}, nil
}

// A server with a tool and a resource over HTTPS, for clients with a key. Make keys
// with the store's Create. Errors are left out for brevity.
func Example() {
	ctx, data, log := context.Background(), "/var/lib/greeter", slog.Default()
	server, _ := mcp.New(mcp.Config{Name: "greeter", Version: "1"}, &mcp.Table{
		Family: "greeter",
		Tools:  []mcp.Tool{{Name: "greet", Doc: "Greet a person", Call: mcp.Typed(greet)}},
		Resources: []mcp.ResourceSource{{Scheme: "motto", Read: readMotto,
			List: func(context.Context, *mcp.Call, string, int) ([]mcp.Resource, string, error) {
				return []mcp.Resource{{URI: "motto://today", Name: "today"}}, "", nil
			}}},
	})
	ring, _ := keys.OpenFile(data+"/keys", log, time.Now)
	meter, _ := quota.OpenLocal(ctx, data+"/quota", log)
	endpoint := streamable.New(streamable.Config{
		Server: server, Auth: bearer.New(bearer.Config{Ring: ring, Meter: meter, Logger: log}), Loopback: true, Logger: log,
	})
	certificates, _ := https.SelfSigned(data+"/tls", nil, log)
	listener, _ := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:8443")
	web := https.New(https.Config{
		Certificates: certificates, Routes: routes.Config{Routes: []routes.Route{{Path: "/mcp", Body: routes.Own, Handler: endpoint}}}, Drain: endpoint.Shutdown, Logger: log,
	})
	_ = web.Serve(ctx, listener) // until ctx is done
}
