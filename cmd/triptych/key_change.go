package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/transport/keys"
)

func (a *app) keyCreate() command {
	var s keySettings
	var test bool
	return command{
		name:  "create",
		short: "make a key and print it, this once",
		long: "A new key has all rights, works from all addresses and does not expire, unless\n" +
			"told otherwise. Without --plan it has the plan of TRIPTYCH_DEFAULT_PLAN, and\n" +
			"without that no limits: the plan enterprise with any number of requests.",
		example: "triptych key create --name build-server --plan team --scopes rulesets:read,aoc:read\n" +
			"triptych key create --expires 90d --allow 10.0.0.0/8,2001:db8::/32\n" +
			"triptych key create --plan enterprise --month 5000000 --minute 2000",
		flags: func(set *pflag.FlagSet) {
			s.register(set, a.keyScopes())
			set.BoolVar(&test, "test", false, "make a key that begins with kdb_test_")
			a.keysFlags(set)
		},
		run: func(ctx context.Context, _ []string) error {
			settings, err := s.created(a)
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
				return a.reveal("created", r, token)
			})
		},
	}
}

// reveal prints a token, the only time that anybody sees it.
func (a *app) reveal(done string, r keys.Record, token keys.Token) error {
	a.tellKey(done, r)
	fmt.Fprintln(a.err, "triptych: keep the key below; it is not shown again")
	return a.printf("%s\n", token.Reveal())
}

// tellKey says what became of a key.
func (a *app) tellKey(done string, r keys.Record) {
	limits := r.Limits()
	fmt.Fprintf(a.err, "triptych: %s %s: plan %s, %s requests a month, %s a minute; expires %s\n",
		done, r.ID, r.Plan, amount(limits.Month), amount(limits.Minute), expiry(r.Expires))
}

func expiry(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return "at " + t.UTC().Format(time.RFC3339)
}

func (a *app) keyUpdate() command {
	var s keySettings
	return command{
		name: "update", args: "ID|NAME", min: 1, max: 1,
		short:   "change what a key may do; what is not named stays",
		example: "triptych key update key_4f7c2m9xq0 --plan developer --expires never",
		flags: func(set *pflag.FlagSet) {
			s.register(set, a.keyScopes())
			a.keysFlags(set)
		},
		complete: a.completeKeys,
		run: func(ctx context.Context, args []string) error {
			if !s.any() {
				return hinted(misused("key update: nothing to change"), "see: triptych key update --help")
			}
			return a.withKeys(ctx, func(store keys.Store) error {
				id, err := keyID(ctx, store, args[0])
				if err != nil {
					return err
				}
				r, err := store.Update(ctx, id, func(settings *keys.Settings) error { return s.apply(settings, a.now()) })
				if err != nil {
					return err
				}
				a.tellKey("updated", r)
				return nil
			})
		},
	}
}

func (a *app) keyRotate() command {
	var grace string
	return command{
		name: "rotate", args: "ID|NAME", min: 1, max: 1,
		short:   "replace a key by a new one with the same id and print it, this once",
		example: "triptych key rotate key_4f7c2m9xq0 --grace 24h",
		flags: func(set *pflag.FlagSet) {
			set.StringVar(&grace, "grace", "0s", "let the old key work on for this `time`, such as 24h or 7d")
			a.keysFlags(set)
		},
		complete: a.completeKeys,
		run: func(ctx context.Context, args []string) error {
			wait, err := parseSpan(grace)
			if err != nil || wait < 0 {
				return misused("--grace is %q, want a time such as 24h or 7d", grace)
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
				return a.reveal("rotated", r, token)
			})
		},
	}
}

func (a *app) keyRevoke() command {
	return command{
		name: "revoke", args: "ID|NAME...", min: 1, max: many,
		short:    "stop keys for good",
		flags:    a.keysFlags,
		complete: a.completeKeys,
		run: func(ctx context.Context, args []string) error {
			return a.withKeys(ctx, func(store keys.Store) error {
				var errs []error
				for _, id := range args {
					errs = append(errs, a.revokeOne(ctx, store, id))
				}
				return errors.Join(errs...)
			})
		},
	}
}

func (a *app) revokeOne(ctx context.Context, store keys.Store, word string) error {
	id, err := keyID(ctx, store, word)
	if err != nil {
		return err
	}
	var copies keys.Confirmation
	if _, err := store.Revoke(keys.WithConfirmation(ctx, &copies), id); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "triptych: revoked %s%s\n", id, copiesText(copies))
	if !copies.Safe() {
		fmt.Fprintf(a.err, "triptych: hint: a crash or a failover of the store can undo this; repeat the command until it is confirmed\n")
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
