package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// dropEnded deletes the chains of our key that have ended. It is called when a segment of the
// writer's own chain was deleted, so about four times in the time that records stay. Each has
// its own time, and the rest waits for the next call once the store does not answer: records
// wait meanwhile.
func (w *streamWriter) dropEnded(now time.Time) {
	heads, err := w.headsThere()
	if err != nil {
		w.logger.Warn("chains of the audit trail that have ended are kept longer", "err", err)
		return
	}
	old := now.Add(-w.policy.keepFor)
	left := w.droppable(heads, old)
	for chain, head := range heads {
		l, err := parseLine([]byte(head))
		if chain == w.id || err != nil || !w.signer.signed(l, chain) {
			continue
		}
		signed, err := time.Parse(timeFormat, l.note.Head.Time)
		if err != nil || !signed.Before(old) {
			continue
		}
		if left--; left < 0 {
			return
		}
		dropped, err := w.dropInTime(chain, head, now)
		if err != nil {
			w.logger.Warn("a chain of the audit trail is kept longer", "chain", chain, "err", err)
			if errors.Is(err, context.DeadlineExceeded) {
				return
			}
			continue
		}
		if dropped {
			w.logger.Info("a chain of the audit trail is deleted, which has ended", "chain", chain, "seq", l.note.Head.Seq, "signed", signed)
		}
	}
}

// droppable returns how many chains may be deleted that were signed last before a time. Servers
// that run sign now and then: when none of the others has since, the clock of this one may be
// wrong.
func (w *streamWriter) droppable(heads map[string]string, old time.Time) int {
	for chain, head := range heads {
		l, err := parseLine([]byte(head))
		if chain == w.id || err != nil || !w.signer.signed(l, chain) {
			continue
		}
		if signed, err := time.Parse(timeFormat, l.note.Head.Time); err == nil && !signed.Before(old) {
			return len(heads)
		}
	}
	return maxAged
}

// headsThere puts back the heads that could not be put back before, and returns all heads that
// are listed.
func (w *streamWriter) headsThere() (map[string]string, error) {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	for chain, head := range w.unlisted {
		if err := w.putBack(ctx, chain, head); err != nil {
			return nil, err
		}
	}
	return w.client.HGetAll(ctx, w.names.heads()).Result()
}

// dropInTime is dropChain within the time of one request.
func (w *streamWriter) dropInTime(chain, head string, now time.Time) (bool, error) {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	return w.dropChain(ctx, chain, head, now)
}

// dropHead removes the head of a chain (KEYS[1], ARGV[1]) if it is still the one of ARGV[2].
var dropHead = redis.NewScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[1])`)

// dropStreamScript deletes the keys from the third on, the first of which is the stream, if no
// server marks the chain as its own (KEYS[1]) and the stream still ends with the entry of
// ARGV[1] and the sum of ARGV[2]. It states so in KEYS[2] for ARGV[4] milliseconds; a statement
// that is there stays where the stream has no line: it was deleted before, and its end is stated.
const dropStreamScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
if last[1] and (last[1][1] ~= ARGV[1] or redis.sha1hex(last[1][2][2]) ~= ARGV[2]) then return 0 end
if last[1] or redis.call('EXISTS', KEYS[2]) == 0 then redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4]) end
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
return 1`

var (
	dropStream = redis.NewScript(dropStreamScript)
	// dropStreamBeyond does the same though the server has no memory left for the statement.
	dropStreamBeyond = redis.NewScript("#!lua flags=allow-oom\n" + dropStreamScript)
)

// dropChain deletes a chain unless its server runs, its head first: a chain without a head is
// not listed. A server that adds to the chain meanwhile keeps it, and its head.
func (w *streamWriter) dropChain(ctx context.Context, chain, head string, now time.Time) (bool, error) {
	if n, err := w.client.Exists(ctx, w.names.alive(chain)).Result(); err != nil || n > 0 {
		return false, err
	}
	fields, err := w.client.HGetAll(ctx, w.names.segments(chain)).Result()
	if err != nil {
		return false, err
	}
	x := stateOf(fields)
	ended, err := w.endOf(ctx, chain, x, now)
	if err != nil || ended == nil {
		return false, err
	}
	text, err := json.Marshal(ended)
	if err != nil {
		return false, err
	}
	names := []string{w.names.alive(chain), w.names.ended(chain), w.names.stream(chain), w.names.segments(chain), w.names.sync(chain)}
	for _, s := range x.segments {
		names = append(names, w.names.index(chain, s.number))
	}
	if n, err := dropHead.Run(ctx, w.client, []string{w.names.heads()}, chain, head).Int(); err != nil || n == 0 {
		return false, err
	}
	args := []any{entryID(ended.Lines), ended.Sum, text, endedFor.Milliseconds()}
	n, err := dropStream.Run(ctx, w.client, names, args...).Int()
	if err != nil && isOutOfMemory(err) {
		n, err = dropStreamBeyond.Run(ctx, w.client, names, args...).Int()
	}
	if err != nil || n == 0 { // the answer is lost, or the server is back
		again, stop := context.WithTimeout(context.Background(), valkeyTimeout)
		defer stop()
		return false, errors.Join(err, w.putBack(again, chain, head))
	}
	return true, nil
}

// putBack lists a chain again that was not deleted. Where it fails, it is repeated before
// chains are deleted the next time. A chain without lines was deleted though the answer was
// lost, and is not listed.
func (w *streamWriter) putBack(ctx context.Context, chain, head string) error {
	n, err := w.client.Exists(ctx, w.names.stream(chain)).Result()
	if err == nil && n > 0 {
		err = w.client.HSetNX(ctx, w.names.heads(), chain, head).Err()
	}
	if err == nil {
		delete(w.unlisted, chain)
		return nil
	}
	if w.unlisted == nil {
		w.unlisted = map[string]string{}
	}
	w.unlisted[chain] = head
	return err
}

// endOf states the end of another chain and signs that, nil if its last line is a record that
// stays.
func (w *streamWriter) endOf(ctx context.Context, chain string, x indexState, now time.Time) (*endedNote, error) {
	e := &endedNote{Chain: chain, File: 1, Time: formatTime(now), Sum: sumOf(nil), Hash: digest{}.String()}
	if n := len(x.segments); n > 0 {
		e.File = x.segments[n-1].number
	}
	other := &streamWriter{client: w.client, names: w.names, id: chain}
	page, err := w.client.XRevRangeN(ctx, other.stream(), "+", "-", 1).Result()
	if err != nil {
		return nil, err
	}
	if len(page) > 0 {
		at := linePlace("", page[0])
		if r, err := parseRecord(at.text); err == nil && !r.Time.Before(now.Add(-w.policy.keepFor)) {
			return nil, nil
		}
		end := streamEnd{at.line, string(at.text)}
		e.Lines, e.Sum, e.Hash = at.line, sumOf(at.text), hashOf(end).String()
		if e.Seq, err = other.lastRecord(end); err != nil {
			return nil, err
		}
	}
	e.Signature = hex.EncodeToString(ed25519.Sign(w.signer.key, e.signed()))
	return e, nil
}
