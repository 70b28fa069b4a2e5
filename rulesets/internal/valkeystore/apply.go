package valkeystore

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const (
	// batchTimeout bounds a batch.
	batchTimeout = 60 * time.Second
	// batchTries limits how often a batch is tried again that other changes overtook.
	batchTries = 20
	// readAtOnce is the number of rulesets that one pipeline reads.
	readAtOnce = 500
)

// contentFields are the fields of the content of a ruleset.
var contentFields = []string{"description", "tags", "markdown", "extra"}

// Apply implements [ruleset.Store]. The keys of the rulesets are watched, read, and
// changed by one transaction, which the server refuses if one of them was changed
// since. A single operation is one script.
func (s *Store) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	if len(ops) == 0 {
		return nil, nil
	}
	if ruleset.IsSingle(ops) && ops[0].Move == nil && !o.DryRun {
		return s.applySingle(ctx, &ops[0])
	}
	ctx, stop := context.WithTimeout(ctx, batchTimeout)
	defer stop()
	names := namesOf(ops)
	if err := s.checkSlots(ctx, names); err != nil {
		return nil, err
	}
	try := batchTry{token: newToken(), names: names, ops: ops, options: o}
	sent := 0
	for range batchTries {
		staged, done, err := s.tryBatch(ctx, &try)
		lost, isLost := errors.AsType[*lostError](err)
		if !isLost {
			if done || err != nil {
				return staged.Outcomes, err
			}
			continue
		}
		if sent++; sent == changeTries {
			return nil, unavailable(lost.err)
		}
		try.lost = &staged
	}
	return nil, unavailable(errors.New("others change the rulesets all the time"))
}

// applySingle applies an operation by one script: a transaction takes three round trips, and
// has to be tried again where others change the ruleset.
func (s *Store) applySingle(ctx context.Context, op *ruleset.Operation) ([]ruleset.Outcome, error) {
	o := ruleset.Outcome{Name: op.Name}
	var r ruleset.Ruleset
	var err error
	switch {
	case op.Create != nil:
		o.Kind, o.After = ruleset.Created, &r
		r, err = s.create(ctx, *op.Create)
	case op.Update != nil:
		o.Kind, o.After = ruleset.Updated, &r
		r, err = s.update(ctx, op.Name, *op.Update)
	default:
		o.Kind = ruleset.Deleted
		err = s.remove(ctx, op.Name, *op.Delete)
	}
	o.Rev = r.Rev
	return []ruleset.Outcome{o}, err
}

// A batchTry holds the data that the attempts to apply a batch share.
type batchTry struct {
	token   string // of the change
	names   []ruleset.Name
	ops     []ruleset.Operation
	options ruleset.ApplyOptions
	// lost is the newest attempt whose answer was lost, nil if there is none. An older one is
	// not made any more: the newest was staged from other contents, or is the same.
	lost *ruleset.Batch
}

// A lostError reports a transaction that the server may have made.
type lostError struct{ err error }

func (e *lostError) Error() string { return e.err.Error() }

// namesOf returns the names of the operations, each once.
func namesOf(ops []ruleset.Operation) (names []ruleset.Name) {
	seen := map[ruleset.Name]bool{}
	for i := range ops {
		if name := ops[i].Name; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// checkSlots returns a [*ruleset.SlotsError] if a cluster has the rulesets in several
// slots.
func (s *Store) checkSlots(ctx context.Context, names []ruleset.Name) error {
	if !s.key.cluster || len(names) < 2 {
		return nil
	}
	first, err := s.client.ClusterKeySlot(ctx, hashKey(names[0])).Result()
	if err != nil {
		return unavailable(err)
	}
	for _, name := range names[1:] {
		slot, err := s.client.ClusterKeySlot(ctx, hashKey(name)).Result()
		if err != nil {
			return unavailable(err)
		}
		if slot != first {
			return &ruleset.SlotsError{First: names[0], Other: name}
		}
	}
	return nil
}

// tryBatch applies a batch once. done is false if others changed a ruleset of it
// meanwhile. A transaction whose answer is lost is a [*lostError].
//
// A lost transaction may still be under way when the next attempt begins. That attempt looks
// for it while it watches the keys: it has been made and is found, or one of the two
// transactions is refused, since the other one changes the keys.
func (s *Store) tryBatch(ctx context.Context, try *batchTry) (staged ruleset.Batch, done bool, err error) {
	names, ops, o := try.names, try.ops, try.options
	var keys []string
	for _, name := range names {
		keys = append(keys, hashKey(name), s.key.history(name), s.key.labels(name))
	}
	var lost error // of the transaction: the client's own loop must not repeat it
	watchErr := s.client.Watch(ctx, func(tx *redis.Tx) error {
		b := &batch{store: s, now: s.now(), token: try.token, held: map[ruleset.Name]*held{}}
		if try.lost != nil {
			made, askErr := hasMade(ctx, tx, s, try.lost.Effects, try.token)
			if askErr != nil {
				return askErr
			}
			if made {
				staged, done = *try.lost, true
				s.afterBatch(ctx, staged.Effects)
				return nil
			}
		}
		if err = b.read(ctx, tx, names, labelled(ops)); err != nil {
			return nil
		}
		if staged, err = ruleset.Stage(ops, b.now, b.state); err != nil || o.DryRun {
			done = true
			return nil
		}
		_, execErr := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			for i, e := range staged.Effects {
				b.queue(ctx, p, e)
				o.Report(i+1, len(staged.Effects))
			}
			return nil
		})
		if errors.Is(execErr, redis.TxFailedErr) {
			return nil
		}
		if done, lost = true, execErr; lost == nil {
			s.afterBatch(ctx, staged.Effects)
		}
		return nil
	}, keys...)
	switch {
	case err != nil:
		return ruleset.Batch{}, true, err
	case isLost(lost):
		return staged, true, &lostError{lost}
	case lost != nil || watchErr != nil:
		return ruleset.Batch{}, true, unavailable(errors.Join(lost, watchErr))
	}
	return staged, done, nil
}

