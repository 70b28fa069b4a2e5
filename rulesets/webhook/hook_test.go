package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A receiver is a URL that refuses some messages and checks the signature of all.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	refuse   bool
	tried    int
	accepted chan Message
}

var secret = []byte("a secret of some length")

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{accepted: make(chan Message, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil || req.Header.Get("Triptych-Signature") != Sign(secret, body) || len(req.Header.Get("Triptych-Delivery")) != 32 {
			t.Errorf("%v: headers %v of %s", err, req.Header, body)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.tried++; r.refuse {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		var m Message
		if err := json.Unmarshal(body, &m); err != nil {
			t.Error(err)
		}
		m.At, m.Address = time.Time{}, ""
		r.accepted <- m
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) set(refuse bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refuse, r.tried = refuse, 0
}

// waitTried waits until a message was refused twice.
func (r *receiver) waitTried(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		r.mu.Lock()
		tried := r.tried
		r.mu.Unlock()
		if tried >= 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("no message was tried twice")
		}
	}
}

func (r *receiver) next(t *testing.T) Message {
	t.Helper()
	select {
	case m := <-r.accepted:
		return m
	case <-time.After(time.Minute):
		t.Fatal("no message came")
	}
	return Message{}
}

// start runs a hook with a record in a file.
func start(t *testing.T, store ruleset.Store, url, file string) (end func()) {
	t.Helper()
	return begin(t, store, url, OpenFile(file))
}

// begin runs a hook, until the function that it returns is called.
func begin(t *testing.T, store ruleset.Store, url string, record Record) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	hook := &Hook{URL: url, Secret: secret, Record: record, Store: store, Logger: slog.New(slog.DiscardHandler), Pause: time.Millisecond, Longest: 5 * time.Millisecond}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = hook.Run(ctx) }() // it ends with its context
	return sync.OnceFunc(func() { cancel(); <-ended })
}

// HMAC-SHA-256 as in RFC 4231, test case 2.
func TestSign(t *testing.T) {
	want := "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := Sign([]byte("Jefe"), []byte("what do ya want for nothing?")); got != want {
		t.Errorf("got %s", got)
	}
}

// Changes arrive, are tried again while they are refused, and arrive after a crash.
func TestHookSurvivesRefusalsAndCrashes(t *testing.T) {
	store := memstore.New(time.Now)
	to := newReceiver(t)
	file := filepath.Join(t.TempDir(), "sub", "webhook.json")
	create := func(name string) {
		if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: ruleset.Name(name), Markdown: "A"}); err != nil {
			t.Fatal(err)
		}
	}
	update := func(name, text string) {
		if _, err := ruleset.Update(t.Context(), store, ruleset.Name(name), ruleset.Patch{Markdown: &text}); err != nil {
			t.Fatal(err)
		}
	}
	late := map[Message]bool{} // what may come once more: a crash was before the record of it
	expect := func(want Message) {
		t.Helper()
		got := to.next(t)
		for got != want && late[got] {
			delete(late, got)
			got = to.next(t)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		late[want] = true
	}
	create("known")
	crash := start(t, store, to.URL, file)
	waitFor(t, file)
	create("a")
	expect(Message{Event: "ruleset.changed", Name: "a", Rev: 1})
	to.set(true)
	update("a", "B")
	to.waitTried(t)
	crash()
	late[Message{Event: "ruleset.changed", Name: "a", Rev: 2, From: 1}] = true // its last try may be on its way
	update("known", "C")
	if err := ruleset.Delete(t.Context(), store, "a", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	to.set(false)
	crash = start(t, store, to.URL, file)
	expect(Message{Event: "ruleset.changed", Name: "known", Rev: 2, From: 1})
	expect(Message{Event: "ruleset.deleted", Name: "a", From: 1})
	crash()
	crash = start(t, store, to.URL, file)
	update("known", "D")
	expect(Message{Event: "ruleset.changed", Name: "known", Rev: 3, From: 2})
	crash()
}

// A redirect, such as one to a page to log in, is no delivery and gets no signature.
func TestHookFollowsNoRedirect(t *testing.T) {
	var followed atomic.Bool
	login := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
	defer login.Close()
	for _, code := range []int{http.StatusFound, http.StatusTemporaryRedirect} {
		tried := make(chan struct{}, 100)
		from := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			tried <- struct{}{}
			http.Redirect(w, r, login.URL, code)
		}))
		defer from.Close()
		store, file := memstore.New(time.Now), filepath.Join(t.TempDir(), "webhook.json")
		crash := start(t, store, from.URL, file)
		waitFor(t, file)
		if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: "a", Markdown: "A"}); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second attempt shows that the first was no delivery
			select {
			case <-tried:
			case <-time.After(time.Minute):
				t.Fatalf("%d: the message was not tried again", code)
			}
		}
		crash()
	}
	if followed.Load() {
		t.Error("the redirect was followed")
	}
}

