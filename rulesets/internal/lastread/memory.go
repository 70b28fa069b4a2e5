package lastread

import (
	"container/list"
	"context"
	"sync"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// The default limits of [Memory]: 20,000 reads take about 4 MB.
const (
	maxNames   = 1_000  // of one client
	maxReads   = 20_000 // of one principal
	maxClients = 5_000  // of one principal
)

// Memory is a record in memory. If a client has read too many rulesets, one of them is
// forgotten; if the clients of a principal together have, or are too many, so is the client
// that was active least recently. A client without reads is not kept.
type Memory struct {
	maxNames, maxReads, maxClients int // lower in tests

	mu         sync.Mutex
	principals map[string]*principal
	clients    map[identity]*list.Element // of *client
}

// A principal holds the clients of one account.
type principal struct {
	recent list.List // of *client, the most recently active one first
	reads  int
}

// A client holds the reads of one identity.
type client struct {
	id    identity
	owner string
	revs  map[ruleset.Name]reading
}

// A reading is a revision that a client read.
type reading struct {
	rev  int
	sent int64 // the Unix time at which the server of [Valkey] got it, 0 for never
}

var _ Record = (*Memory)(nil)

// NewMemory returns an empty record.
func NewMemory() *Memory {
	return &Memory{maxNames: maxNames, maxReads: maxReads, maxClients: maxClients, principals: map[string]*principal{}, clients: map[identity]*list.Element{}}
}

// Read implements [Record].
func (m *Memory) Read(_ context.Context, who Reader, name ruleset.Name, rev int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids, n := who.identities()
	for _, id := range ids[:n] {
		m.set(id, who.Principal, name, rev)
	}
	return nil
}

// set records a read of an identity.
func (m *Memory) set(id identity, owner string, name ruleset.Name, rev int) {
	e, known := m.clients[id]
	if !known {
		if rev == 0 {
			return
		}
		e = m.add(id, owner)
	}
	c := e.Value.(*client)
	of := m.principals[c.owner]
	of.recent.MoveToFront(e)
	was, had := c.revs[name]
	switch {
	case was.rev == rev:
		return
	case rev == 0:
		delete(c.revs, name)
		of.reads--
		if len(c.revs) == 0 {
			m.remove(e)
		}
		return
	}
	if !had {
		m.makeRoom(of, c)
		of.reads++
	}
	c.revs[name] = reading{rev: rev}
}

// sent returns when the store got a read of an identity, 0 for never.
func (m *Memory) sent(id identity, name ruleset.Name) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.clients[id]; e != nil {
		return e.Value.(*client).revs[name].sent
	}
	return 0
}

// setSent records that the store got a read, unless there is a later one by now.
func (m *Memory) setSent(id identity, name ruleset.Name, rev int, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.clients[id]
	if e == nil {
		return
	}
	if revs := e.Value.(*client).revs; rev != 0 && revs[name].rev == rev {
		revs[name] = reading{rev, at}
	}
}

// add adds a client.
func (m *Memory) add(id identity, owner string) *list.Element {
	of := m.principals[owner]
	if of == nil {
		of = new(principal)
		m.principals[owner] = of
	}
	e := of.recent.PushFront(&client{id: id, owner: owner, revs: map[ruleset.Name]reading{}})
	m.clients[id] = e
	return e
}

// makeRoom forgets reads, so that a client of a principal can have one more.
func (m *Memory) makeRoom(of *principal, c *client) {
	if len(c.revs) >= m.maxNames {
		for name := range c.revs {
			delete(c.revs, name)
			of.reads--
			break
		}
	}
	for (of.reads >= m.maxReads || of.recent.Len() > m.maxClients) && of.recent.Len() > 1 {
		m.remove(of.recent.Back())
	}
}

// remove forgets a client.
func (m *Memory) remove(e *list.Element) {
	c := e.Value.(*client)
	of := m.principals[c.owner]
	of.recent.Remove(e)
	of.reads -= len(c.revs)
	delete(m.clients, c.id)
	if of.recent.Len() == 0 {
		delete(m.principals, c.owner)
	}
}

// Last implements [Record].
func (m *Memory) Last(_ context.Context, who Reader, name ruleset.Name) (int, error) {
	ids, n := who.identities()
	return m.last(ids[:n], name), nil
}

// last returns the revision of the first identity that has read any.
// The connection goes before the machine even if that has a later one: the later one can be of
// another client of the same program, whose change would be overwritten. A conflict is the
// lesser harm.
func (m *Memory) last(ids []identity, name ruleset.Name) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if e := m.clients[id]; e != nil {
			if rev := e.Value.(*client).revs[name].rev; rev != 0 {
				return rev
			}
		}
	}
	return 0
}

// End implements [Record].
func (m *Memory) End(session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.clients[identity{session: session}]; e != nil {
		m.remove(e)
	}
}

// Close implements [Record].
func (m *Memory) Close() error { return nil }
