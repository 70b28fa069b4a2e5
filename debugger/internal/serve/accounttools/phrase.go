package accounttools

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// methodPhrases describe successful requests that call no tool; the rows of
// the tools have those of calls. A part in braces is omitted unless the record
// has the details named in it; key is the id of the caller's key.
var methodPhrases = map[string]string{
	"initialize":  "Session started{ - user: $key}",
	"session/end": "Session ended",
}

// describe describes a record in a few words.
func (t *Group) describe(r *AuditRecord) string {
	what := r.Method
	if r.Target != "" {
		what = r.Target
	}
	if r.Details["task"] != "" {
		return what + " goes on as a task"
	}
	switch r.Outcome {
	case "ok", "":
		if phrase := cmp.Or(t.Phrases[what], methodPhrases[what]); phrase != "" {
			return fill(phrase, r)
		}
		return done(r)
	case "refused":
		return what + " refused" + why(r)
	}
	return what + " failed" + why(r)
}

// done describes a successful request that has no phrase.
func done(r *AuditRecord) string {
	switch {
	case r.Target == "":
		return r.Method
	case r.Method == "tools/call":
		return r.Target + " called"
	}
	return r.Method + " " + r.Target
}

// why returns the code and the reason of a record, as far as it has them.
func why(r *AuditRecord) string {
	var parts []string
	if r.Code != 0 {
		parts = append(parts, fmt.Sprint(r.Code))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	if len(parts) == 0 {
		return ""
	}
	return " - " + strings.Join(parts, ": ")
}

var (
	optional = regexp.MustCompile(`\{[^}]*\}`)
	detail   = regexp.MustCompile(`\$[a-z_]+`)
)

// fill replaces the variables of a phrase by details of a record.
func fill(phrase string, r *AuditRecord) string {
	return optional.ReplaceAllStringFunc(phrase, func(part string) string {
		missing := false
		part = detail.ReplaceAllStringFunc(part[1:len(part)-1], func(name string) string {
			value := r.detail(name[1:])
			missing = missing || value == ""
			return value
		})
		if missing {
			return ""
		}
		return part
	})
}

func (r *AuditRecord) detail(name string) string {
	if name == "key" {
		return r.Key
	}
	return r.Details[name]
}
