package servecmd

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/peer"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A request is passed on to a server whose certificates are managed, by the address of the
// machine, and though the authority has issued none. It is not passed on to another server at
// that address.
func TestPassToAServerWithManagedCertificates(t *testing.T) {
	client := valkeytest.Client(t, "redis://"+miniredis.RunT(t).Addr())
	managed := func() *https.Certificates {
		return https.Managed(func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return nil, errors.New("there is none")
		}, slog.New(slog.DiscardHandler))
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "https://" + listener.Addr().String()
	key := peer.NewKey([]byte("shared by two servers"))
	one, two := peers.NewRegistry(client, "", "one"), peers.NewRegistry(client, "", "two")
	certificates := managed()
	if err := register(two, address, certificates); err != nil {
		t.Fatal(err)
	}
	endpoint := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answer") })
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	running.Go(func() {
		server := https.New(https.Config{Certificates: certificates, Routes: routes.Config{
			Routes: []routes.Route{{Path: "/mcp", Body: routes.Own, Handler: endpoint}},
			Around: func(h http.Handler) http.Handler { return peer.Accept(key, two.Tag(), h) },
		}})
		if err := server.Serve(ctx, listener); err != nil {
			t.Error(err)
		}
	})
	three := peers.NewRegistry(client, "", "three") // with another certificate at the address
	if err := register(three, address, managed()); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*peers.Registry{two, three} {
		running.Go(func() { r.Run(ctx, slog.New(slog.DiscardHandler)) })
		for client.Exists(t.Context(), "triptych:server:"+r.Tag()).Val() == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	pass := func(tag string) (*httptest.ResponseRecorder, error) {
		passer := peer.NewClient(peer.Config{Key: key, Self: one.Tag(), Servers: one})
		defer func() { _ = passer.Close() }() // it never fails
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", http.NoBody)
		_, err := passer.Pass(w, r, nil, netip.MustParseAddrPort("192.0.2.7:1234"), tag)
		return w, err
	}
	if w, err := pass(two.Tag()); err != nil || w.Body.String() != "answer" {
		t.Errorf("%d %s, %v, want the answer of the other server", w.Code, w.Body, err)
	}
	if w, err := pass(three.Tag()); err == nil || w.Body.Len() > 0 {
		t.Errorf("%d %s, %v, want that the certificate is refused", w.Code, w.Body, err)
	}
}
