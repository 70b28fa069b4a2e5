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

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The folder and the URL of a process that delivers until it is killed.
const (
	crashDir = "TRIPTYCH_TEST_HOOK_DIR"
	crashURL = "TRIPTYCH_TEST_HOOK_URL"
)

// TestMain makes the test program such a process.
func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		err := changeAndDeliver(dir, os.Getenv(crashURL))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// crashRulesets is the number of rulesets that change.
const crashRulesets = 4

// changeAndDeliver changes rulesets, one after the other, and delivers the changes. It
// prints each revision once it is stored.
func changeAndDeliver(dir, url string) error {
	store := filestore.Open(filepath.Join(dir, "rulesets"), slog.New(slog.DiscardHandler), time.Now)
	hook := &Hook{
		URL: url, Secret: secret, File: filepath.Join(dir, "webhook.json"), Store: store, Logger: slog.New(slog.DiscardHandler),
		Pause: time.Millisecond, Longest: 5 * time.Millisecond,
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
		rev, err := changeOne(store, name)
		if err != nil {
			return err
		}
		fmt.Println(name, rev)
	}
}

func changeOne(store ruleset.Store, name ruleset.Name) (int, error) {
	ctx := context.Background()
	text := fmt.Sprint(time.Now().UnixNano())
	r, err := store.Update(ctx, name, ruleset.Patch{Markdown: &text})
	if _, missing := errors.AsType[*ruleset.NotFoundError](err); missing {
		r, err = store.Create(ctx, ruleset.Draft{Name: name, Description: "A rule", Markdown: text})
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

// A process that changes rulesets and delivers the changes is killed at any point, again
// and again. After a restart every revision that it said was stored arrives, or a newer
// one.
func TestKilledWhileDelivering(t *testing.T) {
	kills := 8
	if n, err := strconv.Atoi(os.Getenv("TRIPTYCH_TEST_KILLS")); err == nil {
		kills = n
	}
	told := &book{revs: map[ruleset.Name]int{}}
	to := httptest.NewServer(told)
	defer to.Close()
	dir := t.TempDir()
	stored := map[ruleset.Name]int{}
	store := filestore.Open(filepath.Join(dir, "rulesets"), slog.New(slog.DiscardHandler), time.Now)
	defer func() { _ = store.Close() }() // it was only read
	file := filepath.Join(dir, "webhook.json")
	stop := start(t, store, to.URL, file)
	waitFor(t, file) // the first run takes the rulesets that are there as known
	stop()
	random := rand.New(rand.NewPCG(16, 2))
	for range kills {
		killHook(t, dir, to.URL, time.Duration(random.IntN(30_000))*time.Microsecond, stored)
	}
	defer start(t, store, to.URL, file)()
	for name, rev := range stored {
		for deadline := time.Now().Add(time.Minute); told.rev(name) < rev; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("revision %d of %s was stored, and only %d was told", rev, name, told.rev(name))
			}
		}
	}
	if len(stored) < crashRulesets {
		t.Errorf("only %v were stored", stored)
	}
}

// killHook starts a process, kills it some time after it has changed all rulesets once,
// and notes the revisions that it stored.
func killHook(t *testing.T, dir, url string, after time.Duration, stored map[ruleset.Name]int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), crashDir+"="+dir, crashURL+"="+url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		word, number, _ := strings.Cut(scanner.Text(), " ")
		if rev, err := strconv.Atoi(number); err == nil { // the last line may be torn
			stored[ruleset.Name(word)] = max(stored[ruleset.Name(word)], rev)
		}
		if lines++; lines == crashRulesets {
			timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // the point of the kill is random, and any will do
			defer timer.Stop()
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() == 3 {
		t.Fatalf("the process ended by itself: %v", err)
	}
}
