package console

import (
	"html/template"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/rulesclient"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// rulesPerPage is the number of rulesets of a page of the list.
const rulesPerPage = 50

// A rulesFilter selects the rulesets of the list. It is in the address.
type rulesFilter struct {
	Text, Tag, Label, Client string
	Due                      bool
}

// rulesFilter reads the query.
func (v *visit) rulesFilter() rulesFilter {
	return rulesFilter{
		Text: cutText(v.query("q")), Tag: cutText(v.query("tag")), Label: cutText(strings.TrimSpace(v.query("label"))),
		Client: cutText(strings.TrimSpace(v.query("client"))), Due: v.query("due") != "",
	}
}

// cutText bounds what is searched for.
func cutText(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxSearched)], "") }

// maxSearched is the number of bytes of a text that is searched for.
const maxSearched = 500

// query returns the filter as a query, with one field changed; "" removes it.
func (f rulesFilter) query(field, value string) template.URL {
	q := url.Values{}
	for name, text := range map[string]string{"q": f.Text, "tag": f.Tag, "label": f.Label, "client": f.Client, "due": map[bool]string{true: "1"}[f.Due], field: value} {
		if text != "" && (name != field || text == value) {
			q.Set(name, text)
		}
	}
	return template.URL("/rules?" + q.Encode()) //nolint:gosec // url.Values.Encode has escaped it
}

// With returns the address of the list with a field of the filter set; templates call it.
func (f rulesFilter) With(field, value string) template.URL { return f.query(field, value) }

// Without returns the address of the list without a field of the filter.
func (f rulesFilter) Without(field string) template.URL { return f.query(field, "") }

// Any reports whether the filter leaves anything out.
func (f rulesFilter) Any() bool { return f != rulesFilter{} }

// A ruleRow is a ruleset in the list.
type ruleRow struct {
	rulesclient.FoundEntry
	rulesets.FoundDetails
	Labelled []labelled
	IsDue    bool
}

// listRules shows the rulesets that fit the query.
func (c *Console) listRules(v *visit) error {
	f := v.rulesFilter()
	search := rulesclient.Search{Text: f.Text, Client: f.Client, Label: f.Label, Due: f.Due, Limit: rulesPerPage}
	if f.Tag != "" {
		search.Tags = []string{f.Tag}
	}
	page, _ := strconv.Atoi(v.query("page"))
	search.Skip = (min(max(page, 1), maxPage) - 1) * rulesPerPage
	found, err := v.rules.Find(v.r.Context(), search)
	if err != nil {
		return err
	}
	p := pagingOf(v, found.Total, rulesPerPage)
	if len(found.Rulesets) == 0 && found.Total > 0 { // the page is beyond the last one
		search.Skip = (p.Page - 1) * rulesPerPage
		if found, err = v.rules.Find(v.r.Context(), search); err != nil {
			return err
		}
	}
	return v.show("rules", "Rules", map[string]any{
		"Filter": f, "Rules": v.ruleRows(found), "Paging": p, "Tags": found.Tags, "MayWrite": v.mayReview(), "Words": wordsOf(f.Text),
		"Chart": rulesOverTime(found.Months, c.cfg.Now()),
	})
}

// maxPage is the highest number of a page that is looked for.
const maxPage = 2000

// ruleRows returns the rows of what was found.
func (v *visit) ruleRows(found rulesclient.Finding) []ruleRow {
	today := v.c.cfg.Now().UTC().Format("2006-01-02")
	rows := make([]ruleRow, len(found.Rulesets))
	for i := range rows {
		d := found.Details[i]
		rows[i] = ruleRow{FoundEntry: found.Rulesets[i], FoundDetails: d, IsDue: d.ReviewAfter != "" && d.ReviewAfter < today}
		for label, rev := range d.Labels {
			rows[i].Labelled = append(rows[i].Labelled, labelled{ruleset.Label(label), rev})
		}
		slices.SortFunc(rows[i].Labelled, func(a, b labelled) int { return strings.Compare(string(a.Label), string(b.Label)) })
	}
	return rows
}

// wordsOf returns an expression that finds the words of a search, nil without any.
func wordsOf(text string) *regexp.Regexp {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;:\"'()_", r) })
	if len(words) == 0 {
		return nil
	}
	for i, word := range words {
		words[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile("(?i)" + strings.Join(words, "|")) // QuoteMeta has escaped it
}

// A part is a part of a text: a word that was searched for, or what is between.
type part struct {
	Text   string
	Marked bool
}

// marked parts a text at the words that were searched for.
func marked(words *regexp.Regexp, text string) []part {
	if words == nil {
		return []part{{Text: text}}
	}
	var parts []part
	from := 0
	for _, at := range words.FindAllStringIndex(text, maxMarks) {
		parts = append(parts, part{Text: text[from:at[0]]}, part{text[at[0]:at[1]], true})
		from = at[1]
	}
	return append(parts, part{Text: text[from:]})
}

// maxMarks is the number of words that are marked in one text.
const maxMarks = 50
