package console

import (
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// auditTime bounds the reading of the trail for one page, and auditRows the records
// that it shows.
const (
	auditTime = 20 * time.Second
	auditRows = 200
)

// A search holds the records that were found in the trail.
type search struct {
	Records []audit.Record // newest first
	Total   int            // that match, shown or not
	Broken  int            // lines that cannot be read
	Stopped bool           // before the end of the trail, for want of time
}

// search returns the newest records that match.
func (c *Console) search(ctx context.Context, f audit.Filter, match func(*audit.Record) bool, most int) search {
	ctx, stop := context.WithTimeout(ctx, auditTime)
	defer stop()
	return c.searchIn(ctx, f, match, most)
}

// searchIn is search within the time that the context has.
func (c *Console) searchIn(ctx context.Context, f audit.Filter, match func(*audit.Record) bool, most int) search {
	var found search
	for r, err := range c.cfg.Trail.Query(ctx, f) {
		switch {
		case err != nil:
			if _, broken := errors.AsType[*audit.BreakError](err); !broken {
				found.Stopped = true
				continue
			}
			found.Broken++
		case match == nil || match(&r):
			found.Total++
			found.Records = append(found.Records, r)
			if len(found.Records) >= 2*most {
				found.Records = slices.Delete(found.Records, 0, len(found.Records)-most)
			}
		}
	}
	found.Records = found.Records[max(0, len(found.Records)-most):]
	slices.Reverse(found.Records)
	return found
}

// An auditForm holds the fields of the search form.
type auditForm struct {
	Key, Session, Text, From, To, Outcome string
	Mine                                  bool // the visitor may see their own records only

	ids []string // of the keys with the name in Key
}

// auditForm reads the query. Without [AdminScope] a visitor sees what their own key
// has done.
func (v *visit) auditForm() (auditForm, audit.Filter, error) {
	f := auditForm{
		Key: v.query("key"), Session: v.query("session"), Text: v.query("text"),
		From: v.query("from"), To: v.query("to"), Outcome: v.query("outcome"), Mine: !v.may(AdminScope),
	}
	filter := audit.Filter{Session: f.Session}
	var errs [3]error
	if f.Mine {
		filter.Key = v.caller.Principal.ID
	} else {
		f.ids, errs[2] = v.keyIDs(f.Key)
	}
	filter.From, errs[0] = dateOf(f.From)
	filter.To, errs[1] = dateOf(f.To)
	if !filter.To.IsZero() {
		filter.To = filter.To.AddDate(0, 0, 1) // the day is included
	}
	return f, filter, errors.Join(errs[:]...)
}

// dateOf reads a date in UTC; an empty text is the zero time.
func dateOf(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return at, failed(http.StatusBadRequest, "%q is no date such as 2027-01-31.", text)
	}
	return at, nil
}

// matches reports whether a record has what the form searches for beyond the filter.
func (f auditForm) matches(r *audit.Record) bool {
	if f.Outcome != "" && string(r.Outcome) != f.Outcome || len(f.ids) > 0 && !slices.Contains(f.ids, r.Key) {
		return false
	}
	if f.Text == "" {
		return true
	}
	text := strings.ToLower(f.Text)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	if slices.ContainsFunc([]string{r.Key, r.Addr, r.Method, r.Target, r.Reason, string(r.Outcome)}, has) {
		return true
	}
	for _, value := range r.Details {
		if has(value) {
			return true
		}
	}
	return false
}

// showAudit shows the newest records that match the query.
func (c *Console) showAudit(v *visit) error {
	f, filter, err := v.auditForm()
	if err != nil {
		return err
	}
	rest := v.r.URL.Query()
	days := map[string]*dayCount{}
	found := c.search(v.r.Context(), filter, func(r *audit.Record) bool {
		if !f.matches(r) {
			return false
		}
		day := r.Time.UTC().Format(time.DateOnly)
		if days[day] == nil {
			days[day] = &dayCount{}
		}
		days[day].add(r)
		return true
	}, auditRows)
	return v.show("audit", "Audit trail", map[string]any{
		"Form": f, "Found": found, "Records": v.named(found.Records), "MayVerify": !f.Mine, "Chart": byDay(days),
		"Query": template.URL(rest.Encode()), //nolint:gosec // url.Values.Encode has escaped it
	})
}

// verifyTime bounds the verification of the trail.
const verifyTime = 2 * time.Minute

// exportTime bounds an export. One that takes longer is for the command line.
const exportTime = 2 * time.Minute

// verifyAudit checks the chains of the trail.
func (c *Console) verifyAudit(v *visit) error {
	report, err := c.cfg.Trail.Verify(v.r.Context())
	if err != nil {
		return err
	}
	return v.show("verify", "Verification of the audit trail", map[string]any{"Report": report, "Broken": report.Err()})
}

// exportAudit serves the records that match the query as lines of JSON.
func (c *Console) exportAudit(v *visit) error {
	f, filter, err := v.auditForm()
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/jsonl")
	v.w.Header().Set("Content-Disposition", `attachment; filename="audit.jsonl"`)
	lines := json.NewEncoder(v.w)
	for r, err := range c.cfg.Trail.Query(v.r.Context(), filter) {
		if _, broken := errors.AsType[*audit.BreakError](err); broken {
			continue // the page counts them
		}
		if err != nil {
			c.cfg.Logger.Warn("an export of the audit trail was cut off", "err", err)
			panic(http.ErrAbortHandler) // the client must not take it for all
		}
		if !f.matches(&r) {
			continue
		}
		if lines.Encode(c.cfg.Exported(r)) != nil {
			return nil // the client has disconnected
		}
	}
	return nil
}
