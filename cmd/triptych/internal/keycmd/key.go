package keycmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// KeyCommand returns the row of triptych key.
func KeyCommand(a *app.App) command.Command { return newCommands(a).keyCommand() }

func (a commands) keyCommand() command.Command {
	return command.Command{
		Name:  "key",
		Short: "make and manage the keys that callers of serve show",
		Long: "A key is shown once, when it is made or rotated: on standard output, and nothing\n" +
			"else is. It is kept as a hash. A running server sees every change at once.",
		Sub: []command.Command{a.keyCreate(), a.keyInvite(), a.keyList(), a.keyShow(), a.keyUpdate(), a.keyRotate(), a.keyRevoke(), a.keyDisconnect(), a.keyFirst()},
	}
}

// A keyJSON is a key for programs. It holds no secret.
type keyJSON struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Kind     keys.Kind      `json:"kind"`
	Begins   string         `json:"begins"` // the token's beginning
	State    string         `json:"state"`
	Plan     quota.Plan     `json:"plan"`
	Month    *int64         `json:"requests_per_month"` // null is any number
	Minute   *int64         `json:"requests_per_minute"`
	Scopes   []host.Scope   `json:"scopes"`
	Allow    []netip.Prefix `json:"allow"`              // none is everywhere
	Toolsets []string       `json:"toolsets,omitempty"` // none is all tools
	Label    string         `json:"label,omitempty"`    // of the rulesets that it reads
	Created  time.Time      `json:"created"`
	Expires  time.Time      `json:"expires,omitzero"`
	Rotated  time.Time      `json:"rotated,omitzero"`
	OldUntil time.Time      `json:"old_until,omitzero"` // the key before it works until then
	Revoked  time.Time      `json:"revoked,omitzero"`
	Clients  []clientJSON   `json:"clients,omitempty"` // that use the key by a login
	Invited  *invitedJSON   `json:"invitation,omitempty"`
}

// An invitedJSON is an invitation that waits to be used, for programs.
type invitedJSON struct {
	ID      string    `json:"id"`
	For     string    `json:"for,omitzero"`
	Created time.Time `json:"created"`
	Until   time.Time `json:"until"`
}

// A clientJSON is a client that uses a key, for programs.
type clientJSON struct {
	ID       string    `json:"id"`
	Name     string    `json:"name,omitzero"`
	Client   string    `json:"client_id"`
	Resource string    `json:"resource"`
	Created  time.Time `json:"created"`
	Used     time.Time `json:"token_made"` // when it got its last token
}

func (a commands) keyJSON(r keys.Record) keyJSON {
	limits := r.Limits()
	return keyJSON{
		ID: r.ID, Name: r.Name, Kind: r.Kind, Begins: r.Hint, State: a.keyState(r),
		Plan: r.Plan, Month: limit(limits.Month), Minute: limit(limits.Minute),
		Scopes: r.Scopes, Allow: append([]netip.Prefix{}, r.Allow...), Toolsets: r.Toolsets, Label: r.Label,
		Created: r.Created, Expires: r.Expires, Rotated: r.Rotated, OldUntil: r.PreviousUntil, Revoked: r.Revoked,
		Clients: a.clientsJSON(r), Invited: a.invitedJSON(&r),
	}
}

// invitedJSON returns the invitation of a key, nil if there is none that works.
func (a commands) invitedJSON(r *keys.Record) *invitedJSON {
	g := r.Invitation(a.app.Now())
	if g == nil {
		return nil
	}
	return &invitedJSON{ID: g.ID, For: g.Name, Created: g.Created, Until: g.Until}
}

// clientsJSON returns the clients that can use a key now.
func (a commands) clientsJSON(r keys.Record) (all []clientJSON) {
	for i := range r.Grants {
		if g := &r.Grants[i]; !g.IsInvitation() && !g.Inactive(a.app.Now()) {
			all = append(all, clientJSON{ID: g.ID, Name: g.Name, Client: g.Client, Resource: g.Resource, Created: g.Created, Used: g.Used})
		}
	}
	return all
}

