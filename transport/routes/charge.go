package routes

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
	"github.com/triptych-mcp/triptych/transport/internal/intake"
)

// charge reads the form of a request and takes what the request costs. It reports false when
// it has answered. release gives back what is held; it is never nil.
func (t *Table) charge(row *Route, w http.ResponseWriter, r *http.Request, caller *host.Caller) (release func(), ok bool) {
	var held []func()
	release = func() {
		for _, give := range slices.Backward(held) {
			give()
		}
	}
	if row.isRead() {
		hold := t.bodyHold(r, caller)
		held = append(held, hold.Release)
		if !t.readBody(row, w, r, caller, hold) {
			return release, false
		}
	}
	cost := row.Cost
	if cost.If != nil && !cost.If(r.PostForm) {
		return release, true
	}
	if cost.Alone {
		if reason, status := t.alone.enter(caller.Principal.ID); reason != "" {
			w.Header().Set("Retry-After", "1")
			t.refuse(row, w, r, caller, status, reason)
			return release, false
		}
		held = append(held, func() { t.alone.leave(caller.Principal.ID) })
	}
	if cost.Memory > 0 {
		hold := t.cfg.Answers(caller.Principal.ID)
		held = append(held, hold.Release)
		if err := hold.Take(cost.Memory); err != nil {
			t.overBudget(row, w, r, caller, err)
			return release, false
		}
	}
	return release, cost.Calls == 0 || row.Callers.Charge(w, r, caller, cost.Calls)
}

// bodyHold returns the memory for the form of a caller; nil is one that is not known yet.
func (t *Table) bodyHold(r *http.Request, caller *host.Caller) *budget.Hold {
	if caller != nil {
		return t.cfg.Bodies(caller.Principal.ID)
	}
	return t.unknown.Hold(network(r.RemoteAddr))
}

// network returns the IPv4 address or the IPv6 /64 of an address with a port.
func network(remote string) string {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return ""
	}
	addr := from.Addr().Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	prefix, _ := addr.Prefix(64) // an IPv6 address has one
	return prefix.String()
}

// maxFields bounds the fields of a form: each takes memory besides its text.
const maxFields = 1000

// mediaTypes lists the media types of the bodies that the table reads.
var mediaTypes = map[Body]string{Form: "application/x-www-form-urlencoded", JSON: "application/json"}

// readBody reads the body of a request: a form into r.PostForm and r.Form, JSON for r.Body to be
// read again. It reports false when it has answered. The memory of the decoded text is taken,
// too.
func (t *Table) readBody(row *Route, w http.ResponseWriter, r *http.Request, caller *host.Caller, hold *budget.Hold) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != mediaTypes[row.Body] || r.Header.Get("Content-Encoding") != "" {
		w.Header().Set("Connection", "close")
		t.refuse(row, w, r, caller, http.StatusUnsupportedMediaType, "the form must be sent as "+mediaTypes[row.Body])
		return false
	}
	text, err := intake.Limits{Max: row.MaxBody, Grace: grace, Rate: t.cfg.BodyRate}.Read(w, r, hold)
	if err == nil {
		err = hold.Take(int64(len(text)))
	}
	if err != nil {
		w.Header().Set("Connection", "close") // the rest is not read
		t.refuseForm(row, w, r, caller, err)
		return false
	}
	if row.Body == JSON {
		r.Body = io.NopCloser(bytes.NewReader(text))
		return true
	}
	r.Body = http.NoBody
	var form url.Values
	if strings.Count(string(text), "&") >= maxFields {
		err = errors.New("it has more than " + strconv.Itoa(maxFields) + " fields")
	} else {
		form, err = url.ParseQuery(string(text))
	}
	if err != nil {
		t.refuse(row, w, r, caller, http.StatusBadRequest, "The form cannot be read: "+err.Error()+".")
		return false
	}
	r.PostForm, r.Form = form, form // so that nothing reads the body again
	return true
}

// refuseForm refuses a form that could not be read to its end.
func (t *Table) refuseForm(row *Route, w http.ResponseWriter, r *http.Request, caller *host.Caller, err error) {
	switch {
	case errors.Is(err, intake.ErrTooLarge):
		t.refuse(row, w, r, caller, http.StatusRequestEntityTooLarge, "the form may have "+strconv.FormatInt(row.MaxBody, 10)+" bytes at most")
	case errors.Is(err, intake.ErrTooSlow):
		t.refuse(row, w, r, caller, http.StatusRequestTimeout, "the form must arrive with "+strconv.FormatInt(t.cfg.BodyRate, 10)+" bytes a second")
	case errors.Is(err, intake.ErrCutOff):
		t.refuse(row, w, r, caller, http.StatusBadRequest, "the form could not be read to its end")
	default:
		t.overBudget(row, w, r, caller, err)
	}
}

// overBudget refuses what a budget has no room for: a caller's own with 429, that of all
// with 503.
func (t *Table) overBudget(row *Route, w http.ResponseWriter, r *http.Request, caller *host.Caller, err error) {
	w.Header().Set("Retry-After", "1")
	if errors.Is(err, budget.ErrOwner) {
		t.refuse(row, w, r, caller, http.StatusTooManyRequests, "too much memory is taken by requests that you have open; try again when they are answered")
		return
	}
	t.refuse(row, w, r, caller, http.StatusServiceUnavailable, "the server has no memory for it now; try again in a moment")
}

// maxAlone bounds the requests of all callers to routes with [Cost.Alone] at one time.
const maxAlone = 16

// An alone counts who has a request that is to be alone.
type alone struct {
	mu sync.Mutex
	of map[string]bool
}

// enter counts a caller in, or returns why not and the status.
func (a *alone) enter(caller string) (reason string, status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.of[caller]:
		return "your key has such a request open already; try again when it is answered", http.StatusTooManyRequests
	case len(a.of) >= maxAlone:
		return "the server has as many such requests as it can take; try again in a moment", http.StatusServiceUnavailable
	case a.of == nil:
		a.of = map[string]bool{}
	}
	a.of[caller] = true
	return "", 0
}

// leave counts a caller out.
func (a *alone) leave(caller string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.of, caller)
}