// labelled returns the names of which labels move.
func labelled(ops []ruleset.Operation) map[ruleset.Name]bool {
	names := map[ruleset.Name]bool{}
	for i := range ops {
		if ops[i].Move != nil {
			names[ops[i].Name] = true
		}
	}
	return names
}

// A batch holds the data that a transaction reads, and writes its changes.
type batch struct {
	store *Store
	now   time.Time
	token string // of the change
	held  map[ruleset.Name]*held
}

// held has the data of one ruleset on the server.
type held struct {
	fields  map[string]string // of the hash; none if it does not exist
	foreign bool              // the key is no hash
	records []record          // oldest first; all of them if labels move, else the newest
	moves   []ruleset.LabelMove
	pending []record // made by other programs and not recorded yet
}

// read reads the rulesets of a batch.
func (b *batch) read(ctx context.Context, tx *redis.Tx, names []ruleset.Name, labels map[ruleset.Name]bool) error {
	for some := range slices.Chunk(names, readAtOnce) {
		hashes, lists, moves := make([]*redis.MapStringStringCmd, len(some)), make([]*redis.StringSliceCmd, len(some)), make([]*redis.StringSliceCmd, len(some))
		_, _ = tx.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
			for i, name := range some {
				from := int64(-1)
				if labels[name] {
					from = 0
				}
				hashes[i], lists[i] = p.HGetAll(ctx, hashKey(name)), p.LRange(ctx, b.store.key.history(name), from, -1)
				moves[i] = p.LRange(ctx, b.store.key.labels(name), 0, -1)
			}
			return nil
		})
		for i, name := range some {
			h, err := b.hold(name, hashes[i], lists[i], moves[i])
			if err != nil {
				return err
			}
			b.held[name] = h
		}
	}
	return nil
}

func (b *batch) hold(name ruleset.Name, hash *redis.MapStringStringCmd, list, moves *redis.StringSliceCmd) (*held, error) {
	fields, err := hash.Result()
	h := &held{fields: fields, foreign: isWrongType(err)}
	if err != nil && !h.foreign {
		return nil, unavailable(err)
	}
	lines, err := list.Result()
	if err != nil {
		return nil, unavailable(err)
	}
	if h.records, err = decodeRecords(name, lines); err != nil {
		return nil, err
	}
	if lines, err = moves.Result(); err != nil {
		return nil, unavailable(err)
	}
	if h.moves, err = decodeMoves(name, lines); err != nil {
		return nil, err
	}
	h.reconcile(stampText(b.now))
	return h, nil
}

// reconcile adds the revision that another program has made, as the function head of
// the scripts does.
func (h *held) reconcile(at string) {
	exists, last := len(h.fields) > 0, record{Deleted: true}
	if n := len(h.records); n > 0 {
		last = h.records[n-1]
	}
	switch {
	case last.Deleted && !exists, !last.Deleted && exists && last.is(h.fields):
		return
	case !exists:
		h.add(record{Rev: last.Rev + 1, At: at, Author: ruleset.ByOther, Deleted: true})
		return
	}
	r := record{Rev: last.Rev + 1, At: at, Author: ruleset.ByOther}
	if last.Rev == 0 {
		r.Author = "" // it was there before its history began
	}
	r.take(h.fields)
	h.add(r)
}

// files returns the files of the newest revision.
func (h *held) files() []ruleset.File {
	if len(h.records) == 0 {
		return nil
	}
	return h.records[len(h.records)-1].Files
}