// limit is a limit for programs: nil for none.
func limit(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// keyState returns active, revoked or expired. It does not regard the addresses that a
// key is limited to.
func (a commands) keyState(r keys.Record) string {
	r.Allow = nil
	switch err := r.Check(a.app.Now(), netip.Addr{}); {
	case errors.Is(err, keys.ErrRevoked):
		return "revoked"
	case errors.Is(err, keys.ErrExpired):
		return "expired"
	}
	return "active"
}

func (a commands) keyList() command.Command {
	var asJSON bool
	var limit int
	var after string
	return command.Command{
		Name: "list", Short: "list all keys, oldest first",
		Long: "With --limit the list ends after so many keys; --after and the id of the last one\n" +
			"list the next.",
		Flags: func(set *pflag.FlagSet) {
			set.IntVar(&limit, "limit", 0, "list at most this `number` of keys; 0 is all")
			set.StringVar(&after, "after", "", "list the keys after the one with this `id`")
			command.JSONFlag(set, &asJSON)
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			if limit < 0 {
				return cmderr.UsageErrorf("--limit is %d, want 0 or more", limit)
			}
			return a.withKeys(ctx, func(store keys.Store) error {
				records, err := keysAfter(ctx, store, after, limit)
				if err != nil {
					return err
				}
				if err := a.printKeys(records, asJSON); err != nil {
					return err
				}
				if limit > 0 && len(records) == limit {
					fmt.Fprintf(a.Err, "triptych: --after %s lists the next\n", records[limit-1].ID)
				}
				return nil
			})
		},
	}
}

// keysAfter returns the keys after one, all if limit is 0.
func keysAfter(ctx context.Context, store keys.Store, after string, limit int) ([]keys.Record, error) {
	if after == "" && limit == 0 {
		return store.List(ctx)
	}
	if limit == 0 {
		limit = math.MaxInt
	}
	return store.Page(ctx, after, limit)
}

func (a commands) printKeys(records []keys.Record, asJSON bool) error {
	if asJSON {
		all := make([]keyJSON, len(records))
		for i, r := range records {
			all[i] = a.keyJSON(r)
		}
		return a.PrintJSON(all)
	}
	if len(records) == 0 {
		fmt.Fprintln(a.Err, "triptych: no keys; triptych key create makes the first")
		return nil
	}
	rows := [][]string{{"ID", "BEGINS", "STATE", "PLAN", "EXPIRES", "NAME"}}
	for _, r := range records {
		rows = append(rows, []string{r.ID, r.Hint, a.keyState(r), r.Plan.Title(), moment(r.Expires), r.Name})
	}
	return a.PrintTable(rows)
}

// moment is a time for people.
func moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04")
}

func (a commands) keyShow() command.Command {
	var asJSON bool
	return command.Command{
		Name: "show", Args: "ID|NAME", Min: 1, Max: 1,
		Short: "print what is kept of a key",
		Flags: func(set *pflag.FlagSet) {
			command.JSONFlag(set, &asJSON)
			a.app.KeysFlags(set)
		},
		Complete: a.completeKeys,
		Run: func(ctx context.Context, args []string) error {
			return a.withKeys(ctx, func(store keys.Store) error {
				id, err := keyID(ctx, store, args[0])
				if err != nil {
					return err
				}
				r, err := store.Get(ctx, id)
				switch {
				case err != nil:
					return err
				case asJSON:
					return a.PrintJSON(a.keyJSON(r))
				}
				return a.PrintTable(a.keyRows(r))
			})
		},
	}
}

// keyRows are the lines that show a key.
func (a commands) keyRows(r keys.Record) [][]string {
	limits := r.Limits()
	rows := [][]string{
		{"Id:", r.ID},
		{"Name:", r.Name},
		{"Begins:", r.Hint},
		{"State:", a.keyState(r)},
		{"Plan:", fmt.Sprintf("%s, %s requests a month, %s a minute", r.Plan.Title(), amount(limits.Month), amount(limits.Minute))},
		{"Scopes:", side("none", r.Scopes)},
		{"Addresses:", side("all", r.Allow)},
		{"Toolsets:", side("all", r.Toolsets)},
		{"Label:", cmp.Or(r.Label, "that of the server")},
		{"Created:", moment(r.Created)},
		{"Rotated:", moment(r.Rotated)},
		{"Expires:", moment(r.Expires)},
	}
	if r.PreviousUntil.After(a.app.Now()) {
		rows = append(rows, []string{"Old key until:", moment(r.PreviousUntil)})
	}
	if !r.Revoked.IsZero() {
		rows = append(rows, []string{"Revoked:", moment(r.Revoked)})
	}
	if i := a.invitedJSON(&r); i != nil {
		rows = append(rows, []string{"Invitation:", fmt.Sprintf("%s for %s, until %s", i.ID, cmp.Or(i.For, "any program"), moment(i.Until))})
	}
	for _, c := range a.clientsJSON(r) {
		rows = append(rows, []string{"Client:", fmt.Sprintf("%s %s, since %s, last token %s", c.ID, plain.Line(cmp.Or(c.Name, c.Client)), moment(c.Created), moment(c.Used))})
	}
	return rows
}

func amount(limit int64) string {
	if limit == 0 {
		return "any number of"
	}
	return strconv.FormatInt(limit, 10)
}

// side is values side by side, or what no values mean.
func side[T any](none string, values []T) string {
	if len(values) == 0 {
		return none
	}
	return strings.Trim(fmt.Sprint(values), "[]")
}

// maxCompleted limits the ids that a shell is offered.
const maxCompleted = 200

// completeKeys offers the ids of keys.
func (a commands) completeKeys(ctx context.Context, before []string) []string {
	var ids []string
	_ = a.withKeys(ctx, func(store keys.Store) error { // completion stays silent
		records, err := store.Page(ctx, "", maxCompleted)
		for _, r := range records {
			if !slices.Contains(before, r.ID) {
				ids = append(ids, r.ID+"\t"+plain.Line(r.Name))
			}
		}
		return err
	})
	return ids
}