// The path and the query of a URL often have a token, which no error tells.
func TestErrorsKeepTheURLSecret(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, address := range []string{gone.URL + "/hooks/TOKEN?key=TOKEN", "http://[::1/TOKEN"} {
		err := (&Hook{URL: address, Client: &http.Client{}}).post(t.Context(), []byte("{}"))
		if err == nil || strings.Contains(err.Error(), "TOKEN") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A hook that cannot lock its file says so.
func TestRunReportsItsLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "webhook.json")
	if err := os.Mkdir(file+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	hook := &Hook{Record: OpenFile(file), Store: memstore.New(time.Now), Logger: slog.New(slog.DiscardHandler)}
	if err := hook.Run(t.Context()); err == nil {
		t.Error("it ended without an error")
	}
}

// waitFor waits until the first look at the store is recorded.
func waitFor(t *testing.T, file string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if matches, err := filepath.Glob(file); err == nil && len(matches) == 1 {
			return
		}
	}
	t.Fatal("nothing was recorded")
}

// fullRecord cannot record for some time, as on a full disk.
type fullRecord struct {
	Record
	failures int // that are left
}

func (r *fullRecord) Accepted(ctx context.Context, m Message) error {
	if r.failures > 0 {
		r.failures--
		return errors.New("no space left on device")
	}
	return r.Record.Accepted(ctx, m)
}

// A message that was accepted and cannot be recorded is not sent again and again.
func TestHookThatCannotRecord(t *testing.T) {
	store := memstore.New(time.Now)
	to := newReceiver(t)
	file := filepath.Join(t.TempDir(), "webhook.json")
	end := begin(t, store, to.URL, &fullRecord{Record: OpenFile(file), failures: 5})
	defer end()
	waitFor(t, file)
	for _, name := range []ruleset.Name{"a", "b"} {
		if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: name}); err != nil {
			t.Fatal(err)
		}
		if m := to.next(t); m.Name != name { // the second comes behind the record of the first
			t.Errorf("got %+v, want %s", m, name)
		}
	}
}

// The skills that are folders are told of, though lists do not have them, and are not told
// to be deleted when all is compared.
func TestHookTellsOfFolders(t *testing.T) {
	dir := t.TempDir()
	store := filestore.Open(dir, slog.New(slog.DiscardHandler), time.Now)
	skill := ruleset.Draft{Name: "pdf_processing", Description: "d", Markdown: "one", Folder: true}
	if _, err := ruleset.Create(t.Context(), store, skill); err != nil {
		t.Fatal(err)
	}
	h := &Hook{Store: store}
	all, _, err := h.suspects(t.Context(), map[ruleset.Name]int{"pdf_processing": 1})
	if diff := cmp.Diff([]ruleset.Name{"pdf_processing"}, all); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	now, err := h.present(t.Context(), all)
	if err != nil || now["pdf_processing"].Rev != 1 {
		t.Errorf("%+v, %v", now, err)
	}
}

// gets is a store that counts the rulesets which are read one by one.
type gets struct {
	ruleset.Store
	n int
}

func (g *gets) Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	g.n++
	return g.Store.Get(ctx, name)
}

