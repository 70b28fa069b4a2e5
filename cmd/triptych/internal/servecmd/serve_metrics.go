package servecmd

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/metrics"
)

// profiles serves the profiles of the program, nil without --pprof.
func (f *serveFlags) profiles() http.Handler {
	if !f.pprof {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// showExpiry adds the expiry of the certificate to the metrics.
func showExpiry(m *metrics.Metrics, certificates *https.Certificates) {
	if certificates == nil {
		return
	}
	m.AddGauge("triptych_certificate_expiry_seconds", "When the certificate expires, in Unix seconds; 0 if there is none yet.", func() float64 {
		if at := certificates.Expires(); !at.IsZero() {
			return float64(at.Unix())
		}
		return 0
	})
}

// showDebugging adds the number of debugger sessions to the metrics.
func (a commands) showDebugging(m *metrics.Metrics) {
	if a.Serves("debugger") {
		m.AddGauge("triptych_debugger_sessions", "Processes, core files and traces that are being debugged.", func() float64 {
			return float64(a.Configs.Debugger.SessionCount())
		})
	}
}

// brokenFilesAge limits the age of a count of broken files: then they are counted again,
// which may read the folder.
const brokenFilesAge = 10 * time.Second

// showBrokenFiles adds to the metrics how many files of the folder of rulesets are not served.
func (a commands) showBrokenFiles(m *metrics.Metrics, log *slog.Logger) {
	if !a.Serves("rulesets") {
		return
	}
	last := 0
	count := cachedFor(brokenFilesAge, func() int {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		n, err := a.Configs.Rulesets.BrokenFiles(ctx)
		if err != nil {
			log.WarnContext(ctx, "broken files of rulesets not counted", "err", err)
			return last
		}
		last = n
		return n
	})
	m.AddGauge("triptych_ruleset_files_broken", "Files in the folder of rulesets that are not served, since they are not valid or misnamed.",
		func() float64 { return float64(count()) })
}
