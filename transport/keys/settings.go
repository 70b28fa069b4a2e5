package keys

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// The most that a record holds. The lists are searched on each request.
const (
	maxName     = 100 // characters
	maxScopes   = 100
	maxToolsets = 100
	maxAllow    = 1000
)

// ParseScope parses the name of one of the scopes in all. The error is a [*SettingError] that
// lists them.
func ParseScope(text string, all []host.Scope) (host.Scope, error) {
	if slices.Contains(all, host.Scope(text)) {
		return host.Scope(text), nil
	}
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return "", &SettingError{fmt.Sprintf("unknown scope %q; there are %s", text, strings.Join(words, ", "))}
}

// ParsePrefix parses addresses: a range such as 10.0.0.0/8, or one address, which is the range
// of that one. Bits that do not count are cleared. The error is a [*SettingError].
func ParsePrefix(text string) (netip.Prefix, error) {
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, &SettingError{fmt.Sprintf("%q is neither an address nor a range such as 10.0.0.0/8", text)}
	}
	return plainPrefix(p), nil
}

// plainPrefix returns a range without the bits that do not count; IPv4 addresses that are
// written as IPv6 become IPv4, as those of callers do.
func plainPrefix(p netip.Prefix) netip.Prefix {
	const mapped = 96 // bits before an IPv4 address inside an IPv6 one
	if p.Addr().Is4In6() && p.Bits() >= mapped {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p.Masked()
}

// filled returns the settings with the defaults of a new key: all scopes and the plan Free. An
// empty list of scopes that is not nil stays: a key without rights.
func (s Settings) filled(all []host.Scope) Settings {
	if s.Scopes == nil {
		s.Scopes = all
	}
	if s.Plan == "" {
		s.Plan = quota.Free
	}
	return s.plain()
}

// plain returns the settings as they are stored and compared: sorted, each value once, with
// slices of their own.
func (s Settings) plain() Settings {
	s.Scopes = append([]host.Scope{}, s.Scopes...) // never null in JSON
	slices.Sort(s.Scopes)
	s.Scopes = slices.Compact(s.Scopes)
	s.Allow = slices.Clone(s.Allow)
	for i, p := range s.Allow {
		s.Allow[i] = plainPrefix(p)
	}
	s.Toolsets = slices.Clone(s.Toolsets)
	slices.Sort(s.Toolsets)
	s.Toolsets = slices.Compact(s.Toolsets)
	s.Expires = stored(s.Expires)
	return s
}

// stored returns a time as it is stored: UTC, whole milliseconds, and so equal to itself after
// a round trip through JSON.
func stored(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// scopeForm matches every scope. A record may hold scopes that this
// version does not know. It is compiled when it is first asked for: only servers
// of many read keys.
var scopeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9_]{0,30}:[a-z]{1,30}$`)
})

// toolsetForm matches every toolset, with or without its family.
var toolsetForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,30}(/[a-z][a-z0-9_-]{0,30})?$`)
})

// check returns what is wrong with settings, nil if nothing is. It does not ask whether a
// scope or toolset exists: another version of the server may know it.
func (s *Settings) check() error {
	switch {
	case !isName(s.Name):
		return &SettingError{fmt.Sprintf("a name has at most %d printable characters", maxName)}
	case s.Scopes == nil:
		return &SettingError{"the scopes are not listed"}
	case len(s.Scopes) > maxScopes:
		return &SettingError{fmt.Sprintf("a key has at most %d scopes", maxScopes)}
	case len(s.Toolsets) > maxToolsets:
		return &SettingError{fmt.Sprintf("a key has at most %d toolsets", maxToolsets)}
	case len(s.Allow) > maxAllow:
		return &SettingError{fmt.Sprintf("a key has at most %d address ranges", maxAllow)}
	}
	return s.checkParts()
}

// checkParts checks each scope, toolset and range, and that plan and limits fit each other.
func (s *Settings) checkParts() error {
	for _, scope := range s.Scopes {
		if !scopeForm().MatchString(string(scope)) {
			return &SettingError{fmt.Sprintf("%q is no scope", scope)}
		}
	}
	for _, set := range s.Toolsets {
		if !toolsetForm().MatchString(set) {
			return &SettingError{fmt.Sprintf("%q is no toolset", set)}
		}
	}
	for _, p := range s.Allow {
		if !p.IsValid() {
			return &SettingError{"an address range is not valid"}
		}
	}
	if !slices.Contains(quota.Plans(), s.Plan) {
		return &SettingError{fmt.Sprintf("%q is no plan of a key", s.Plan)}
	}
	if err := s.Plan.CheckOwn(s.Own); err != nil {
		return &SettingError{err.Error()}
	}
	return nil
}

// isName reports whether a text can be a name: at most maxName printable characters.
// The empty name is one.
func isName(text string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= maxName && strings.IndexFunc(text, unprintable) < 0
}
