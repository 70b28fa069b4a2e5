package servecmd

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/transport/https"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// A reloader reads files again on SIGHUP: the certificate, and the configuration file as
// far as a running server can change. Keys are watched and need no signal.
type reloader struct {
	app          *app.App
	set          *pflag.FlagSet // of the running command
	held         settings       // that the server has now
	endpoint     *streamable.Handler
	certificates *https.Certificates // nil without TLS
	log          *slog.Logger
}

// settings are the values of flags, by their names.
type settings map[string]string

func settingsOf(set *pflag.FlagSet) settings {
	all := settings{}
	set.VisitAll(func(flag *pflag.Flag) { all[flag.Name] = flag.Value.String() })
	return all
}

// run reloads at each signal until ctx is done, also at one that came before it ran.
func (r *reloader) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.app.Hangups:
			r.log.Info("SIGHUP: reading files again")
			if r.certificates != nil {
				r.certificates.Reload()
			}
			if err := r.reload(); err != nil {
				r.log.Error("the configuration is not valid, so nothing of it was changed", "err", err)
			}
			notify(daemon.SdNotifyReady, r.log)
		}
	}
}

// limitFlags are the flags of limits that a running server can change.
var limitFlags = []string{
	"body-memory", "body-memory-per-key", "answer-memory", "answer-memory-per-key",
	"max-body", "max-sessions", "max-sessions-per-key", "max-streams", "max-streams-per-key",
}

// reload applies what has changed in the configuration file, and names what needs a
// restart. If the file is not valid, nothing is changed.
func (r *reloader) reload() error {
	f, set, err := r.reread()
	if err != nil {
		return err
	}
	level, err := app.ParseLevel(set.Lookup("log-level").Value.String(), "--log-level", slog.LevelInfo)
	if err != nil {
		return err
	}
	var applied, waiting []string
	set.VisitAll(func(flag *pflag.Flag) {
		value := flag.Value.String()
		switch running, known := r.held[flag.Name]; {
		case !known || running == value:
		case flag.Name == "log-level" || slices.Contains(limitFlags, flag.Name):
			applied = append(applied, flag.Name)
			r.held[flag.Name] = value
		default:
			waiting = append(waiting, flag.Name)
		}
	})
	if slices.Contains(applied, "log-level") {
		r.app.Level.Set(level)
	}
	var limits streamable.Config
	f.budgets.ofEndpoint(&limits)
	r.endpoint.SetLimits(limits)
	if len(applied) > 0 {
		r.log.Info("settings were changed", "settings", strings.Join(applied, ", "))
	}
	if len(waiting) > 0 {
		r.log.Warn("settings need a restart to change", "settings", strings.Join(waiting, ", "))
	}
	return nil
}

// reread returns the settings that the server would have if it started now.
func (r *reloader) reread() (*serveFlags, *pflag.FlagSet, error) {
	fresh, f := app.New(), new(serveFlags)
	fresh.Getenv, fresh.Err = r.app.Getenv, r.app.Err
	set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	f.register(set)
	fresh.ServerFlags(set)
	fresh.ConfigFlag(set)
	var err error
	r.set.Visit(func(flag *pflag.Flag) { // of the command line
		if own := set.Lookup(flag.Name); own != nil && err == nil {
			err = copyFlag(set, own, flag)
		}
	})
	if err == nil {
		err = fresh.ReadConfigFile(set)
	}
	if err == nil {
		_, err = f.check()
	}
	return f, set, err
}

// copyFlag gives a flag the value of the flag of another set.
func copyFlag(set *pflag.FlagSet, to, from *pflag.Flag) error {
	list, ok := from.Value.(pflag.SliceValue)
	if !ok {
		return set.Set(to.Name, from.Value.String())
	}
	own, ok := to.Value.(pflag.SliceValue)
	if !ok {
		return fmt.Errorf("--%s is no list", to.Name)
	}
	to.Changed = true
	return own.Replace(list.GetSlice())
}
