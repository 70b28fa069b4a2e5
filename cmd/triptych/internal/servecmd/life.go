package servecmd

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/dataformat"
)

// logStart logs what runs and where its data is, once it listens.
func (s *server) logStart(addr net.Addr) {
	chosen, _ := s.app.ChosenFamilies() // they were opened
	var names []string
	for _, f := range chosen {
		names = append(names, f.Name)
	}
	s.env.Logger.Info("the server has started", "version", buildinfo.Read().Version, "address", addr.String(), "server", s.services.name,
		"store", s.storeName(), "data", s.env.Data, "data_format", dataformat.Current, "families", strings.Join(names, ","))
	s.started = true
}

// storeName names the place of rulesets, keys, counts and the trail, without its password.
func (s *server) storeName() string {
	if s.services.client == nil {
		return "files"
	}
	return app.RedactedURL(s.app.StoreURL())
}

// logEnd logs why a server that has started has ended, how many requests it has cut off, and
// how long it took. err is the error of the run, nil for none.
func (s *server) logEnd(ctx context.Context, err error) {
	if !s.started {
		return
	}
	var why error // it failed by itself
	if ctx.Err() != nil {
		why = context.Cause(ctx)
	}
	attrs := []any{"drained", s.web.CutOff() == 0, "cut_off", s.web.CutOff(), "up", s.app.Now().Sub(s.began).Round(time.Millisecond)}
	if why != nil {
		attrs = append(attrs, "cause", why)
		if asked := s.asked.Load(); asked != nil {
			attrs = append(attrs, "took", time.Since(*asked).Round(time.Millisecond))
		}
	}
	if err != nil {
		attrs = append(attrs, "err", err)
	}
	s.env.Logger.Info("the server has ended", attrs...)
}
