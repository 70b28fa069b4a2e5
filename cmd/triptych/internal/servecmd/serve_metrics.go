package servecmd

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/metrics"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// profiles returns the rows of the profiles of the program, none without --pprof.
func (f *serveFlags) profiles() []routes.Route {
	if !f.pprof {
		return nil
	}
	var all []routes.Route
	for _, one := range []struct {
		path  string
		serve http.HandlerFunc
	}{
		{"", pprof.Index}, {"profile", pprof.Profile}, {"symbol", pprof.Symbol}, {"trace", pprof.Trace},
	} {
		all = append(all, routes.Route{Method: http.MethodGet, Path: "/debug/pprof/" + one.path, KnownHosts: true, Time: profileTime, Handler: one.serve})
	}
	return all
}

// profileTime bounds the recording of a profile.
const profileTime = 2 * time.Minute

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
	if a.serves("debugger") {
		m.AddGauge("triptych_debugger_sessions", "Processes, core files and traces that are being debugged.", func() float64 {
			return float64(a.app.Configs.Debugger.SessionCount())
		})
	}
}

// brokenFilesAge limits the age of a count of broken files: then they are counted again,
// which may read the folder.
const brokenFilesAge = 10 * time.Second

// showBrokenFiles adds to the metrics how many files of the folder of rulesets are not served.
func (a commands) showBrokenFiles(m *metrics.Metrics, log *slog.Logger) {
	if !a.serves("rulesets") {
		return
	}
	last := 0
	count := cachedFor(brokenFilesAge, func() int {
		ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
		defer stop()
		n, err := a.app.Configs.Rulesets.BrokenFiles(ctx)
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
