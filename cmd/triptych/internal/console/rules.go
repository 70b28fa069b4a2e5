package console

import (
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// ruleStatus returns the HTTP status for an error of the endpoint's client.
func ruleStatus(err error) int {
	if _, ok := errors.AsType[*ruleset.NotFoundError](err); ok {
		return http.StatusNotFound
	}
	if _, ok := errors.AsType[*ruleset.NoProposalError](err); ok {
		return http.StatusNotFound
	}
	if _, ok := errors.AsType[*ruleset.ConflictError](err); ok {
		return http.StatusConflict
	}
	if _, ok := errors.AsType[*ruleset.InvalidNameError](err); ok {
		return http.StatusBadRequest
	}
	if _, ok := errors.AsType[*rulesclient.ToolError](err); ok {
		return http.StatusUnprocessableEntity
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return rpcStatus(e.Code)
	}
	return http.StatusInternalServerError
}

// rpcStatus returns the HTTP status for an error of the protocol.
func rpcStatus(code jsonrpc.Code) int {
	switch code {
	case host.CodeQuotaModern, host.CodeQuotaExceeded:
		return http.StatusTooManyRequests
	case host.CodePermissionDenied:
		return http.StatusForbidden
	case jsonrpc.CodeInvalidParams:
		return http.StatusUnprocessableEntity
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusInternalServerError
}

// perPage is the number of rows of a page of a list.
const perPage = 100

// A paging is the place of a page in a list.
type paging struct {
	Page, Pages, Total int
	Query              template.URL // the rest of the query, with a & behind it
}

// Previous and Next return the numbers of the pages beside it, 0 for none.
func (p paging) Previous() int { return p.Page - 1 }

// Next returns the number of the page after it, 0 for none.
func (p paging) Next() int {
	if p.Page >= p.Pages {
		return 0
	}
	return p.Page + 1
}

// cut returns the page of a list that the query names.
func cut[T any](v *visit, all []T) ([]T, paging) {
	p := pagingOf(v, len(all), perPage)
	return all[(p.Page-1)*perPage : min(p.Page*perPage, len(all))], p
}

// pagingOf returns the place of the page that the query names in a list of so many rows.
func pagingOf(v *visit, total, each int) paging {
	p := paging{Total: total, Pages: max(1, (total+each-1)/each)}
	p.Page, _ = strconv.Atoi(v.query("page"))
	p.Page = min(max(p.Page, 1), p.Pages)
	rest := v.r.URL.Query()
	rest.Del("page")
	if text := rest.Encode(); text != "" {
		p.Query = template.URL(text + "&") //nolint:gosec // url.Values.Encode has escaped it
	}
	return p
}

// name returns the ruleset that the path names.
func (v *visit) name() (ruleset.Name, error) { return ruleset.ParseName(v.r.PathValue("name")) }

// A labelled is a label and its revision.
type labelled struct {
	Label ruleset.Label
	Rev   int
}

// labelsOf returns the labels after moves, in order.
func labelsOf(moves []ruleset.LabelMove) []labelled {
	var all []labelled
	for label, rev := range ruleset.Labels(moves) {
		all = append(all, labelled{label, rev})
	}
	slices.SortFunc(all, func(a, b labelled) int { return strings.Compare(string(a.Label), string(b.Label)) })
	return all
}

// showRule shows a ruleset with its history and labels, also a deleted one.
func (c *Console) showRule(v *visit) error {
	name, err := v.name()
	if err != nil {
		return err
	}
	history, err := v.rules.History(v.r.Context(), name)
	if err != nil {
		return err
	}
	moves, err := v.rules.LabelMoves(v.r.Context(), name)
	if err != nil {
		return err
	}
	have, err := v.whoHas(name)
	if err != nil {
		return err
	}
	proposals, err := v.proposalsFor(name)
	if err != nil {
		return err
	}
	page := map[string]any{
		"Name": name, "Have": have, "Proposals": proposals, "MayPropose": v.mayReview(), "History": history, "Labels": labelsOf(moves), "Moves": moves, "Deleted": len(history) > 0 && history[0].Deleted,
		"MayWrite": v.may(writeRules),
	}
	if len(history) == 0 || !history[0].Deleted {
		r, err := v.rules.Get(v.r.Context(), name)
		if err != nil {
			return err
		}
		page["Place"] = v.placeOf(r)
		page["Rule"], page["Text"], page["Findings"] = r, c.rendered(v.r.Context(), r.Markdown), lint.Ruleset(r)
	}
	return v.show("rule", string(name), page)
}

// showRevision shows a ruleset as it was at a revision.
func (c *Console) showRevision(v *visit) error {
	name, err := v.name()
	if err != nil {
		return err
	}
	rev, err := strconv.Atoi(v.r.PathValue("rev"))
	if err != nil {
		return failed(http.StatusBadRequest, "%q is no number of a revision.", v.r.PathValue("rev"))
	}
	r, err := v.rules.GetRevision(v.r.Context(), name, rev)
	if err != nil {
		return err
	}
	return v.show("revision", string(name)+", revision "+strconv.Itoa(rev), map[string]any{"Rule": r, "Text": asItIs(r.Markdown, ""), "Rev": rev, "MayWrite": v.may(writeRules)})
}

// showDiff shows what changed between two revisions.
func (c *Console) showDiff(v *visit) error {
	name, err := v.name()
	if err != nil {
		return err
	}
	from, fromErr := strconv.Atoi(v.query("from"))
	to, toErr := strconv.Atoi(v.query("to"))
	if err := errors.Join(fromErr, toErr); err != nil {
		return failed(http.StatusBadRequest, "Choose two revisions to compare.")
	}
	if from > to {
		from, to = to, from
	}
	diff, err := v.rules.Compare(v.r.Context(), name, from, to)
	if err != nil {
		return err
	}
	return v.show("diff", string(name)+": what changed", diff)
}

// lintRules shows the findings in all rulesets.
func (c *Console) lintRules(v *visit) error {
	metas, err := v.rules.List(v.r.Context())
	if err != nil {
		return err
	}
	if len(metas) > maxLinted {
		return failed(http.StatusUnprocessableEntity, "There are %d rulesets, more than a page checks: run triptych rulesets lint.", len(metas))
	}
	var all []ruleset.Ruleset
	size := 0
	for _, m := range metas {
		r, err := v.rules.Get(v.r.Context(), m.Name)
		if _, gone := errors.AsType[*ruleset.NotFoundError](err); gone {
			continue // it was deleted since
		} else if err != nil {
			return err
		}
		if size += len(r.Markdown) + len(r.Extra); size > maxLintedBytes {
			return failed(http.StatusUnprocessableEntity, "The rulesets have more than %d MiB of text, more than a page checks: run triptych rulesets lint.", maxLintedBytes>>20)
		}
		all = append(all, r)
	}
	findings := lint.All(all, lint.Options{})
	shown, paging := cut(v, findings)
	return v.show("lint", "Findings", map[string]any{"Findings": shown, "Paging": paging, "Rules": len(all)})
}

// The bounds of the rulesets that a page reads to check them: how many, and the bytes of
// their texts.
const (
	maxLinted      = 500
	maxLintedBytes = 8 << 20
)

// showBehind shows which project or client has an old revision.
func (c *Console) showBehind(v *visit) error {
	all := v.query("all") != ""
	standings, err := v.rules.Consumers(v.r.Context(), "", !all)
	if err != nil {
		return err
	}
	slices.SortFunc(standings, func(a, b consumers.Standing) int { return b.Seen.Compare(a.Seen) })
	shown, paging := cut(v, standings)
	return v.show("behind", "Who is behind", map[string]any{"Standings": shown, "Paging": paging, "All": all, "Chart": behindChart(standings)})
}
