package keycmd

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// keySettings are the flags that say what a key may do.
type keySettings struct {
	name     string
	plan     string
	month    int64
	minute   int64
	scopes   []string
	expires  string
	allow    []string
	toolsets []string
	label    string

	known []host.Scope   // that there are
	set   *pflag.FlagSet // tells which of them were given
}

func (s *keySettings) register(set *pflag.FlagSet, known []host.Scope) {
	set.StringVar(&s.name, "name", "", "say whose key it is or what it is for, in a `text` for people")
	set.StringVar(&s.expires, "expires", "", "let it expire at this `time`: 12h or 90d from now, a date, a time, or never\nA date is one such as 2027-01-31, its beginning in UTC; a time one such as 2027-01-31T18:00:00Z.")
	s.registerRights(set, known)
}

// registerRights registers the flags but those of the name and the expiry.
func (s *keySettings) registerRights(set *pflag.FlagSet, known []host.Scope) {
	s.set, s.known = set, known
	set.StringVar(&s.plan, "plan", "", "limit its requests by the plan `"+strings.ReplaceAll(planNames(), ", ", "|")+"`")
	set.Int64Var(&s.month, "month", 0, "allow this `number` of requests a month with the plan enterprise; 0 is any number")
	set.Int64Var(&s.minute, "minute", 0, "allow this `number` of requests a minute with the plan enterprise; 0 is any number")
	set.StringSliceVar(&s.scopes, "scopes", nil, "give it only these rights, a comma-separated `list`")
	command.Offer(set, "scopes", known)
	set.StringSliceVar(&s.toolsets, "toolsets", nil, "give it only the tools of these groups, a comma-separated `list`; all for every tool\nA list is one such as rulesets,debugger/core.")
	set.StringVar(&s.label, "label", "", "let it read the revisions of rulesets that have this `label`; none for those of the server\nA label is one such as production.")
	set.StringSliceVar(&s.allow, "allow", nil, "let it work from these addresses only, a comma-separated `list`; all for everywhere\nA list is one such as 10.0.0.0/8,2001:db8::1.")
}

func planNames() string {
	var names []string
	for _, p := range quota.Plans() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

func scopeNames(scopes []host.Scope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// parts are the flags, and how each changes settings.
func (s *keySettings) parts(now time.Time) []keyPart {
	return append(s.rights(),
		keyPart{"name", func(to *keys.Settings) error { to.Name = s.name; return nil }},
		keyPart{"expires", func(to *keys.Settings) error { return s.applyExpiry(to, now) }},
	)
}

// rights are the flags of registerRights.
func (s *keySettings) rights() []keyPart {
	return []keyPart{
		{"plan", s.applyPlan},
		{"month", func(to *keys.Settings) error { to.Own.Month = s.month; return nil }},
		{"minute", func(to *keys.Settings) error { to.Own.Minute = s.minute; return nil }},
		{"scopes", s.applyScopes},
		{"allow", s.applyAllow},
		{"toolsets", s.applyToolsets},
		{"label", s.applyLabel},
	}
}

type keyPart struct {
	flag  string
	apply func(*keys.Settings) error
}

// given reports whether one of some flags was given.
func (s *keySettings) given(parts []keyPart) bool {
	return slices.ContainsFunc(parts, func(p keyPart) bool { return s.set.Changed(p.flag) })
}

// apply changes what the flags name.
func (s *keySettings) apply(to *keys.Settings, parts []keyPart) error {
	for _, p := range parts {
		if !s.set.Changed(p.flag) {
			continue
		}
		if err := p.apply(to); err != nil {
			return &keys.SettingError{Reason: fmt.Sprintf("--%s: %v", p.flag, err)}
		}
	}
	return nil
}

// created returns the settings of a new key by some flags. Without --plan it has the plan that
// the operator has chosen for all ([app.App.DefaultPlan]).
func (s *keySettings) created(a commands, parts []keyPart) (keys.Settings, error) {
	plan, err := a.app.DefaultPlan("")
	if err != nil {
		return keys.Settings{}, err
	}
	settings := keys.Settings{Plan: plan}
	return settings, s.apply(&settings, parts)
}

// applyPlan takes limits of the key's own away from a plan that has none. A plan
// that has them wants them named, lest there be none by oversight.
func (s *keySettings) applyPlan(to *keys.Settings) (err error) {
	to.Plan, err = quota.ParsePlan(s.plan)
	switch {
	case err != nil:
		return err
	case to.Plan != quota.Enterprise:
		to.Own = quota.Limits{}
	case !s.set.Changed("month") || !s.set.Changed("minute"):
		return fmt.Errorf("%s needs --month and --minute", to.Plan)
	}
	return nil
}

func (s *keySettings) applyScopes(to *keys.Settings) error {
	to.Scopes = []host.Scope{}
	for _, text := range s.scopes {
		scope, err := keys.ParseScope(strings.TrimSpace(text), s.known)
		if err != nil {
			return err
		}
		to.Scopes = append(to.Scopes, scope)
	}
	return nil
}

func (s *keySettings) applyToolsets(to *keys.Settings) error {
	if to.Toolsets = s.toolsets; len(s.toolsets) == 1 && s.toolsets[0] == "all" {
		to.Toolsets = nil
	}
	return nil
}

func (s *keySettings) applyLabel(to *keys.Settings) error {
	if s.label == "none" {
		to.Label = ""
		return nil
	}
	label, err := ruleset.ParseLabel(s.label)
	to.Label = string(label)
	return err
}

func (s *keySettings) applyExpiry(to *keys.Settings, now time.Time) (err error) {
	if to.Expires, err = parseExpiry(s.expires, now); err == nil && !to.Expires.IsZero() && !to.Expires.After(now) {
		err = fmt.Errorf("%s is over", to.Expires.Format(time.RFC3339))
	}
	return err
}

func (s *keySettings) applyAllow(to *keys.Settings) error {
	to.Allow = []netip.Prefix{}
	if len(s.allow) == 1 && s.allow[0] == "all" {
		return nil
	}
	for _, text := range s.allow {
		p, err := keys.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		to.Allow = append(to.Allow, p)
	}
	return nil
}

// parseExpiry reads a time from now, a date or a time; zero is never.
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "never" {
		return time.Time{}, nil
	}
	if span, err := command.ParseSpan(text); err == nil {
		return now.Add(span).UTC(), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 90d, 2027-01-31, 2027-01-31T18:00:00Z or never", text)
}
