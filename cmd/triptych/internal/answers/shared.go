package answers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// The bounds of answers in a store: its memory is dearer than a disk.
const (
	sharedLife = 24 * time.Hour
	sharedAll  = 256 << 20 // bytes of all answers
	sharedEach = 64 << 20  // and of those of one key
)

// A Shared stores answers that are too large to send on a Valkey or Redis server, where
// every server of the program finds them. The oldest answers make room for new ones.
type Shared struct {
	client    redis.UniversalClient
	prefix    string // of the names of all keys
	all, each int64
}

var _ host.OversizeStore = (*Shared)(nil)

// NewShared returns the answers on a server. The client stays the caller's. The names of
// all keys begin with prefix, which may be empty.
func NewShared(client redis.UniversalClient, prefix string) *Shared {
	return &Shared{client, prefix, sharedAll, sharedEach}
}

// sharedIndex is a sorted set by time of all answers: OWNER/ID/BYTES.
const sharedIndex = "triptych:answers"

// key returns the key of an answer of an owner, whose name ownerOf has hidden.
func (s *Shared) key(owner, id string) string {
	return s.prefix + "triptych:answer:" + owner + ":" + id
}

// ownerOf hides the name of an owner, which may have any characters.
func ownerOf(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:8])
}

// makeRoomScript adds an answer to the index, removes the oldest ones of the same owner
// and of all until it fits, and returns them. Arguments: the entry, its owner, its bytes,
// now, the oldest time that stays, the bytes for each owner and for all.
var makeRoomScript = redis.NewScript(`
local own, all, gone = tonumber(ARGV[3]), tonumber(ARGV[3]), {}
local entries = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #entries, 2 do
  local owner, size = string.match(entries[i], '^([^/]*)/[^/]*/(%d+)$')
  all = all + tonumber(size)
  if owner == ARGV[2] then own = own + tonumber(size) end
end
for i = 1, #entries, 2 do
  local owner, size = string.match(entries[i], '^([^/]*)/[^/]*/(%d+)$')
  local mine = owner == ARGV[2]
  if tonumber(entries[i+1]) < tonumber(ARGV[5]) or all > tonumber(ARGV[7]) or mine and own > tonumber(ARGV[6]) then
    redis.call('ZREM', KEYS[1], entries[i])
    gone[#gone+1] = entries[i]
    all = all - tonumber(size)
    if mine then own = own - tonumber(size) end
  end
end
redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
return gone`)

// Put implements [host.OversizeStore]. An answer in a store has no path.
func (s *Shared) Put(ctx context.Context, owner, text string) (id, path string, err error) {
	if int64(len(text)) > min(s.each, s.all) {
		return "", "", host.ErrNoRoom
	}
	id = rand.Text()
	now := time.Now()
	entry := sharedEntry{ownerOf(owner), id, int64(len(text))}
	gone, err := makeRoomScript.Run(ctx, s.client, []string{s.prefix + sharedIndex}, entry.text(), entry.owner, entry.size,
		now.Unix(), now.Add(-sharedLife).Unix(), s.each, s.all).StringSlice()
	if err != nil {
		return "", "", err
	}
	for _, old := range gone {
		if e, ok := parseEntry(old); ok {
			if err := s.client.Unlink(ctx, s.key(e.owner, e.id)).Err(); err != nil {
				return "", "", err
			}
		}
	}
	if err := s.client.Set(ctx, s.key(ownerOf(owner), id), text, sharedLife).Err(); err != nil {
		return "", "", err
	}
	return id, "", nil
}

// Open implements [host.OversizeStore].
func (s *Shared) Open(ctx context.Context, owner, id string) (host.OversizeText, error) {
	key := s.key(ownerOf(owner), id)
	size, err := s.client.StrLen(ctx, key).Result()
	if err == nil && size == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return &sharedText{ctx, s.client, key, size}, nil
}

// A sharedText reads an answer piece by piece.
type sharedText struct {
	ctx    context.Context //nolint:containedctx // io.ReaderAt takes none, and a text lives as long as its request
	client redis.UniversalClient
	key    string
	size   int64
}

// Size implements [host.OversizeText].
func (t *sharedText) Size() int64 { return t.size }

// Close implements [io.Closer].
func (t *sharedText) Close() error { return nil }

// ReadAt implements [io.ReaderAt].
func (t *sharedText) ReadAt(p []byte, off int64) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	part, err := t.client.GetRange(t.ctx, t.key, off, off+int64(len(p))-1).Result()
	if err != nil {
		return 0, err
	}
	n := copy(p, part)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
