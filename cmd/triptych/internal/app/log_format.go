package app

import (
	"cmp"
	"io"
	"log"
	"log/slog"
	"strings"
)

// logFormat is the format of the log: the flag's, else the environment's, else text.
func (a *App) logFormat() string {
	return cmp.Or(a.Flags.logFormat, a.Getenv("LOG_FORMAT"), "text")
}

// useLogFormat makes all that is written to standard error lines of JSON if the log is:
// a collector of logs reads no others. It is called as soon as the format may be known,
// and may be called again.
func (a *App) useLogFormat() {
	if _, done := a.Err.(*jsonLines); done || a.logFormat() != "json" {
		return
	}
	lines := newJSONLines(a.Err)
	a.Err = lines
	log.SetFlags(0)
	log.SetOutput(lines) // of packages that have no other
}

// jsonLines writes what is said to people as records of a JSON log. Each write is a
// record, whatever the level of the log is.
type jsonLines struct {
	to  io.Writer
	log *slog.Logger
}

func newJSONLines(to io.Writer) *jsonLines {
	return &jsonLines{to: to, log: slog.New(slog.NewJSONHandler(to, nil))}
}

func (w *jsonLines) Write(text []byte) (int, error) {
	if message := strings.TrimSpace(strings.TrimPrefix(string(text), "triptych: ")); message != "" {
		w.log.Info(message) //nolint:sloglint // it is written for people, and has no attributes
	}
	return len(text), nil
}

// fail writes the error that ends the program, with the advice on it.
func (w *jsonLines) fail(err error, hints []string) {
	var attrs []any
	if len(hints) > 0 {
		attrs = append(attrs, "hints", hints)
	}
	w.log.Error(err.Error(), attrs...) //nolint:sloglint // likewise
}

// logOutput returns the writer of the lines of the log.
func (a *App) logOutput() io.Writer {
	if lines, ok := a.Err.(*jsonLines); ok {
		return lines.to
	}
	return a.Err
}
