package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Message tells of a change.
type Message struct {
	Event string       `json:"event"` // "ruleset.changed" or "ruleset.deleted"
	Name  ruleset.Name `json:"name"`
	Rev   int          `json:"rev,omitempty"` // 0 for a deletion
	From  int          `json:"from,omitempty"`
	At    time.Time    `json:"at,omitzero"` // of the change; not of a deletion
}

// A Hook sends messages.
type Hook struct {
	URL    string
	Secret []byte
	File   string // of what was delivered
	Store  ruleset.Store
	Logger *slog.Logger
	Client *http.Client // nil for one with a time-out of 10 seconds that follows no redirect

	// Pause is the time before the second attempt, which doubles up to Longest. Zero
	// means 1 and 60 seconds.
	Pause, Longest time.Duration
}

// state is the content of the file: the revision of each ruleset that was delivered.
type state struct {
	Delivered map[ruleset.Name]int `json:"delivered"`
}

// Run sends messages until ctx is done.
func (h *Hook) Run(ctx context.Context) error {
	if h.Client == nil {
		h.Client = &http.Client{Timeout: 10 * time.Second, CheckRedirect: refuseRedirect}
	}
	if h.Pause == 0 {
		h.Pause, h.Longest = time.Second, time.Minute
	}
	if err := os.MkdirAll(filepath.Dir(h.File), 0o700); err != nil {
		return err
	}
	lock := flock.New(h.File + ".lock")
	if locked, err := lock.TryLockContext(ctx, time.Second); err != nil || !locked {
		return err
	}
	defer func() { _ = lock.Unlock() }() // the process ends, or the next one waits
	return h.follow(ctx)
}

// refuseRedirect makes a redirect an answer that is no 2xx: what it leads to, such as a
// page to log in, does not have the message, and may be another host, which must not get
// its signature.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// follow looks for changes at the start and after each change.
func (h *Hook) follow(ctx context.Context) error {
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	watching := make(chan error, 1)
	go func() {
		watching <- h.Store.Watch(ctx, func(ruleset.Change) {
			select {
			case changes <- struct{}{}:
			default: // a look is due already
			}
		})
	}()
	for {
		select {
		case err := <-watching:
			return err
		case <-changes:
			if err := h.deliverAll(ctx); err != nil && ctx.Err() == nil {
				h.Logger.Warn("webhook: looking for changes", "error", err)
			}
		}
	}
}

// deliverAll sends a message for each ruleset whose revision was not delivered.
func (h *Hook) deliverAll(ctx context.Context) error {
	known, first, err := h.load()
	if err != nil {
		return err
	}
	now, err := h.revisions(ctx)
	if err != nil {
		return err
	}
	if first {
		for name, r := range now {
			known.Delivered[name] = r.Rev
		}
		return h.save(known)
	}
	for _, m := range differences(known.Delivered, now) {
		if err := h.deliver(ctx, m); err != nil {
			return err
		}
		if known.Delivered[m.Name] = m.Rev; m.Rev == 0 {
			delete(known.Delivered, m.Name)
		}
		if err := h.save(known); err != nil {
			return err
		}
	}
	return nil
}

func (h *Hook) revisions(ctx context.Context) (map[ruleset.Name]ruleset.Ruleset, error) {
	metas, _, err := h.Store.List(ctx, ruleset.Page{})
	if err != nil {
		return nil, err
	}
	all := make(map[ruleset.Name]ruleset.Ruleset, len(metas))
	for _, m := range metas {
		r, err := h.Store.Get(ctx, m.Name)
		if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Markdown, r.Extra = "", "" // only the revision counts
		all[m.Name] = r
	}
	return all, nil
}

// differences returns the messages that make a receiver know what is there now.
func differences(delivered map[ruleset.Name]int, now map[ruleset.Name]ruleset.Ruleset) (all []Message) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if r := now[name]; delivered[name] != r.Rev {
			all = append(all, Message{Event: "ruleset.changed", Name: name, Rev: r.Rev, From: delivered[name], At: r.LastModified})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(delivered)) {
		if _, there := now[name]; !there {
			all = append(all, Message{Event: "ruleset.deleted", Name: name, From: delivered[name]})
		}
	}
	return all
}

// deliver sends a message until it is accepted.
func (h *Hook) deliver(ctx context.Context, m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	for pause := h.Pause; ; pause = min(2*pause, h.Longest) {
		err := h.post(ctx, body)
		if err == nil {
			return nil
		}
		h.Logger.Warn("webhook: not delivered, trying again", "ruleset", m.Name, "rev", m.Rev, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Sign returns the signature of a body, as its header has it.
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func (h *Hook) post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return withoutURL(err)
	}
	id := sha256.Sum256(body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Triptych-Delivery", hex.EncodeToString(id[:16]))
	req.Header.Set("Triptych-Signature", Sign(h.Secret, body))
	resp, err := h.Client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // for the connection to be used again
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it was answered with %s", resp.Status)
	}
	return nil
}

// withoutURL returns an error without the URL, whose path or query is often a secret.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

func (h *Hook) load() (s state, first bool, err error) {
	text, err := os.ReadFile(h.File)
	if errors.Is(err, fs.ErrNotExist) {
		return state{Delivered: map[ruleset.Name]int{}}, true, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if s.Delivered == nil {
		s.Delivered = map[ruleset.Name]int{}
	}
	return s, false, err
}

// save replaces the file, synced: what is in it was delivered.
func (h *Hook) save(s state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	temp := h.File + ".new"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, h.File)
}
