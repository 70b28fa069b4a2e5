package console

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"sync"
	"time"
)

// The life of sessions.
const (
	idleTime    = 30 * time.Minute // without a request
	longestTime = 12 * time.Hour
	maxSessions = 1000 // the one used longest ago makes room
	// maxRequests bounds the requests of a session in a minute: a person needs a few.
	maxRequests = 300
)

// A session lasts from signing in to signing out.
type session struct {
	key    string // sent to the endpoint as a bearer token
	csrf   string // that forms of the session carry
	began  time.Time
	used   time.Time
	minute time.Time // in which requests are counted
	count  int
}

// sessions holds the sessions of all visitors by the hash of their cookie's value, which
// opens nothing.
type sessions struct {
	now func() time.Time

	mu sync.Mutex
	by map[[sha256.Size]byte]*session
}

func (all *sessions) init(now func() time.Time) {
	all.now, all.by = now, map[[sha256.Size]byte]*session{}
}

// begin returns the value of the cookie of a new session.
func (all *sessions) begin(key string) string {
	id, now := rand.Text()+rand.Text(), all.now()
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.by) >= maxSessions {
		all.makeRoomLocked()
	}
	all.by[sha256.Sum256([]byte(id))] = &session{key: key, csrf: rand.Text() + rand.Text(), began: now, used: now}
	return id
}

// makeRoomLocked removes the session that was used longest ago.
func (all *sessions) makeRoomLocked() {
	var oldest [sha256.Size]byte
	var used time.Time
	for id, s := range all.by {
		if used.IsZero() || s.used.Before(used) {
			oldest, used = id, s.used
		}
	}
	delete(all.by, oldest)
}

// find returns a copy of the session of a cookie and whether it has requests left in
// this minute; ok is false if there is no such session any more.
func (all *sessions) find(id string) (s session, allowed, ok bool) {
	name, now := sha256.Sum256([]byte(id)), all.now()
	all.mu.Lock()
	defer all.mu.Unlock()
	found := all.by[name]
	if found == nil {
		return session{}, false, false
	}
	if now.Sub(found.used) > idleTime || now.Sub(found.began) > longestTime {
		delete(all.by, name)
		return session{}, false, false
	}
	if minute := now.Truncate(time.Minute); !minute.Equal(found.minute) {
		found.minute, found.count = minute, 0
	}
	found.used = now
	found.count++
	return *found, found.count <= maxRequests, true
}

// end removes the session of a cookie.
func (all *sessions) end(id string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.by, sha256.Sum256([]byte(id)))
}

// same compares two secrets in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// cookieName is the name of the session's cookie. The prefix makes browsers refuse it
// from other hosts and without TLS (RFC 6265bis, section 4.1.3.2).
func (c *Console) cookieName() string {
	if c.cfg.Secure {
		return "__Host-triptych"
	}
	return "triptych"
}

// setCookie sets the cookie of a session, or removes it if id is "".
func (c *Console) setCookie(w http.ResponseWriter, id string) {
	cookie := &http.Cookie{
		Name: c.cookieName(), Value: id, Path: "/", HttpOnly: true, Secure: c.cfg.Secure, SameSite: http.SameSiteStrictMode,
	}
	if id == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

// links are codes that sign in once.
type links struct {
	now func() time.Time

	mu sync.Mutex
	by map[[sha256.Size]byte]link
}

// A link stands for a key until it expires.
type link struct {
	key     string
	expires time.Time
}

// linkTime is the time for which a link works, and maxLinks the number of links that
// wait to be opened.
const (
	linkTime = 5 * time.Minute
	maxLinks = 100
)

func (l *links) init(now func() time.Time) { l.now, l.by = now, map[[sha256.Size]byte]link{} }

// add returns the code of a new link, "" if too many wait.
func (l *links) add(key string) string {
	code, now := rand.Text(), l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for hash, one := range l.by {
		if now.After(one.expires) {
			delete(l.by, hash)
		}
	}
	if len(l.by) >= maxLinks {
		return ""
	}
	l.by[sha256.Sum256([]byte(code))] = link{key: key, expires: now.Add(linkTime)}
	return code
}

// spend returns the key of a code, which does not work again; "" if it does not work.
func (l *links) spend(code string) (key string) {
	hash := sha256.Sum256([]byte(code))
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.by[hash]
	delete(l.by, hash)
	if l.now().After(one.expires) {
		return ""
	}
	return one.key
}

// Link returns the path of a link that signs in with a key, once and within five
// minutes; "" if too many links have not been opened.
func (c *Console) Link(key string) string {
	code := c.links.add(key)
	if code == "" {
		return ""
	}
	return "/signin?code=" + code
}
