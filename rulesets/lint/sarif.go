package lint

import "encoding/json"

// sarifLevels are the levels of SARIF.
var sarifLevels = map[Severity]string{Error: "error", Warning: "warning", Note: "note"}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID    string       `json:"id"`
	Short sarifMessage `json:"shortDescription"`
}

type sarifRegion struct {
	Line   int `json:"startLine"`
	Column int `json:"startColumn"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

// SARIF returns findings as a log of SARIF 2.1.0. uri returns the file of a ruleset, and
// the number of lines before its Markdown.
func SARIF(findings []Finding, version string, uri func(f Finding) (file string, before int)) ([]byte, error) {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "triptych rulesets lint", Version: version}
	for _, r := range Rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.ID, sarifMessage{r.About}})
	}
	for _, f := range findings {
		file, before := uri(f)
		var l sarifLocation
		l.Physical.Artifact.URI = file
		if f.Field == "markdown" {
			l.Physical.Region = &sarifRegion{f.Line + before, f.Column}
		}
		run.Results = append(run.Results, sarifResult{f.Rule, sarifLevels[f.Severity], sarifMessage{f.Message}, []sarifLocation{l}})
	}
	log := sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
	return json.MarshalIndent(log, "", "  ")
}
