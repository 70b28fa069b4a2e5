package lint

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// orders are phrases that only make sense as an attempt to steer a model.
var orders = lazy(`(?i)\b(?:(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|rule|prompt|guideline|safety|polic|restriction|above|previous|prior)` +
	`|(?:do not|don'?t|never|without)\s+(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|alert|alerting|notify|notifying|show|showing|ask|asking)\b.{0,30}\b(?:user|human|anyone|developer|owner|person|approval|permission|confirmation)` +
	`|(?:exfiltrate|leak)\b|system prompt|you are now\b|secretly\b|silently\s+(?:run|send|add|install|upload|execute|include|append|copy|modify)` +
	`|(?:send|upload|post|copy|forward|transmit)\b.{0,60}\b(?:to\s+https?://|credentials?|secrets?|api[_ -]?keys?|tokens?|\.env|ssh|password))`)

// addressed are comments that speak to a model and give it an order.
var addressed = lazy(`(?i)\b(?:assistant|ai|agents?|model|llm|claude|copilot|cursor|gpt|gemini|codex)\b[^.\n]{0,20}[:,]?\s+(?:you\s+)?(?:must|should|always|never|please|shall|has to|have to|need to|run|execute|send|read|fetch|reveal|include|append|write|delete|upload|install|use|add)\b`)

// commands are orders to run or fetch something.
var commands = lazy(`(?i)(?:\b(?:run|execute|eval|install|fetch|download)\b.{0,40}(?:https?://|curl|wget|bash|\bsh\b|npx|pip install|npm i|powershell|\.sh\b))|\b(?:you must|you should|you have to)\b`)

var comment = lazy(`(?s)<!--(.*?)(?:-->|\z)`)

// checkComments reports orders to a model in HTML comments outside code.
func checkComments(t text) {
	fences := codeSpans(t.s)
	for _, at := range comment().FindAllStringSubmatchIndex(t.s, -1) {
		if inSpans(fences, at[0]) {
			continue
		}
		body := strings.Join(strings.Fields(t.s[at[2]:at[3]]), " ")
		if orders().MatchString(body) || addressed().MatchString(body) || commands().MatchString(body) {
			t.report("comment-instruction", Error, at[0], "a comment gives orders that people do not see where Markdown is rendered: %q", shorten(body))
		}
	}
}

// checkDescription reports orders in a description, which a model reads in each list.
func checkDescription(t text) {
	if at := orders().FindStringIndex(t.s); at != nil {
		t.report("comment-instruction", Error, at[0], "the description gives orders instead of describing: %q", shorten(t.s[at[0]:at[1]]))
	}
}

const maxShown = 120

// shorten cuts a text for a message.
func shorten(s string) string { return shortenTo(maxShown, s) }

// shortenTo returns the first n characters of a text, and a sign for the rest.
func shortenTo(n int, s string) string {
	for at := range s {
		if n--; n < 0 {
			return s[:at] + "…"
		}
	}
	return s
}

var fence = lazy("(?m)^ {0,3}(```+|~~~+)")

// codeSpans returns the fenced blocks of code.
func codeSpans(s string) (spans [][2]int) {
	open, mark := -1, ""
	for _, at := range fence().FindAllStringSubmatchIndex(s, -1) {
		word := s[at[2]:at[3]]
		switch {
		case open < 0:
			open, mark = at[0], word
		case strings.HasPrefix(word, mark):
			spans, open = append(spans, [2]int{open, at[1]}), -1
		}
	}
	return spans
}

// inSpans reports whether a place is in one of the spans, which are in order.
func inSpans(spans [][2]int, at int) bool {
	i, exact := slices.BinarySearchFunc(spans, at, func(s [2]int, at int) int { return cmp.Compare(s[0], at) })
	return exact || i > 0 && at < spans[i-1][1]
}

const interpreters = `(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:/\S*/)?(?:(?:ba|z|k|da|fi|c|tc)?sh|python[23]?|perl|ruby|node|php|iex|invoke-expression|powershell|pwsh)\b`

// download are commands that run what they download.
var download = lazy(`(?i)\b(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]{0,300}(?:\|\s*(?:tee\s+\S+\s*\|\s*)?|\|&\s*)` + interpreters +
	`|\b(?:ba|z|k|da)?sh\s+(?:-\w+\s+)*(?:<\(|["']?\$\()\s*(?:curl|wget|fetch)\b` +
	"|\\b(?:eval|source|exec)\\s+[\"']?(?:\\$\\(|`|<\\()\\s*(?:curl|wget|fetch)\\b" +
	`|\biex\b[^\n]{0,40}\b(?:iwr|irm|downloadstring|invoke-webrequest)\b` +
	`|\b(?:base64\s+(?:-d|--decode|-D)|xxd\s+-r)\b[^\n|]{0,80}\|\s*` + interpreters)

// downloaders are words of which every match of download has one. Looking for them is
// much faster.
var downloaders = []string{"curl", "wget", "fetch", "aria2c", "iwr", "irm", "invoke-", "iex", "base64", "xxd"}

// checkCommands reports commands that run what they download.
func checkCommands(t text) {
	lower := strings.ToLower(t.s)
	if !slices.ContainsFunc(downloaders, func(word string) bool { return strings.Contains(lower, word) }) {
		return
	}
	for _, at := range download().FindAllStringIndex(t.s, -1) {
		t.report("pipe-to-shell", Warning, at[0], "it runs what it downloads: %q", shorten(t.s[at[0]:at[1]]))
	}
}

var host = lazy(`(?i)\bhttps?://([^\s/?#"'<>)\]]+)`)

// checkHosts reports hosts whose letters are of several scripts.
func checkHosts(t text) {
	if !strings.Contains(t.s, "://") {
		return // which is much faster to find in a long text
	}
	for _, at := range host().FindAllStringSubmatchIndex(t.s, -1) {
		name := t.s[at[2]:at[3]]
		isLatin := func(c rune) bool { return unicode.Is(unicode.Latin, c) }
		isAlike := func(c rune) bool {
			return unicode.In(c, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
		}
		if strings.ContainsFunc(name, isLatin) && strings.ContainsFunc(name, isAlike) {
			t.report("lookalike-host", Error, at[0], "the host %q mixes letters that look alike", shorten(name))
		}
	}
}
