package webhook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Format is the form of the body of a message.
type Format int

// The formats.
const (
	JSON  Format = iota // the message itself
	Slack               // of Slack's incoming webhooks
	Teams               // of workflows of Microsoft Teams
)

// formats names the formats, with the hosts of their URLs.
var formats = []struct {
	word  string
	hosts []string // and those below them
}{
	JSON:  {"json", nil},
	Slack: {"slack", []string{"hooks.slack.com", "hooks.slack-gov.com"}},
	Teams: {"teams", []string{"webhook.office.com", "logic.azure.com", "api.powerplatform.com"}},
}

// ParseFormat returns the format of a word or, if that is "", of the host of a URL.
func ParseFormat(word, host string) (Format, error) {
	for f, row := range formats {
		isHost := slices.ContainsFunc(row.hosts, func(of string) bool { return host == of || strings.HasSuffix(host, "."+of) })
		if word == row.word || word == "" && isHost {
			return Format(f), nil
		}
	}
	if word == "" {
		return JSON, nil
	}
	return JSON, fmt.Errorf("--webhook-format is %q, want json, slack or teams", word)
}

// encode returns the body of a message.
func (f Format) encode(m *Message) ([]byte, error) {
	switch f {
	case Slack:
		return json.Marshal(map[string]string{"text": m.slackText()})
	case Teams:
		return json.Marshal(m.card())
	case JSON:
	}
	return json.Marshal(m)
}

// sentences has for each event the verb of its sentence.
var sentences = map[string]string{
	"ruleset.changed": "changed", "ruleset.deleted": "deleted", "label.moved": "moved", "label.removed": "removed",
	"proposal.opened": "made", "proposal.commented": "commented on", "proposal.accepted": "accepted",
	"proposal.refused": "refused", "proposal.withdrawn": "withdrew",
}

// sentence tells people what happened. quote returns a name, a reason or a number as the
// receiver shows it.
func (m *Message) sentence(quote func(string) string) string {
	who := quote(cmp.Or(m.AuthorName, m.Author, "Somebody"))
	text := who + " " + sentences[m.Event] + " "
	switch {
	case m.Proposal != 0:
		text += quote(fmt.Sprintf("proposal %d", m.Proposal))
		if m.Changes != "" {
			text += " (" + quote(m.Changes) + ")"
		}
	case m.Label != "" && m.Rev == 0:
		text += quote(string(m.Label)) + " from revision " + fmt.Sprint(m.From) + " of " + quote(string(m.Name))
	case m.Label != "":
		text += quote(string(m.Label)) + " of " + quote(string(m.Name)) + " to revision " + fmt.Sprint(m.Rev)
	case m.Rev != 0:
		text += quote(string(m.Name)) + ": revision " + fmt.Sprint(m.Rev)
	default:
		text += quote(string(m.Name))
	}
	if m.Reason != "" {
		text += ": " + quote(m.Reason)
	}
	return text
}

// page returns the address if a browser opens it.
func (m *Message) page() string {
	if strings.HasPrefix(m.Address, "http") {
		return m.Address
	}
	return ""
}

// slackText is the sentence in Slack's mrkdwn, in which &, < and > are escaped
// (docs.slack.dev, Formatting message text).
func (m *Message) slackText() string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	text := m.sentence(escape.Replace)
	if page := m.page(); page != "" {
		text += " <" + escape.Replace(page) + "|Open>"
	}
	return text
}

// The parts of a message of Teams (learn.microsoft.com, Create incoming webhooks with
// Workflows) and of an adaptive card (adaptivecards.io).
type (
	teamsMessage struct {
		Type        string       `json:"type"`
		Attachments []attachment `json:"attachments"`
	}
	attachment struct {
		ContentType string  `json:"contentType"`
		ContentURL  *string `json:"contentUrl"`
		Content     card    `json:"content"`
	}
	card struct {
		Schema  string      `json:"$schema"`
		Type    string      `json:"type"`
		Version string      `json:"version"`
		Body    []textBlock `json:"body"`
		Actions []openURL   `json:"actions,omitempty"`
	}
	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
		Wrap bool   `json:"wrap"`
	}
	openURL struct {
		Type  string `json:"type"`
		Title string `json:"title"`
		URL   string `json:"url"`
	}
)

// card is the sentence as an adaptive card. Marks of Markdown are escaped, which text
// blocks would show as bold text or links.
func (m *Message) card() teamsMessage {
	escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`)
	c := card{
		Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4",
		Body: []textBlock{{Type: "TextBlock", Text: m.sentence(escape.Replace), Wrap: true}},
	}
	if page := m.page(); page != "" {
		c.Actions = []openURL{{Type: "Action.OpenUrl", Title: "Open", URL: page}}
	}
	return teamsMessage{Type: "message", Attachments: []attachment{{ContentType: "application/vnd.microsoft.card.adaptive", Content: c}}}
}
