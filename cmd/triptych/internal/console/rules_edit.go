package console

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A draft is the content of the form of a ruleset.
type draft struct {
	New         bool
	Name        string
	Description string
	Tags        string
	Extra       string
	Markdown    string
	Message     string
	Rev         int // that was edited; 0 for a new ruleset

	MaySave bool // else only propose

	// Of a preview, or of a change that was refused:
	Error    string
	Preview  *shownText
	Diff     string
	Findings []lint.Finding
}

// draftOf reads the form.
func draftOf(r *http.Request) draft {
	rev, _ := strconv.Atoi(r.PostForm.Get("rev")) // without one, the store refuses nothing
	newLines := strings.NewReplacer("\r\n", "\n") // forms have CRLF (HTML, section 4.10.21.4)
	return draft{
		Name: r.PostForm.Get("name"), Description: r.PostForm.Get("description"), Tags: r.PostForm.Get("tags"), Rev: rev,
		Extra: newLines.Replace(r.PostForm.Get("extra")), Markdown: newLines.Replace(r.PostForm.Get("markdown")),
		Message: strings.TrimSpace(r.PostForm.Get("message")),
	}
}

// tags returns the tags, which commas part.
func (d *draft) tags() []string {
	tags := []string{}
	for tag := range strings.SplitSeq(d.Tags, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// ruleset returns the ruleset that the draft would be.
func (d *draft) ruleset() ruleset.Ruleset {
	return ruleset.Ruleset{
		Meta:     ruleset.Meta{Name: ruleset.Name(d.Name), Description: d.Description, Tags: d.tags()},
		Markdown: d.Markdown, Extra: d.Extra, Rev: d.Rev,
	}
}

// preview fills in how a draft would look and what it would change.
func (v *visit) preview(d *draft, before ruleset.Ruleset) {
	after, text := d.ruleset(), v.c.rendered(v.r.Context(), d.Markdown)
	d.Preview, d.Findings = &text, lint.Ruleset(after)
	d.Diff = rulesets.Diff(
		ruleset.Revision{Number: before.Rev, Content: before, Deleted: before.Rev == 0}, ruleset.Revision{Number: before.Rev + 1, Content: after}, nil)
}

// newRule shows an empty form.
func (c *Console) newRule(v *visit) error {
	if err := v.mayPropose(); err != nil {
		return err
	}
	return v.form(http.StatusOK, draft{New: true})
}

// form shows the form of a ruleset.
func (v *visit) form(status int, d draft) error {
	title := "Edit " + d.Name
	if d.New {
		title = "New ruleset"
	}
	d.MaySave = v.may(writeRules)
	return v.showStatus(status, "edit", title, d)
}

// createRule creates a ruleset, or shows how it would look.
func (c *Console) createRule(v *visit) error {
	if err := v.mayPropose(); err != nil {
		return err
	}
	d := draftOf(v.r)
	d.New = true
	switch v.verb() {
	case "preview":
		v.preview(&d, ruleset.Ruleset{})
		return v.form(http.StatusOK, d)
	case "propose":
		return v.proposeDraft(d)
	}
	name, err := ruleset.ParseName(d.Name)
	if err == nil {
		_, err = v.rules.Create(v.r.Context(), ruleset.Draft{
			Name: name, Description: d.Description, Tags: d.tags(), Markdown: d.Markdown, Extra: d.Extra, By: ruleset.By{Message: d.Message},
		})
	}
	if err != nil {
		d.Error = err.Error()
		return v.form(statusOf(err), d)
	}
	return v.done("/rules/"+d.Name, "Created %s.", d.Name)
}

// editRule shows the form with a ruleset.
func (c *Console) editRule(v *visit) error {
	if err := v.mayPropose(); err != nil {
		return err
	}
	name, err := v.name()
	if err != nil {
		return err
	}
	r, err := v.rules.Get(v.r.Context(), name)
	if err != nil {
		return err
	}
	if size := len(r.Markdown) + len(r.Extra); size > maxEditable {
		return failed(http.StatusUnprocessableEntity, "%s has %d KiB, more than can be edited here: run triptych rulesets edit %s.", name, size>>10, name)
	}
	return v.form(http.StatusOK, draft{
		Name: string(r.Name), Description: r.Description, Tags: strings.Join(r.Tags, ", "), Extra: r.Extra, Markdown: r.Markdown, Rev: r.Rev,
	})
}

// saveRule changes a ruleset if it is still at the revision that was edited, or shows
// what the change would be.
func (c *Console) saveRule(v *visit) error {
	if err := v.mayPropose(); err != nil {
		return err
	}
	name, err := v.name()
	if err != nil {
		return err
	}
	d := draftOf(v.r)
	d.Name = string(name)
	switch v.verb() {
	case "propose":
		return v.proposeDraft(d)
	case "preview":
		before, err := v.rules.Get(v.r.Context(), name)
		if err != nil {
			return err
		}
		v.preview(&d, before)
		return v.form(http.StatusOK, d)
	}
	tags := d.tags()
	rev, err := v.rules.Update(v.r.Context(), name, ruleset.Patch{
		Description: &d.Description, Tags: &tags, Markdown: &d.Markdown, Extra: &d.Extra, IfRev: d.Rev, By: ruleset.By{Message: d.Message},
	})
	if conflict, ok := errors.AsType[*ruleset.ConflictError](err); ok {
		v.preview(&d, conflict.Current)
		d.Error = "Somebody else has changed the ruleset: it is at revision " + strconv.Itoa(conflict.Current.Rev) +
			" now, and you edited revision " + strconv.Itoa(d.Rev) + ". Below is what your text would change. Save again to replace theirs."
		d.Rev = conflict.Current.Rev
		return v.form(http.StatusConflict, d)
	}
	if err != nil {
		d.Error = err.Error()
		return v.form(statusOf(err), d)
	}
	return v.done("/rules/"+d.Name, "Saved revision %d.", rev)
}

// restoreRule gives a ruleset the content of a revision again.
func (c *Console) restoreRule(v *visit) error {
	name, err := v.name()
	if err != nil {
		return err
	}
	rev, err := strconv.Atoi(v.field("rev"))
	if err != nil {
		return failed(http.StatusBadRequest, "Choose a revision.")
	}
	made, err := v.rules.Restore(v.r.Context(), name, rev, ruleset.By{Message: v.field("message")})
	if err != nil {
		return err
	}
	return v.done("/rules/"+string(name), "Restored revision %d as revision %d.", rev, made)
}

// labelRule moves or removes a label, or proposes to.
func (c *Console) labelRule(v *visit) error {
	if err := v.mayPropose(); err != nil {
		return err
	}
	name, err := v.name()
	if err != nil {
		return err
	}
	label, err := ruleset.ParseLabel(strings.TrimSpace(v.field("label")))
	if err != nil {
		return failed(http.StatusUnprocessableEntity, "%v", err)
	}
	move := ruleset.LabelMove{Label: label}
	if v.field("do") != "remove" {
		if move.To, err = strconv.Atoi(v.field("rev")); err != nil || move.To < 1 {
			return failed(http.StatusUnprocessableEntity, "Choose the revision that the label names.")
		}
	}
	if v.verb() == "propose" {
		return v.proposeLabel(name, label, move.To)
	}
	if _, err := v.rules.MoveLabel(v.r.Context(), name, move); err != nil {
		return err
	}
	if move.To == 0 {
		return v.done("/rules/"+string(name), "Removed the label %s.", label)
	}
	return v.done("/rules/"+string(name), "The label %s is at revision %d.", label, move.To)
}

// deleteRule deletes a ruleset if it is still at the revision that was shown. Its
// history stays.
func (c *Console) deleteRule(v *visit) error {
	name, err := v.name()
	if err != nil {
		return err
	}
	rev, _ := strconv.Atoi(v.field("rev")) // without one, any is deleted
	if err := v.rules.Delete(v.r.Context(), name, ruleset.Removal{IfRev: rev}); err != nil {
		return err
	}
	return v.done("/rules/"+string(name), "Deleted %s. Restore a revision to undo it.", name)
}
