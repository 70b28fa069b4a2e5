package auditcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	"google.golang.org/protobuf/proto"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// A receiverFake takes log records, with the types of the OpenTelemetry project.
type receiverFake struct {
	*httptest.Server
	got    []map[string]string // the attributes of each record, the body, and the severity
	answer *collector.ExportLogsServiceResponse
	status int
}

func newReceiverFake(t *testing.T) *receiverFake {
	f := &receiverFake{status: http.StatusOK}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request collector.ExportLogsServiceRequest
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		answer, marshalErr := proto.Marshal(f.answer)
		if err != nil || marshalErr != nil || r.URL.Path != "/v1/logs" {
			t.Errorf("%s: %v, %v", r.URL, err, marshalErr)
		}
		w.WriteHeader(f.status)
		if _, err := w.Write(answer); err != nil {
			t.Error(err)
		}
		if f.status == http.StatusOK {
			f.add(&request)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *receiverFake) add(request *collector.ExportLogsServiceRequest) {
	for _, of := range request.GetResourceLogs() {
		for _, scope := range of.GetScopeLogs() {
			for _, one := range scope.GetLogRecords() {
				record := map[string]string{"body": one.GetBody().GetStringValue(), "severity": fmt.Sprint(one.GetSeverityNumber().Number())}
				for _, kv := range one.GetAttributes() {
					record[kv.GetKey()] = kv.GetValue().GetStringValue()
					if record[kv.GetKey()] == "" {
						record[kv.GetKey()] = fmt.Sprint(kv.GetValue().GetIntValue())
					}
				}
				f.got = append(f.got, record)
			}
		}
	}
}

// keys returns the keys of the records that were received.
func (f *receiverFake) keys() (all string) {
	for _, r := range f.got {
		all += r["audit.key"]
	}
	return all
}

// A trailOfFiles is a trail whose records tests add.
func trailOfFiles(t *testing.T) (dir string, add func(keys ...string)) {
	dir = filepath.Join(t.TempDir(), "audit")
	return dir, func(keys ...string) {
		t.Helper()
		l := audit.New(audit.Config{Dir: dir})
		for _, key := range keys {
			seq, err := l.Append(audit.Record{Key: key, Outcome: audit.OK})
			if err == nil {
				err = l.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Records arrive with their attributes, once, until the file of the positions is gone.
func TestExportToAReceiver(t *testing.T) {
	f := newReceiverFake(t)
	dir, add := trailOfFiles(t)
	state := filepath.Join(t.TempDir(), "state", "exported.json")
	export := func(url string) (int, error) {
		to, err := newCommands(app.New()).openReceiver(url, state)
		if err != nil {
			t.Fatal(err)
		}
		return (&exporter{to: to}).run(t.Context(), audit.New(audit.Config{Dir: dir}))
	}
	for n, keys := range [][]string{{"a", "b"}, {}, {"c"}} {
		add(keys...)
		if got, err := export(f.URL); err != nil || got != len(keys) {
			t.Fatalf("export %d: %d records, %v", n, got, err)
		}
	}
	if f.keys() != "abc" {
		t.Errorf("the records of %q", f.keys())
	}
	var line string
	for r, err := range audit.Query(t.Context(), dir, audit.Filter{Key: "c"}) {
		if err != nil {
			t.Fatal(err)
		}
		line = fmt.Sprintf(`{"chain":%q,"seq":3,"time":%q,"key":"c","method":"","outcome":"ok","duration_ms":0}`, r.Chain, r.Time.Format("2006-01-02T15:04:05.999999Z"))
		want := map[string]string{"audit.chain": r.Chain, "audit.seq": "3", "audit.key": "c", "audit.outcome": "ok", "body": line, "severity": "9"}
		if d := cmp.Diff(want, f.got[2]); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	if _, err := export(f.URL); err != nil || f.keys() != "abcabc" {
		t.Errorf("after a loss of the positions: the records of %q, %v", f.keys(), err)
	}
}

// Records that a receiver does not take for now are sent again, those that it rejects are named
// in the error and are not.
func TestReceiverThatRefuses(t *testing.T) {
	f := newReceiverFake(t)
	dir, add := trailOfFiles(t)
	add("a", "b")
	to, err := newCommands(app.New()).openReceiver(f.URL, filepath.Join(t.TempDir(), "exported.json"))
	if err != nil {
		t.Fatal(err)
	}
	e, trail := &exporter{to: to}, audit.New(audit.Config{Dir: dir})
	f.status = http.StatusBadRequest
	if n, err := e.run(t.Context(), trail); err == nil || n != 0 {
		t.Errorf("refused: %d records, %v", n, err)
	}
	f.status = http.StatusOK
	f.answer = &collector.ExportLogsServiceResponse{PartialSuccess: &collector.ExportLogsPartialSuccess{RejectedLogRecords: 1, ErrorMessage: "too large"}}
	chain := ""
	for r, err := range audit.Query(t.Context(), dir, audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		chain = r.Chain
	}
	want := "chain " + chain + ", records 1 to 2: the OTLP receiver has rejected 1 log records: too large"
	if n, err := e.run(t.Context(), trail); err == nil || err.Error() != want || n != 2 {
		t.Errorf("rejected: %d records, %v, want %s", n, err, want)
	}
	if n, err := e.run(t.Context(), trail); err != nil || n != 0 || !slices.Equal([]string{f.keys()}, []string{"ab"}) {
		t.Errorf("then: %d records, %v, %q", n, err, f.keys())
	}
}

// Records that a receiver rejects are named also when a later segment fails, or the export is
// stopped: they are not sent again.
func TestRejectedBeforeAFailure(t *testing.T) {
	for name, status := range map[string]int{"the receiver fails": http.StatusBadRequest, "the export is stopped": http.StatusOK} {
		t.Run(name, func(t *testing.T) {
			dir, add := trailOfFiles(t)
			add("a", "b", "c")
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			f := newReceiverFake(t)
			to, err := newCommands(app.New()).openReceiver(f.URL, filepath.Join(t.TempDir(), "exported.json"))
			if err != nil {
				t.Fatal(err)
			}
			f.answer = &collector.ExportLogsServiceResponse{PartialSuccess: &collector.ExportLogsPartialSuccess{RejectedLogRecords: 1, ErrorMessage: "too large"}}
			e := &exporter{to: &small{destination: to, records: 1, stored: func() {
				if f.status = status; status == http.StatusOK {
					stop()
				}
			}}}
			n, err := e.run(ctx, audit.New(audit.Config{Dir: dir}))
			partial, ok := errors.AsType[*partialError](err)
			if !ok || partial.segment.last.Seq != 1 || n != 1 {
				t.Errorf("%d records, %v, want 1 and an error that names record 1", n, err)
			}
			if status == http.StatusOK && !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "rejected") != 1 {
				t.Errorf("got %v, want the reason of the end, too", err)
			}
		})
	}
}

// small is a destination with small segments.
type small struct {
	destination
	records int
	stored  func() // is called after a segment was stored
}

func (d *small) most() int { return d.records }

func (d *small) store(ctx context.Context, s *segment) error {
	defer d.stored()
	return d.destination.store(ctx, s)
}
