package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Hook sends messages.
type Hook struct {
	URL    string
	Secret []byte
	Record Record // of what was delivered
	Store  ruleset.Store
	Logger *slog.Logger
	// Names returns the names that people gave keys, by their ids; nil knows none.
	Names func(ctx context.Context, ids []string) map[string]string
	// Describe returns what a proposal changes; nil leaves it out.
	Describe func(ruleset.Proposal) string
	// Console is the address of the console, whose pages messages name; "" for none.
	Console string
	Format  Format
	Client  *http.Client // nil for one with a time-out of 10 seconds that follows no redirect

	// Pause is the time before the second attempt, which doubles up to Longest. Zero
	// means 1 and 60 seconds.
	Pause, Longest time.Duration

	unrecorded []Message // which the URL has accepted
	listing    listing
}

// lookEvery is the interval at which the list of all rulesets is compared with that of the
// last time, since a store need not hear of each change that others make.
const lookEvery = time.Minute

// Run sends messages until ctx is done, while no other process that shares the record does.
func (h *Hook) Run(ctx context.Context) error {
	if h.Client == nil {
		h.Client = &http.Client{Timeout: 10 * time.Second, CheckRedirect: refuseRedirect}
	}
	if h.Pause == 0 {
		h.Pause, h.Longest = time.Second, time.Minute
	}
	return h.Record.Lead(ctx, h.follow)
}

// follow delivers at the start, when the watch has begun, after each change, and now and
// then. A store that fails is asked again after a pause.
func (h *Hook) follow(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pending := &pending{wake: make(chan struct{}, 1)}
	pending.add(ruleset.Change{})
	watching := make(chan error, 1)
	go func() { watching <- h.Store.Watch(ctx, pending.add) }()
	var known map[ruleset.Name]int
	h.unrecorded, h.listing = nil, listing{}
	pause := h.Pause
	floor := time.NewTicker(lookEvery)
	defer floor.Stop()
	for {
		select {
		case err := <-watching:
			return err
		case <-floor.C:
			pending.add(ruleset.Change{})
			continue
		case <-pending.wake:
		}
		var err error
		known, err = h.deliverPending(ctx, known, pending)
		switch {
		case errors.Is(err, errLostLease):
			stop()
			return errors.Join(err, <-watching)
		case err != nil && ctx.Err() == nil:
			h.Logger.Warn("webhook: looking for changes, trying again", "error", err)
			wait(ctx, pause)
			pause = min(2*pause, h.Longest)
			pending.add(ruleset.Change{})
		default:
			pause = h.Pause
		}
	}
}

// deliverPending delivers the changes that are pending, and returns the revisions that are known
// then. known is nil as long as it could not be read.
func (h *Hook) deliverPending(ctx context.Context, known map[ruleset.Name]int, changes *pending) (map[ruleset.Name]int, error) {
	names, all := changes.cut()
	var err error
	if known == nil {
		known, err = h.begin(ctx)
	}
	if err == nil {
		err = h.deliverAll(ctx, known, names, all)
	}
	if err != nil {
		h.listing = listing{} // what was not delivered is found by reading all rulesets
	}
	return known, err
}

// begin returns what was delivered. Where there is no record, it begins with what is there.
func (h *Hook) begin(ctx context.Context) (map[ruleset.Name]int, error) {
	known, err := h.Record.Known(ctx)
	if err != nil {
		return nil, err
	}
	if known == nil {
		names, _, err := h.suspects(ctx, nil)
		if err != nil {
			return nil, err
		}
		now, err := h.present(ctx, names)
		if err != nil {
			return nil, err
		}
		known = make(map[ruleset.Name]int, len(now))
		for name, r := range now {
			known[name] = r.Rev
		}
		if err := h.Record.Begin(ctx, known); err != nil {
			return nil, err
		}
	}
	if err := h.countMoves(ctx, known); err != nil {
		return nil, err
	}
	id := h.secretID()
	before, err := h.Record.Signer(ctx, id)
	if err != nil {
		return nil, err
	}
	if before != "" && before != id {
		h.Logger.Warn("webhook: messages are signed with another secret from now on")
	}
	return known, nil
}

// deliverAll sends a message for each ruleset with another revision than the known one,
// of all rulesets or of those with the names.
func (h *Hook) deliverAll(ctx context.Context, known map[ruleset.Name]int, names []ruleset.Name, all bool) error {
	if err := h.record(ctx); err != nil {
		return err
	}
	var listed listing
	if all {
		more, fresh, err := h.suspects(ctx, known)
		if err != nil {
			return err
		}
		names, listed = append(names, more...), fresh
		slices.Sort(names)
		names = slices.Compact(names)
	}
	ofLog := all || slices.Contains(names, ruleset.ProposalLog)
	names = slices.DeleteFunc(names, isCount)
	now, err := h.present(ctx, names)
	if err != nil {
		return err
	}
	compared := make(map[ruleset.Name]int, len(names))
	for _, name := range names {
		if rev, there := known[name]; there {
			compared[name] = rev
		}
	}
	messages := differences(compared, now)
	for i := range messages {
		messages[i] = h.authored(ctx, messages[i])
	}
	moved, err := h.moved(ctx, known, names, ofLog)
	if err != nil {
		return err
	}
	for _, m := range append(messages, moved...) {
		if err := h.deliver(ctx, h.complete(ctx, m)); err != nil {
			return err
		}
		after(known, m)
		h.unrecorded = append(h.unrecorded, m)
		if err := h.record(ctx); err != nil {
			return err
		}
	}
	if all {
		h.listing = listed
	}
	return nil
}

// authored returns a message with the author of its revision, as far as the history has it.
func (h *Hook) authored(ctx context.Context, m Message) Message {
	history, err := h.Store.History(ctx, m.Name)
	if err != nil {
		return m // the change matters, and who made it can be looked up
	}
	for _, r := range history {
		if r.Number == m.Rev || m.Rev == 0 && r.Deleted {
			m.by(r.By)
			break
		}
	}
	return m
}

// complete returns a message with the author's name and the address.
func (h *Hook) complete(ctx context.Context, m Message) Message {
	if h.Names != nil && m.Author != "" {
		m.AuthorName = h.Names(ctx, []string{m.Author})[m.Author]
	}
	m.Address = h.address(&m)
	return m
}

// record records the messages that were accepted. One that cannot be recorded now is not
// sent again by this process.
func (h *Hook) record(ctx context.Context) error {
	for len(h.unrecorded) > 0 {
		if err := h.Record.Accepted(ctx, h.unrecorded[0]); err != nil {
			return err
		}
		h.unrecorded = h.unrecorded[1:]
	}
	return nil
}

// present returns those of the named rulesets that are there, without their texts.
func (h *Hook) present(ctx context.Context, names []ruleset.Name) (map[ruleset.Name]ruleset.Ruleset, error) {
	there := make(map[ruleset.Name]ruleset.Ruleset, len(names))
	for _, name := range names {
		r, err := h.Store.Get(ctx, name)
		if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Markdown, r.Extra = "", "" // only the revision counts
		there[name] = r
	}
	return there, nil
}