// A comparison of all rulesets reads those that the list shows to have changed, and all of
// them now and then.
func TestComparisonsReadWhatChanged(t *testing.T) {
	now := time.Now().Add(-24 * time.Hour)
	store := &gets{Store: memstore.New(func() time.Time { return now })}
	for _, name := range []ruleset.Name{"a", "b", "c"} {
		if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: name, Markdown: "A"}); err != nil {
			t.Fatal(err)
		}
	}
	to := newReceiver(t)
	h := &Hook{URL: to.URL, Secret: secret, Record: OpenFile(filepath.Join(t.TempDir(), "webhook.json")), Store: store, Logger: slog.New(slog.DiscardHandler), Client: &http.Client{}}
	known := map[ruleset.Name]int{"a": 1, "b": 1, "c": 1, "gone": 4}
	if err := h.Record.Begin(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	look := func(what string, reads int, want ...Message) {
		t.Helper()
		store.n = 0
		if err := h.deliverAll(t.Context(), known, nil, true); err != nil {
			t.Fatal(err)
		}
		for _, m := range want {
			if diff := cmp.Diff(m, to.next(t)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		if len(to.accepted) > 0 || store.n != reads {
			t.Errorf("%s: %d were read, want %d, and %d more messages came", what, store.n, reads, len(to.accepted))
		}
	}
	look("the first one", 4, Message{Event: "ruleset.deleted", Name: "gone", From: 4})
	look("nothing changed", 0)
	now = now.Add(time.Hour)
	if _, err := ruleset.Update(t.Context(), store, "b", ruleset.Patch{Markdown: new("B")}); err != nil {
		t.Fatal(err)
	}
	if err := ruleset.Delete(t.Context(), store, "c", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	look("one changed, one was deleted", 2, Message{Event: "ruleset.changed", Name: "b", Rev: 2, From: 1}, Message{Event: "ruleset.deleted", Name: "c", From: 1})
	now = time.Now()
	if _, err := ruleset.Update(t.Context(), store, "a", ruleset.Patch{Markdown: new("B")}); err != nil {
		t.Fatal(err)
	}
	look("one changed just now", 1, Message{Event: "ruleset.changed", Name: "a", Rev: 2, From: 1})
	look("which may change again in this second", 1)
	h.listing.at = now.Add(2 * recent)
	look("which was long before the last list", 0)
	h.listing.at = now.Add(-10 * recent)
	look("which was after a list of ten minutes ago", 1)
	h.listing.whole = h.listing.whole.Add(-wholeEvery)
	look("after an hour", 2)
}

// A message says who made the revision, by the id and the name of the key.
func TestMessagesNameTheAuthor(t *testing.T) {
	store := memstore.New(time.Now)
	to := newReceiver(t)
	file := filepath.Join(t.TempDir(), "webhook.json")
	ctx, stop := context.WithCancel(t.Context())
	names := func(_ context.Context, ids []string) map[string]string { return map[string]string{"key_a": "Ann"} }
	hook := &Hook{URL: to.URL, Secret: secret, Record: OpenFile(file), Store: store, Names: names, Logger: slog.New(slog.DiscardHandler), Pause: time.Millisecond, Longest: 5 * time.Millisecond}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = hook.Run(ctx) }() // it ends with its context
	defer func() { stop(); <-ended }()
	waitFor(t, file)
	for _, author := range []string{"key_a", "key_b"} {
		name := ruleset.Name("by_" + author)
		if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: name, Markdown: "A", By: ruleset.By{Author: author}}); err != nil {
			t.Fatal(err)
		}
		want := Message{Event: "ruleset.changed", Name: name, Rev: 1, Author: author, AuthorName: names(t.Context(), nil)[author]}
		if got := to.next(t); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if err := ruleset.Delete(t.Context(), store, "by_key_b", ruleset.Removal{By: ruleset.By{Author: "key_a"}}); err != nil {
		t.Fatal(err)
	}
	if got := to.next(t); got.Event != "ruleset.deleted" || got.AuthorName != "Ann" {
		t.Errorf("got %+v of a deletion", got)
	}
}

// A lateWatch is a store whose watch begins when the test says so.
type lateWatch struct {
	ruleset.Store
	begin chan struct{}
}

func (l *lateWatch) Watch(ctx context.Context, changed func(ruleset.Change)) error {
	<-l.begin
	return l.Store.Watch(ctx, changed)
}

// accepts is a URL that accepts each message.
type accepts chan struct{}

func (a accepts) RoundTrip(*http.Request) (*http.Response, error) {
	a <- struct{}{}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// A change between the first look and the beginning of the watch is told as soon as the
// watch begins, not when all rulesets are compared the next time.
func TestHookTellsOfChangesBeforeItsWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "webhook.json")
	synctest.Test(t, func(t *testing.T) {
		store := &lateWatch{memstore.New(time.Now), make(chan struct{})}
		ended, stop := context.WithCancel(t.Context())
		stop()
		if err := store.Store.Watch(ended, func(ruleset.Change) {}); err != nil { // later ones do not hear of what was before
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		accepted := make(accepts, 10)
		hook := &Hook{
			URL: "http://example.com", Record: OpenFile(file), Store: store, Logger: slog.New(slog.DiscardHandler),
			Client: &http.Client{Transport: accepted},
		}
		go func() { _ = hook.Run(ctx) }() // it ends with its context
		synctest.Wait()
		create := ruleset.Draft{Name: "a", Markdown: "A"}
		if _, err := ruleset.Create(ctx, store, create); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		close(store.begin)
		<-accepted
		if took := time.Since(start); took >= lookEvery {
			t.Errorf("it was told after %v", took)
		}
	})
}
