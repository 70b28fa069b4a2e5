package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// A keyRow is a key as pages show it.
type keyRow struct {
	keys.Record
	State string
	Used  time.Time // zero if not since the server started
	Usage *quota.Usage
}

// rowOf returns what pages show of a key.
func (c *Console) rowOf(ctx context.Context, r keys.Record) keyRow {
	row := keyRow{Record: r, State: "active"}
	switch {
	case !r.Revoked.IsZero():
		row.State = "revoked"
	case r.Inactive(c.cfg.Now()):
		row.State = "expired"
	}
	if c.cfg.LastUse != nil {
		row.Used = c.cfg.LastUse(r.ID)
	}
	if c.cfg.Meter != nil {
		if usage, err := c.cfg.Meter.Peek(ctx, r.ID, r.Limits(), c.cfg.Now()); err == nil {
			row.Usage = &usage
		}
	}
	return row
}

// isExpiring reports whether a key works, and stops within [expiresSoon].
func isExpiring(r keys.Record, now time.Time) bool {
	return !r.Expires.IsZero() && !r.Inactive(now) && r.Expires.Sub(now) < expiresSoon
}

// percent returns the share of a window that is used, 0 to 100.
func percent(w quota.Window) int64 {
	if w.Unlimited() {
		return 0
	}
	return min(100, 100*w.Used/w.Limit)
}

// keyForm is the data of the form of a key.
type keyForm struct {
	Scopes  []host.Scope
	Plans   []quota.Plan
	Current keys.Settings
	New     bool
	Error   string
}

// Has reports whether the form has a scope chosen; a new key has those of families.
func (f keyForm) Has(scope host.Scope) bool {
	if f.New {
		return scope != AdminScope
	}
	return slices.Contains(f.Current.Scopes, scope)
}

// Allow returns the addresses as the form shows them.
func (f keyForm) Allow() string {
	texts := make([]string, len(f.Current.Allow))
	for i, p := range f.Current.Allow {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// LastDay returns the last day on which the key works, as the form has it.
func (f keyForm) LastDay() string {
	return f.Current.Expires.Add(-time.Nanosecond).UTC().Format(time.DateOnly)
}

func (c *Console) keyForm(of keys.Settings, isNew bool) keyForm {
	return keyForm{Scopes: c.cfg.Scopes, Plans: quota.Plans(), Current: of, New: isNew}
}

// listKeys shows all keys, newest first, and the form of a new one.
func (c *Console) listKeys(v *visit) error { return c.keysPage(v, http.StatusOK, "") }

func (c *Console) keysPage(v *visit, status int, problem string) error {
	records, err := c.cfg.Keys(v.caller).List(v.r.Context())
	if err != nil {
		return err
	}
	slices.Reverse(records)
	expiring := v.query("state") == "expiring"
	if expiring {
		records = slices.DeleteFunc(records, func(r keys.Record) bool { return !isExpiring(r, c.cfg.Now()) })
	}
	shown, paging := cut(v, records)
	rows := make([]keyRow, len(shown))
	for i, r := range shown {
		rows[i] = c.rowOf(v.r.Context(), r)
	}
	own, err := v.own()
	if err != nil {
		return err
	}
	form := c.keyForm(keys.Settings{Plan: cmp.Or(c.cfg.Plan, quota.Enterprise), Expires: own.Expires, Allow: own.Allow}, true)
	form.Error = problem
	return v.showStatus(status, "keys", "Keys", map[string]any{"Keys": rows, "Paging": paging, "Form": form, "Expiring": expiring})
}

// createKey makes a key and shows it, this once.
func (c *Console) createKey(v *visit) error {
	settings := keys.Settings{Toolsets: v.caller.Principal.Toolsets} // no form has them
	err := c.readKeyForm(v, &settings)
	if err == nil {
		record, token, made := c.cfg.Keys(v.caller).Create(v.r.Context(), keys.Live, settings)
		if made == nil {
			return v.show("token", "The new key", map[string]any{"Key": record, "Token": token.Reveal()})
		}
		err = made
	}
	if !isSetting(err) {
		return err
	}
	return c.keysPage(v, http.StatusUnprocessableEntity, err.Error())
}

// isSetting reports whether an error is about what a form says.
func isSetting(err error) bool {
	_, ok := errors.AsType[*keys.SettingError](err)
	return ok
}

// readKeyForm changes settings to those of the form. A visitor can give away no more than
// their own key has.
func (c *Console) readKeyForm(v *visit, to *keys.Settings) error {
	f := v.r.PostForm
	to.Name = strings.TrimSpace(f.Get("name"))
	to.Label = strings.TrimSpace(f.Get("label"))
	to.Scopes = []host.Scope{}
	for _, text := range f["scope"] {
		scope, err := keys.ParseScope(text, c.cfg.Scopes)
		if err != nil {
			return &keys.SettingError{Reason: err.Error()}
		}
		if !v.may(scope) {
			return &keys.SettingError{Reason: "your own key does not have the scope " + text}
		}
		to.Scopes = append(to.Scopes, scope)
	}
	var err error
	if to.Plan, err = quota.ParsePlan(f.Get("plan")); err != nil {
		return &keys.SettingError{Reason: err.Error()}
	}
	to.Own = quota.Limits{}
	if to.Plan == quota.Enterprise {
		if to.Own.Month, err = number(f.Get("month")); err != nil {
			return err
		}
		if to.Own.Minute, err = number(f.Get("minute")); err != nil {
			return err
		}
	}
	if to.Expires, err = c.expiry(f.Get("expires")); err != nil {
		return err
	}
	if to.Allow, err = prefixes(f.Get("allow")); err != nil {
		return err
	}
	own, err := v.own()
	if err != nil {
		return err
	}
	if f.Get("expires") == (keyForm{Current: own}).LastDay() {
		to.Expires = own.Expires // the form has the day only
	}
	if err := to.Within(&own); err != nil {
		return &keys.SettingError{Reason: "Your own key has fewer rights: " + err.Error()}
	}
	return nil
}

// number reads a limit; an empty text is 0, which is none.
func number(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, &keys.SettingError{Reason: strconv.Quote(text) + " is no number of requests"}
	}
	return n, nil
}

// expiry reads a date, whose end in UTC it returns; an empty text is never.
func (c *Console) expiry(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, &keys.SettingError{Reason: strconv.Quote(text) + " is no date such as 2027-01-31"}
	}
	at = at.AddDate(0, 0, 1)
	if !at.After(c.cfg.Now()) {
		return at, &keys.SettingError{Reason: text + " is over"}
	}
	return at, nil
}

