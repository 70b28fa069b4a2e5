package rulesets

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Scan determines what happens to texts with findings when they are written.
type Scan struct {
	mode   string   // off, warn or refuse
	refuse []string // ids of keys whose texts with findings are rejected in any mode
}

// ParseScan parses off, warn or refuse, followed by refuse:KEY for single keys,
// as in "warn,refuse:ab12cd34". "" means warn.
func ParseScan(words string) (Scan, error) {
	s := Scan{mode: "warn"}
	for word := range strings.SplitSeq(words, ",") {
		switch key, ofKey := strings.CutPrefix(word, "refuse:"); {
		case ofKey && key != "":
			s.refuse = append(s.refuse, key)
		case word == "off", word == "warn", word == "refuse":
			s.mode = word
		case word != "":
			return s, fmt.Errorf("--scan is %q, want off, warn or refuse, and refuse:KEY for single keys", words)
		}
	}
	return s, nil
}

// check returns the findings in a text without notes, and a [*lint.RefusedError]
// if the text must not be written.
func (s Scan) check(by ruleset.By, r ruleset.Ruleset) ([]lint.Finding, error) {
	refuses := s.mode == "refuse" || slices.Contains(s.refuse, by.Author)
	if s.mode == "off" && !refuses {
		return nil, nil
	}
	found := slices.DeleteFunc(lint.Ruleset(r), func(f lint.Finding) bool { return f.Severity == lint.Note })
	errs := slices.DeleteFunc(slices.Clone(found), func(f lint.Finding) bool { return f.Severity != lint.Error })
	if refuses && len(errs) > 0 {
		return nil, &lint.RefusedError{Findings: errs}
	}
	return found, nil
}

// checkFiles is check for the files of a ruleset. It skips files that are not
// UTF-8.
func (s Scan) checkFiles(by ruleset.By, name ruleset.Name, changes []ruleset.FileChange) (all []lint.Finding, err error) {
	for _, c := range changes {
		if !utf8.Valid(c.Data) {
			continue
		}
		found, err := s.check(by, ruleset.Ruleset{Meta: ruleset.Meta{Name: name}, Markdown: string(c.Data)})
		if refused, ok := errors.AsType[*lint.RefusedError](err); ok {
			found = refused.Findings
		}
		for i := range found {
			found[i].Field = c.Path
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// checkAll is check for the texts of a ruleset and its files.
func (s Scan) checkAll(by ruleset.By, r ruleset.Ruleset, files []ruleset.FileChange) ([]lint.Finding, error) {
	found, err := s.check(by, r)
	if err != nil {
		return nil, err
	}
	inFiles, err := s.checkFiles(by, r.Name, files)
	return append(found, inFiles...), err
}

// Store returns a store that scans what is written. It passes the findings of
// each written text to report.
func (s Scan) Store(store ruleset.Store, report func([]lint.Finding)) ruleset.Store {
	return scanned{store, s, report}
}

// LogFindings returns a function that logs findings, without the texts.
func LogFindings(log *slog.Logger) func([]lint.Finding) {
	return func(found []lint.Finding) {
		for i, f := range found {
			if i == maxNamed {
				log.Warn("a ruleset was written with more findings", "name", string(f.Name), "more", len(found)-i)
				return
			}
			log.Warn("a ruleset was written with a finding", "name", string(f.Name), "rule", f.Rule, "severity", string(f.Severity), "field", f.Field, "line", f.Line)
		}
	}
}

// A scanned store checks what is written.
type scanned struct {
	ruleset.Store
	scan   Scan
	report func([]lint.Finding)
}

func ofDraft(d ruleset.Draft) ruleset.Ruleset {
	return ruleset.Ruleset{Meta: ruleset.Meta{Name: d.Name, Description: d.Description, Tags: d.Tags}, Markdown: d.Markdown, Extra: d.Extra}
}

// ofPatch returns the texts that a patch writes.
func ofPatch(name ruleset.Name, p ruleset.Patch) ruleset.Ruleset {
	return p.Apply(ruleset.Ruleset{Meta: ruleset.Meta{Name: name}}, time.Time{})
}

// Apply implements [ruleset.Store]. If one text is rejected, none is written.
func (s scanned) Apply(ctx context.Context, ops []ruleset.Operation, o ruleset.ApplyOptions) ([]ruleset.Outcome, error) {
	var all []lint.Finding
	for i, op := range ops {
		var found []lint.Finding
		var err error
		switch {
		case op.Create != nil:
			found, err = s.scan.checkAll(op.Create.By, ofDraft(*op.Create), op.Create.Files)
		case op.Update != nil:
			found, err = s.scan.checkAll(op.Update.By, ofPatch(op.Name, *op.Update), op.Update.Files)
		}
		if err != nil {
			return nil, &ruleset.OperationError{Index: i, Verb: "write", Name: op.Name, Err: err}
		}
		all = append(all, found...)
	}
	outcomes, err := s.Store.Apply(ctx, ops, o)
	if err == nil && !o.DryRun {
		s.written(ctx, all)
	}
	return outcomes, err
}

// Unwrap returns the underlying store. See [ruleset.As].
func (s scanned) Unwrap() ruleset.Store { return s.Store }

// findingsKey is the context key of a caller's list of findings.
type findingsKey struct{}

// collect returns a context that makes writes add their findings to a list.
func collect(ctx context.Context) (context.Context, *[]lint.Finding) {
	found := new([]lint.Finding)
	return context.WithValue(ctx, findingsKey{}, found), found
}

// written reports the findings in texts that were written.
func (s scanned) written(ctx context.Context, found []lint.Finding) {
	s.report(found)
	if list, ok := ctx.Value(findingsKey{}).(*[]lint.Finding); ok {
		*list = append(*list, found...)
	}
}

// maxNamed limits the findings in one text that an answer or the log lists.
const maxNamed = 20

// textsOf returns the first findings as texts, and a line for the rest.
func textsOf(found []lint.Finding) []string {
	texts := []string{}
	for _, f := range found[:min(len(found), maxNamed)] {
		texts = append(texts, f.String())
	}
	if more := len(found) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("… and %d more; lint_ruleset lists them", more))
	}
	return texts
}
