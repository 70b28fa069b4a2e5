// Package httpclient posts JSON-RPC messages to the MCP endpoint of a server over
// HTTP and reads what comes back: one message, a stream of events, or a refusal by
// a status, which becomes an error answer to the request.
//
//	e := httpclient.Endpoint{URL: "https://127.0.0.1:8443/mcp", Key: key, HTTP: client}
//	_, err := e.Post(ctx, request, header, func(message []byte) error { … })
//
// An Endpoint may be used from any goroutine.
package httpclient