// prefixes reads addresses, which commas part.
func prefixes(text string) ([]netip.Prefix, error) {
	all := []netip.Prefix{}
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		p, err := keys.ParsePrefix(one)
		if err != nil {
			return nil, &keys.SettingError{Reason: err.Error()}
		}
		all = append(all, p)
	}
	return all, nil
}

// recentRecords is the number of records that the page of a key shows, and
// recentTime how far back it looks for them.
const (
	recentRecords = 20
	recentTime    = 30 * 24 * time.Hour
)

// showKey shows a key, what it may do and what it did.
func (c *Console) showKey(v *visit) error {
	r, err := c.cfg.Keys(v.caller).Get(v.r.Context(), v.r.PathValue("id"))
	if err != nil {
		return noKey(err)
	}
	page := map[string]any{"Key": c.rowOf(v.r.Context(), r), "Form": c.keyForm(r.Settings, false), "Now": c.cfg.Now()}
	if c.cfg.Trail != nil {
		found := c.search(v.r.Context(), audit.Filter{Key: r.ID, From: c.cfg.Now().Add(-recentTime)}, nil, recentRecords)
		page["Recent"] = v.named(found.Records)
	}
	return v.show("key", "Key "+r.ID, page)
}

// noKey returns an error with the status of a key that does not exist.
func noKey(err error) error {
	if _, ok := errors.AsType[*keys.NotFoundError](err); ok {
		return failed(http.StatusNotFound, "%v", err)
	}
	if errors.Is(err, keys.ErrRevoked) {
		return failed(http.StatusConflict, "%v", err)
	}
	if isSetting(err) {
		return failed(http.StatusUnprocessableEntity, "%v", err)
	}
	return err
}

// updateKey changes the settings of a key that has no more rights than the visitor.
func (c *Console) updateKey(v *visit) error {
	wanted := keys.Settings{Toolsets: v.caller.Principal.Toolsets} // until those of the key are known
	if err := c.readKeyForm(v, &wanted); err != nil {
		return noKey(err)
	}
	id := v.r.PathValue("id")
	_, err := c.cfg.Keys(v.caller).Update(v.r.Context(), id, func(s *keys.Settings) error {
		if err := v.mayHandle(s); err != nil {
			return err
		}
		wanted.Toolsets = s.Toolsets // no form has them
		if !s.Expires.IsZero() && v.field("expires") == (keyForm{Current: *s}).LastDay() {
			wanted.Expires = s.Expires // the form has the day only
		}
		*s = wanted
		return nil
	})
	if err != nil {
		return noKey(err)
	}
	return v.done("/keys/"+id, "Saved.")
}

// rotateKey gives a key a new token and shows it, this once.
func (c *Console) rotateKey(v *visit) error {
	grace, err := time.ParseDuration(v.field("grace"))
	if err != nil || grace < 0 {
		return failed(http.StatusUnprocessableEntity, "Choose how long the old key works on.")
	}
	if err := v.outranks(v.r.PathValue("id")); err != nil {
		return err
	}
	r, token, err := c.cfg.Keys(v.caller).Rotate(v.r.Context(), v.r.PathValue("id"), grace)
	if err != nil {
		return noKey(err)
	}
	return v.show("token", "The new key", map[string]any{"Key": r, "Token": token.Reveal(), "Grace": grace.String()})
}

// outranks returns an error if a key has more rights than the visitor's: who sees its new
// token has its rights.
func (v *visit) outranks(id string) error {
	r, err := v.c.cfg.Keys(v.caller).Get(v.r.Context(), id)
	if err != nil {
		return noKey(err)
	}
	return v.mayHandle(&r.Settings)
}

// mayHandle returns an error if settings allow more than the visitor's own key.
func (v *visit) mayHandle(s *keys.Settings) error {
	own, err := v.own()
	if err != nil {
		return err
	}
	if err := s.Within(&own); err != nil {
		return failed(http.StatusForbidden, "The key has more rights than yours: %v.", err)
	}
	return nil
}

// own returns the settings of the visitor's own key, or what is known of an access token. The
// user of the process has no limits.
func (v *visit) own() (keys.Settings, error) {
	p := v.caller.Principal
	r, err := v.c.cfg.Keys(v.caller).Get(v.r.Context(), p.ID)
	if _, missing := errors.AsType[*keys.NotFoundError](err); missing {
		standing, _ := bearer.StandingOf(p)
		return keys.SettingsOf(p, standing.Limits, standing.Expires), nil
	}
	return r.Settings, err
}

// revokeKey stops a key for good.
func (c *Console) revokeKey(v *visit) error {
	id := v.r.PathValue("id")
	if err := v.outranks(id); err != nil {
		return err
	}
	if _, err := c.cfg.Keys(v.caller).Revoke(v.r.Context(), id); err != nil {
		return noKey(err)
	}
	return v.done("/keys/"+id, "Revoked. Its sessions end within seconds.")
}
