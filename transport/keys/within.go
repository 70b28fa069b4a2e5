package keys

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// Within returns nil if a key with these settings can do no more than one with the settings
// own, else a [*SettingError] with the first thing that it could: a scope, a toolset, more
// requests, a longer life, or use from further addresses. Scopes and toolsets that are nil are
// all there are.
func (s *Settings) Within(own *Settings) error {
	for _, scope := range s.Scopes {
		if own.Scopes != nil && !slices.Contains(own.Scopes, scope) {
			return outside("it has the scope %s, which yours does not have", scope)
		}
	}
	if s.Scopes == nil && own.Scopes != nil {
		return outside("it has all scopes, and yours does not have them")
	}
	if err := toolsetsWithin(s.Toolsets, own.Toolsets); err != nil {
		return err
	}
	limits, most := s.Limits(), own.Limits()
	for _, window := range []struct {
		name       string
		has, bound int64
	}{{"month", limits.Month, most.Month}, {"minute", limits.Minute, most.Minute}} {
		if window.bound != 0 && (window.has == 0 || window.has > window.bound) {
			return outside("it may make %s requests a %s, and yours %d", unlimited(window.has), window.name, max(window.bound, 0))
		}
	}
	if !own.Expires.IsZero() && (s.Expires.IsZero() || s.Expires.After(own.Expires)) {
		return outside("it works longer than yours, which expires %s", own.Expires.UTC().Format(time.DateTime))
	}
	return addressesWithin(s.Allow, own.Allow)
}

// outside returns the error of [Settings.Within].
func outside(format string, args ...any) error { return &SettingError{fmt.Sprintf(format, args...)} }

// unlimited writes a limit for people.
func unlimited(n int64) string {
	if n == 0 {
		return "unlimited"
	}
	return fmt.Sprint(n)
}

// toolsetsWithin returns an error unless toolsets are among own; an empty list is all of them.
func toolsetsWithin(sets, own []string) error {
	switch {
	case len(own) == 0:
		return nil
	case len(sets) == 0:
		return outside("it has all toolsets, and yours does not have them")
	}
	for _, set := range sets {
		if !hasToolset(own, set) {
			return outside("it has the toolset %s, which yours does not have", set)
		}
	}
	return nil
}

// hasToolset reports whether toolsets have another one: by its name, or, where that is
// "family/toolset", by either part.
func hasToolset(own []string, set string) bool {
	family, name, whole := strings.Cut(set, "/")
	return slices.Contains(own, set) || whole && (slices.Contains(own, family) || slices.Contains(own, name))
}

// addressesWithin returns an error unless every range lies in one of own; an empty list is all
// addresses.
func addressesWithin(ranges, own []netip.Prefix) error {
	switch {
	case len(own) == 0:
		return nil
	case len(ranges) == 0:
		return outside("it works from all addresses, and yours does not")
	}
	for _, p := range ranges {
		if !slices.ContainsFunc(own, func(o netip.Prefix) bool { return o.Bits() <= p.Bits() && o.Contains(p.Addr()) }) {
			return outside("it works from %s, and yours does not", p)
		}
	}
	return nil
}

// SettingsOf returns settings with the rights of a principal that has no record, such as that
// of an access token.
func SettingsOf(p host.Principal, limits quota.Limits, expires time.Time) Settings {
	return Settings{Scopes: p.Scopes, Toolsets: p.Toolsets, Plan: quota.Enterprise, Own: limits, Expires: expires}
}
