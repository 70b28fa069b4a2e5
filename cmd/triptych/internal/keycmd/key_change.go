package keycmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/transport/keys"
)

func (a commands) keyCreate() command.Command {
	var s keySettings
	var test bool
	return command.Command{
		Name:  "create",
		Short: "make a key and print it, this once",
		Long: "A new key has all rights but server:admin, works from all addresses and does not\n" +
			"expire, unless told otherwise. Without --plan it has the plan of TRIPTYCH_DEFAULT_PLAN, or\n" +
			"that of default-plan in the file of TRIPTYCH_CONFIG, and without both no limits:\n" +
			"the plan enterprise with any number of requests. The rights are\n" + scopeNames(a.app.KeyScopes()) + ".",
		Example: "triptych key create --name build-server --plan team --scopes rulesets:read,aoc:read\n" +
			"triptych key create --expires 90d --allow 10.0.0.0/8,2001:db8::/32\n" +
			"triptych key create --plan enterprise --month 5000000 --minute 2000",
		Flags: func(set *pflag.FlagSet) {
			s.register(set, a.app.KeyScopes())
			set.BoolVar(&test, "test", false, "make a key that begins with kdb_test_")
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			settings, err := s.created(a, s.parts(a.app.Now()))
			if err != nil {
				return keyHint(err)
			}
			kind := keys.Live
			if test {
				kind = keys.Test
			}
			return a.withKeys(ctx, func(store keys.Store) error {
				r, token, err := store.Create(ctx, kind, settings)
				if err != nil {
					return err
				}
				return reveal(a.IO, "created", r, token)
			})
		},
	}
}

// reveal prints a token, the only time that anybody sees it.
func reveal(out *cmdio.IO, done string, r keys.Record, token keys.Token) error {
	tellKey(out, done, r)
	fmt.Fprintln(out.Err, "triptych: keep the key below; it is not shown again")
	return out.Printf("%s\n", token.Reveal())
}

// tellKey says what became of a key.
func tellKey(out *cmdio.IO, done string, r keys.Record) {
	limits := r.Limits()
	fmt.Fprintf(out.Err, "triptych: %s %s: plan %s, %s requests a month, %s a minute; expires %s\n",
		done, r.ID, r.Plan, amount(limits.Month), amount(limits.Minute), expiry(r.Expires))
}

func expiry(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return "at " + t.UTC().Format(time.RFC3339)
}

func (a commands) keyUpdate() command.Command {
	var s keySettings
	return command.Command{
		Name: "update", Args: "ID|NAME", Min: 1, Max: 1,
		Short:   "change what a key may do; what is not named stays",
		Example: "triptych key update key_4f7c2m9xq0 --plan developer --expires never",
		Flags: func(set *pflag.FlagSet) {
			s.register(set, a.app.KeyScopes())
			a.app.KeysFlags(set)
		},
		Complete: a.completeKeys,
		Run: func(ctx context.Context, args []string) error {
			if !s.given(s.parts(a.app.Now())) {
				return cmderr.WithHints(cmderr.UsageErrorf("key update: nothing to change"), "see: triptych key update --help")
			}
			return a.withKeys(ctx, func(store keys.Store) error {
				id, err := keyID(ctx, store, args[0])
				if err != nil {
					return err
				}
				r, err := store.Update(ctx, id, func(settings *keys.Settings) error { return s.apply(settings, s.parts(a.app.Now())) })
				if err != nil {
					return err
				}
				tellKey(a.IO, "updated", r)
				return nil
			})
		},
	}
}

func (a commands) keyRotate() command.Command {
	var grace string
	return command.Command{
		Name: "rotate", Args: "ID|NAME", Min: 1, Max: 1,
		Short:   "replace a key by a new one with the same id and print it, this once",
		Example: "triptych key rotate key_4f7c2m9xq0 --grace 24h",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&grace, "grace", "0s", "let the old key work on for this `time`, such as 24h or 7d")
			a.app.KeysFlags(set)
		},
		Complete: a.completeKeys,
		Run: func(ctx context.Context, args []string) error {
			wait, err := command.ParseSpan(grace)
			if err != nil || wait < 0 {
				return cmderr.UsageErrorf("--grace is %q, want a time such as 24h or 7d", grace)
			}
			return a.withKeys(ctx, func(store keys.Store) error {
				id, err := keyID(ctx, store, args[0])
				if err != nil {
					return err
				}
				r, token, err := store.Rotate(ctx, id, wait)
				if err != nil {
					return err
				}
				return reveal(a.IO, "rotated", r, token)
			})
		},
	}
}

func (a commands) keyRevoke() command.Command {
	return command.Command{
		Name: "revoke", Args: "ID|NAME...", Min: 1, Max: command.AnyNumber,
		Short:    "stop keys for good",
		Flags:    a.app.KeysFlags,
		Complete: a.completeKeys,
		Run: func(ctx context.Context, args []string) error {
			return a.withKeys(ctx, func(store keys.Store) error {
				var errs []error
				for _, id := range args {
					errs = append(errs, revokeOne(ctx, a.IO, store, id))
				}
				return errors.Join(errs...)
			})
		},
	}
}

func revokeOne(ctx context.Context, out *cmdio.IO, store keys.Store, word string) error {
	id, err := keyID(ctx, store, word)
	if err != nil {
		return err
	}
	var copies keys.Confirmation
	if _, err := store.Revoke(keys.WithConfirmation(ctx, &copies), id); err != nil {
		return err
	}
	fmt.Fprintf(out.Err, "triptych: revoked %s%s\n", id, copiesText(copies))
	if !copies.Safe() {
		fmt.Fprintf(out.Err, "triptych: hint: a crash or a failover of the store can undo this; repeat the command until it is confirmed\n")
	}
	return nil
}

// copiesText says which copies of a change there are, as far as that is known.
func copiesText(c keys.Confirmation) string {
	var parts []string
	switch {
	case c.Synced:
		parts = append(parts, "on disk")
	case c.OnDisk:
		parts = append(parts, "not yet on disk")
	}
	if c.Replicas > 0 {
		parts = append(parts, fmt.Sprintf("on %d of %d replicas", c.Confirmed, c.Replicas))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": it is " + strings.Join(parts, " and ")
}
