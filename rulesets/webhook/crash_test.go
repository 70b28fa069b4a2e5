package webhook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// The folder of a process that delivers until it is killed, the URL that it tells, and
// that of its Valkey server, if it has one.
const (
	crashDir   = "TRIPTYCH_TEST_HOOK_DIR"
	crashURL   = "TRIPTYCH_TEST_HOOK_URL"
	crashStore = "TRIPTYCH_TEST_HOOK_STORE"
)

// TestMain makes the test program such a process.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		err := changeAndDeliver(dir, os.Getenv(crashStore), os.Getenv(crashURL))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// crashRulesets is the number of rulesets that change.
const crashRulesets = 4

// openHook opens a hook and its store, on a server or in a folder. Where the process is
// killed the next one leads soon.
func openHook(dir, server, url string) (*Hook, error) {
	log := slog.New(slog.DiscardHandler)
	hook := &Hook{URL: url, Secret: secret, Logger: log, Pause: time.Millisecond, Longest: 5 * time.Millisecond}
	if server == "" {
		file := OpenFile(filepath.Join(dir, "webhook.json"))
		file.every = time.Millisecond
		hook.Record, hook.Store = file, filestore.Open(filepath.Join(dir, "rulesets"), log, time.Now)
		return hook, nil
	}
	store, err := valkeystore.Open(context.Background(), server, "", log, time.Now)
	if err != nil {
		return nil, err
	}
	record, err := OpenValkey(context.Background(), server, "", url, log)
	if err != nil {
		return nil, err
	}
	record.life, record.renew, record.every = 60*time.Millisecond, 10*time.Millisecond, time.Millisecond
	hook.Record, hook.Store = record, store
	return hook, nil
}

// changeAndDeliver changes rulesets, one after the other, and delivers the changes. It
// prints each revision once it is stored.
func changeAndDeliver(dir, server, url string) error {
	hook, err := openHook(dir, server, url)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- hook.Run(context.Background()) }()
	for n := 0; ; n++ {
		select {
		case err := <-ended:
			return err
		default:
		}
		name := ruleset.Name(fmt.Sprint("r", n%crashRulesets))
		rev, err := changeOne(hook.Store, name)
		if err != nil {
			return err
		}
		fmt.Println(name, rev)
	}
}

func changeOne(store ruleset.Store, name ruleset.Name) (int, error) {
	ctx := context.Background()
	text := fmt.Sprint(time.Now().UnixNano())
	r, err := ruleset.Update(ctx, store, name, ruleset.Patch{Markdown: &text})
	if _, missing := errors.AsType[*ruleset.NotFoundError](err); missing {
		r, err = ruleset.Create(ctx, store, ruleset.Draft{Name: name, Description: "A rule", Markdown: text})
	}
	if _, raced := errors.AsType[*ruleset.ExistsError](err); raced { // the other process has created it
		r, err = ruleset.Update(ctx, store, name, ruleset.Patch{Markdown: &text})
	}
	return r.Rev, err
}

// A book has the newest revision of each ruleset that a receiver was told of.
type book struct {
	mu    sync.Mutex
	revs  map[ruleset.Name]int
	asked int
}

// ServeHTTP refuses one message in three.
func (b *book) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m Message
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked++; err != nil || b.asked%3 == 0 {
		http.Error(w, "no", http.StatusServiceUnavailable)
		return
	}
	b.revs[m.Name] = max(b.revs[m.Name], m.Rev)
}

func (b *book) rev(name ruleset.Name) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.revs[name]
}

// Of two processes that change rulesets and deliver the changes the older one is killed at
// any point, again and again. Every revision that one of them said was stored arrives, or
// a newer one.
func TestKilledWhileDelivering(t *testing.T) {
	kills := sample.Count(3, 30)
	t.Run("file", func(t *testing.T) { killAgainAndAgain(t, kills, "") })
	t.Run("server", func(t *testing.T) { killAgainAndAgain(t, kills, "valkey://"+valkeytest.Start(t).Addr) })
}

func killAgainAndAgain(t *testing.T, kills int, server string) {
	told := &book{revs: map[ruleset.Name]int{}}
	to := httptest.NewServer(told)
	defer to.Close()
	dir := t.TempDir()
	run := func() (end func()) {
		hook, err := openHook(dir, server, to.URL)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- hook.Run(ctx) }()
		return func() {
			cancel()
			<-ended                                                  // with ctx
			_ = errors.Join(hook.Record.Close(), hook.Store.Close()) // they were only read
		}
	}
	end := run() // the first run takes the rulesets that are there as known: none
	waitBegun(t, dir, server, to.URL)
	end()
	noted := &stored{revs: map[ruleset.Name]int{}}
	random := rand.New(rand.NewPCG(16, 2))
	last := launch(t, noted, dir, server, to.URL)
	for range kills {
		next := launch(t, noted, dir, server, to.URL)
		last.kill(t, time.Duration(random.IntN(100_000))*time.Microsecond)
		last = next
	}
	last.kill(t, 0)
	defer run()()
	for name, rev := range noted.revs {
		for deadline := time.Now().Add(time.Minute); told.rev(name) < rev; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("revision %d of %s was stored, and only %d was told", rev, name, told.rev(name))
			}
		}
	}
	if len(noted.revs) < crashRulesets {
		t.Errorf("only %v were stored", noted.revs)
	}
}

// waitBegun waits until a record has its beginning.
func waitBegun(t *testing.T, dir, server, url string) {
	t.Helper()
	hook, err := openHook(dir, server, url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(hook.Record.Close(), hook.Store.Close()) }() // they are only read
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if known, err := hook.Record.Known(t.Context()); known != nil && err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing was recorded")
		}
	}
}

// stored has the newest revision of each ruleset that processes said was stored.
type stored struct {
	mu   sync.Mutex
	revs map[ruleset.Name]int
}

// add adds a line of a process, "NAME REVISION". The last one may be torn.
func (s *stored) add(line string) {
	word, number, _ := strings.Cut(line, " ")
	rev, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revs[ruleset.Name(word)] = max(s.revs[ruleset.Name(word)], rev)
}

// A child is a process that changes rulesets and delivers the changes.
type child struct {
	*exec.Cmd
	changed chan struct{} // closed when it has changed all rulesets, or its output has ended
	ended   chan struct{} // closed when its output has ended
}

func launch(t *testing.T, noted *stored, dir, server, url string) *child {
	t.Helper()
	c := &child{Cmd: exec.CommandContext(t.Context(), os.Args[0]), changed: make(chan struct{}), ended: make(chan struct{})}
	c.Env = append(os.Environ(), crashDir+"="+dir, crashStore+"="+server, crashURL+"="+url)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it has ended, unless the test failed
		<-c.ended
	})
	go func() {
		defer close(c.ended)
		changed := sync.OnceFunc(func() { close(c.changed) })
		defer changed()
		scanner := bufio.NewScanner(out)
		for lines := 1; scanner.Scan(); lines++ {
			noted.add(scanner.Text())
			if lines == crashRulesets {
				changed()
			}
		}
	}()
	return c
}

// kill kills the process some time after it has changed all rulesets.
func (c *child) kill(t *testing.T, after time.Duration) {
	t.Helper()
	<-c.changed
	time.Sleep(after)    // the point of the kill is random, and any will do
	_ = c.Process.Kill() // it may have ended, which Wait tells
	<-c.ended
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() == 3 {
		t.Fatalf("the process ended by itself: %v", err)
	}
}
