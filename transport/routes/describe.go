package routes

import (
	"fmt"
	"strings"
)

// Describe returns the rows as a table in Markdown.
func Describe(rows []Route) string {
	var b strings.Builder
	b.WriteString("| route | needs | body | time | takes |\n| --- | --- | --- | --- | --- |\n")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.Pattern(), r.needs(), r.body(), r.time(), r.takes())
	}
	return b.String()
}

func (r *Route) needs() string {
	switch {
	case r.Body == Own:
		return "a key"
	case r.Callers == nil:
		return "nothing"
	case r.Scope == "":
		return "a key"
	}
	return "`" + string(r.Scope) + "`"
}

func (r *Route) body() string {
	switch r.Body {
	case Own:
		return "`--max-body`"
	case Form:
		return fmt.Sprintf("form, %d KiB", r.MaxBody>>10)
	case JSON:
		return fmt.Sprintf("JSON, %d KiB", r.MaxBody>>10)
	}
	return "none"
}

func (r *Route) time() string {
	if r.Body == Own {
		return "60s a request"
	}
	return r.Time.String()
}

func (r *Route) takes() string {
	if r.Body == Own {
		return "as the request says"
	}
	var parts []string
	if r.Cost.Calls > 0 {
		parts = append(parts, "a call")
	}
	if r.Cost.Alone {
		parts = append(parts, "one at a time")
	}
	if r.Cost.Memory > 0 {
		parts = append(parts, fmt.Sprintf("%d MiB", r.Cost.Memory>>20))
	}
	text := strings.Join(parts, ", ")
	if r.Cost.If != nil {
		return "some forms: " + text
	}
	return text
}