func (h *held) add(r record) {
	r.Files = h.files() // other programs do not change them
	h.records, h.pending = append(h.records, r), append(h.pending, r)
}

// take sets the content of a record.
func (r *record) take(fields map[string]string) {
	r.Description, r.Tags, r.Markdown, r.Extra = fields["description"], fields["tags"], fields["markdown"], fields["extra"]
}

// state gives a ruleset to [ruleset.Stage].
func (b *batch) state(name ruleset.Name, _ bool) (ruleset.State, error) {
	h := b.held[name]
	st := ruleset.State{Moves: h.moves}
	if h.foreign {
		return st, errors.New("its key belongs to another program")
	}
	st.History = b.store.decoder.newestFirst(name, h.records)
	st.Files = h.files()
	if len(h.fields) > 0 {
		r := b.store.decoder.hash(name, h.fields)
		r.Rev, r.Files = st.History[0].Number, st.Files
		st.Ruleset = &r
	}
	return st, nil
}

// queue adds the commands that make what a batch does to one ruleset.
func (b *batch) queue(ctx context.Context, p redis.Pipeliner, e *ruleset.Effect) {
	h := b.held[e.Name]
	push := func(key string, v any) {
		line, err := json.Marshal(v)
		if err != nil {
			panic(err) // texts and numbers always encode
		}
		p.RPush(ctx, key, string(line))
	}
	for _, r := range h.pending {
		push(b.store.key.history(e.Name), r)
	}
	b.store.queueFiles(ctx, p, e.Name, e.Files)
	fields := h.fields
	for _, r := range e.Revisions {
		one := record{
			Rev: r.Number, At: stampText(r.At), Author: r.By.Author, Client: r.By.Client, Message: r.By.Message, Restores: r.By.Restores, Proposal: r.By.Proposal, Deleted: r.Deleted, Files: r.Content.Files,
			Folder: r.Content.Folder, Token: b.token,
		}
		if !r.Deleted {
			fields = b.fieldsOf(e.Name, r.Content, fields)
			one.take(fields)
		}
		push(b.store.key.history(e.Name), one)
	}
	for _, m := range e.Moves {
		push(b.store.key.labels(e.Name), newMoveRecord(m, b.token))
		p.Publish(ctx, b.store.key.channel(), moveMessage(e.Name, m.Label))
	}
	if e.Changed() {
		b.queueHash(ctx, p, e, fields)
	}
}

// fieldsOf returns the content of a revision as fields. Tags that stay the same stay as
// another program may have written them.
func (b *batch) fieldsOf(name ruleset.Name, r ruleset.Ruleset, before map[string]string) map[string]string {
	fields := map[string]string{"description": r.Description, "tags": tagsText(r.Tags), "markdown": r.Markdown, "extra": r.Extra}
	if old, ok := before["tags"]; ok && slices.Equal(b.store.decoder.hash(name, before).Tags, r.Tags) {
		fields["tags"] = old
	}
	return fields
}

// queueHash adds the commands that write or delete the hash.
func (b *batch) queueHash(ctx context.Context, p redis.Pipeliner, e *ruleset.Effect, content map[string]string) {
	kind := map[ruleset.ChangeKind]string{ruleset.Created: "c", ruleset.Updated: "u", ruleset.Deleted: "d"}[e.Kind()]
	switch e.Kind() {
	case 0:
		return // it was created and deleted
	case ruleset.Deleted:
		p.Del(ctx, hashKey(e.Name))
		if !b.store.key.cluster {
			b.store.index.queueLeave(ctx, p, string(e.Name))
		}
	default:
		pairs := []any{"created_at", stampText(e.After.CreatedAt), "last_modified", stampText(e.After.LastModified)}
		if e.Before != nil && e.Before.CreatedAt.Equal(e.After.CreatedAt) {
			pairs = pairs[2:] // which another program may have written in its own way
		}
		for _, field := range contentFields {
			if field != "extra" || content[field] != "" {
				pairs = append(pairs, field, content[field])
			}
		}
		p.HSet(ctx, hashKey(e.Name), pairs...)
		if content["extra"] == "" {
			p.HDel(ctx, hashKey(e.Name), "extra")
		}
		if !b.store.key.cluster {
			b.store.index.queueEnter(ctx, p, e.After.Meta)
		}
	}
	p.Publish(ctx, b.store.key.channel(), kind+":"+string(e.Name))
}

// afterBatch brings the index of a cluster up to date, which is in another slot; a
// failure is mended by the next scan.
func (s *Store) afterBatch(ctx context.Context, effects []*ruleset.Effect) {
	if !s.key.cluster {
		return
	}
	for _, e := range effects {
		switch {
		case !e.Changed():
		case e.After != nil:
			s.index.note(ctx, e.After.Meta)
		default:
			s.index.remove(ctx, e.Name)
		}
	}
}
