package servecmd

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// When the console is served, the values of --console.
const (
	consoleAuto   = "auto" // on loopback without a proxy
	consoleAlways = "always"
	consoleNever  = "never"
)

// hasConsole reports whether the server has a console. Behind a proxy, others than this
// machine reach a server that listens on loopback.
func (f *serveFlags) hasConsole() (bool, error) {
	switch f.console {
	case consoleAuto:
		return f.loopback() && len(f.proxies) == 0, nil
	case consoleAlways, consoleNever:
		return f.console == consoleAlways, nil
	}
	return false, cmderr.UsageErrorf("--console is %q, want auto, always or never", f.console)
}

// consoleOf returns the console of a server, nil if it has none.
func consoleOf(f *serveFlags, cfg console.Config, s *services, health func(context.Context) []console.Fact) (*console.Console, error) {
	on, err := f.hasConsole()
	if err != nil || !on {
		return nil, err
	}
	cfg.Meter, cfg.Secure, cfg.Health = s.meter, f.scheme() == "https", health
	return console.New(cfg), nil
}

// soon is the time before its expiry at which a certificate needs attention.
const soon = 14 * 24 * time.Hour

// facts describe the health of a server.
func (s *server) facts(ctx context.Context) []console.Fact {
	ready := console.Fact{Name: "Ready", Value: "yes"}
	if err := s.services.ready(ctx); err != nil {
		ready.Value, ready.Bad = err.Error(), true
	}
	all := []console.Fact{
		ready,
		{Name: "Version", Value: buildinfo.Read().Version + ", " + runtime.Version()},
		{Name: "Server", Value: s.services.name},
		{Name: "Up since", Value: s.began.UTC().Format("2006-01-02 15:04")},
		{Name: "Store", Value: s.storeName()},
		s.diskFact(),
	}
	if s.certificates != nil {
		expires := s.certificates.Expires()
		all = append(all, console.Fact{Name: "Certificate expires", Value: expires.UTC().Format("2006-01-02"), Bad: expires.Sub(s.app.Now()) < soon})
	}
	connections := s.web.Connections()
	all = append(all, used("Connections", int64(connections.Open), int64(connections.Limit), connections.Refused+connections.Closed))
	for _, b := range []struct {
		name  string
		usage streamable.Usage
	}{{"Sessions", s.endpoint.SessionUsage()}, {"Streams", s.endpoint.StreamUsage()}} {
		all = append(all, used(b.name, b.usage.Used, b.usage.Limit, b.usage.Refused))
	}
	return all
}

// lowDisk is the free space, in bytes, below which a disk needs attention.
const lowDisk = 1 << 30

// diskFact describes the space on the disk of the data.
func (s *server) diskFact() console.Fact {
	if err := s.services.disk.Err(); err != nil {
		return console.Fact{Name: "Disk", Value: err.Error(), Bad: true}
	}
	free := s.services.disk.Free()
	return console.Fact{Name: "Disk", Value: fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30)), Bad: free < lowDisk}
}

// used describes the use of something bounded.
func used(name string, n, limit, refused int64) console.Fact {
	fact := console.Fact{Name: name, Value: fmt.Sprintf("%d of %d", n, limit), Bad: refused > 0}
	if refused > 0 {
		fact.Value += fmt.Sprintf("; refused %d times since the start", refused)
	}
	return fact
}

// consoleTrail is the audit trail as the console shows it.
type consoleTrail struct{ r *recorder.Recorder }

// Query implements [console.Trail].
func (t consoleTrail) Query(ctx context.Context, f audit.Filter) iter.Seq2[audit.Record, error] {
	return t.r.Query(ctx, f)
}

// Verify implements [console.Trail].
func (t consoleTrail) Verify(ctx context.Context) (audit.Report, error) { return t.r.VerifyAll(ctx) }

// exportedRecord returns the form of a record in JSON.
func exportedRecord(r audit.Record) any { return recorder.JSONOf(r) }
