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
	// maxSessions bounds the sessions of all principals, and maxSessionsEach those of
	// one; the one used longest ago makes room.
	maxSessions     = 1000
	maxSessionsEach = 20
	// maxRequests bounds the requests of a session in a minute: a person needs a few.
	maxRequests = 300
)

// A session lasts from signing in to signing out.
type session struct {
	principal string
	key       string // sent to the endpoint as a bearer token
	csrf      string // that forms of the session carry
	began     time.Time
	used      time.Time
	minute    time.Time // in which requests are counted
	count     int
	done      string // what a form has done, until a page has shown it
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

// begin returns the value of the cookie of a new session of a principal.
func (all *sessions) begin(principal, key string) string {
	id, now := rand.Text()+rand.Text(), all.now()
	all.mu.Lock()
	defer all.mu.Unlock()
	all.makeRoomLocked(maxSessionsEach, func(s *session) bool { return s.principal == principal })
	all.makeRoomLocked(maxSessions, func(*session) bool { return true })
	all.by[sha256.Sum256([]byte(id))] = &session{principal: principal, key: key, csrf: rand.Text() + rand.Text(), began: now, used: now}
	return id
}

// makeRoomLocked removes the session of a group that was used longest ago, if the group
// has as many as it may have.
func (all *sessions) makeRoomLocked(most int, inGroup func(*session) bool) {
	var oldest [sha256.Size]byte
	var used time.Time
	n := 0
	for id, s := range all.by {
		if !inGroup(s) {
			continue
		}
		if n++; n == 1 || s.used.Before(used) {
			oldest, used = id, s.used
		}
	}
	if n >= most {
		delete(all.by, oldest)
	}
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

// setDone stores what a form of a session has done.
func (all *sessions) setDone(id, text string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.by[sha256.Sum256([]byte(id))]; s != nil {
		s.done = text
	}
}

// takeDone returns what a form of a session has done, once.
func (all *sessions) takeDone(id string) (text string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s := all.by[sha256.Sum256([]byte(id))]; s != nil {
		text, s.done = s.done, ""
	}
	return text
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
	principal string
	key       string
	expires   time.Time
}

// linkTime is the time for which a link works, and maxLinks the number of links that
// wait to be opened. Of one principal wait maxLinksEach; its oldest one makes room.
const (
	linkTime     = 5 * time.Minute
	maxLinks     = 100
	maxLinksEach = 5
)

func (l *links) init(now func() time.Time) { l.now, l.by = now, map[[sha256.Size]byte]link{} }

// add returns the code of a new link for a principal, "" if too many wait.
func (l *links) add(principal, key string) string {
	code, now := rand.Text(), l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trimLocked(principal, now)
	if len(l.by) >= maxLinks {
		return ""
	}
	l.by[sha256.Sum256([]byte(code))] = link{principal: principal, key: key, expires: now.Add(linkTime)}
	return code
}

// trimLocked removes the links that have expired, and the oldest one of a principal with
// as many as it may have.
func (l *links) trimLocked(principal string, now time.Time) {
	var oldest [sha256.Size]byte
	var expires time.Time
	n := 0
	for hash, one := range l.by {
		if now.After(one.expires) {
			delete(l.by, hash)
		} else if one.principal == principal {
			if n++; n == 1 || one.expires.Before(expires) {
				oldest, expires = hash, one.expires
			}
		}
	}
	if n >= maxLinksEach {
		delete(l.by, oldest)
	}
}

// owner returns the principal whose key a code signs in with, "" if it does not work any more.
func (l *links) owner(code string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.by[sha256.Sum256([]byte(code))]
	if l.now().After(one.expires) {
		return ""
	}
	return one.principal
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

// Link returns the path of a link that signs a principal in with its key, once and within
// five minutes; "" if too many links have not been opened.
func (c *Console) Link(principal, key string) string {
	code := c.links.add(principal, key)
	if code == "" {
		return ""
	}
	return "/signin?code=" + code
}
