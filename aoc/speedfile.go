package aoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// stampLayout is the layout of times in a file: UTC with milliseconds.
const stampLayout = "2006-01-02T15:04:05.000Z"

// A speedFile is the file of a day. Members written by other programs and people
// are preserved in extra, of the file and of each entry.
type speedFile struct {
	entries []entry
	extra   []member
}

// An entry is a speed with the other members of its object.
type entry struct {
	Speed
	extra []member
}

// A member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// The names of the members that this program writes, in the order of a file.
var (
	fileNames  = []string{"day", "entries"}
	entryNames = []string{"llm", "phase", "speedMs", "speed_ms", "timestamp"}
)

// parseSpeeds reads the file of a day.
func parseSpeeds(data []byte) (speedFile, error) {
	var file struct {
		Entries []json.RawMessage `json:"entries"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return speedFile{}, explain(err, data)
	}
	f := speedFile{entries: make([]entry, len(file.Entries)), extra: foreign(data, fileNames)}
	for i, raw := range file.Entries {
		var err error
		if f.entries[i], err = parseEntry(raw); err != nil {
			return speedFile{}, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return f, nil
}

func parseEntry(raw json.RawMessage) (entry, error) {
	type members struct {
		LLM       string `json:"llm"`
		Phase     int    `json:"phase"`
		MS        *int64 `json:"speedMs"`
		OldMS     *int64 `json:"speed_ms"` // spelling of the original server; read but never written
		Timestamp string `json:"timestamp"`
	}
	var item struct {
		members
		Details
	}
	extra := foreign(raw, entryNames)
	if json.Unmarshal(raw, &item) != nil { // one of our members, or a detail written by another program
		item.members = members{}
		if err := json.Unmarshal(raw, &item.members); err != nil {
			return entry{}, explain(err, raw)
		}
		item.Details = detailsOf(extra)
	}
	ms := item.MS
	if ms == nil {
		ms = item.OldMS
	}
	if ms == nil {
		return entry{}, errors.New("speedMs is missing")
	}
	at, err := time.Parse(time.RFC3339, item.Timestamp)
	if err != nil {
		return entry{}, fmt.Errorf("the timestamp %q is not a time such as 2025-12-01T09:30:00.000Z", item.Timestamp)
	}
	if at = at.UTC(); at.Year() < 0 || at.Year() > 9999 {
		return entry{}, errors.New("timestamp has no year of four digits in UTC") // such a time could not be written back
	}
	return entry{Speed{item.LLM, Phase(item.Phase), *ms, at, item.Details}, extra}, nil
}

// explain returns the text of an error of encoding/json, in terms of JSON.
func explain(err error, data []byte) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if wrong.Field == "" {
			return fmt.Errorf("there is %s instead of an object", withArticle(wrong.Value))
		}
		return fmt.Errorf("%s may not be %s", wrong.Field, withArticle(wrong.Value))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("line %d is not JSON: %w", line, err)
	}
	return err
}

// withArticle puts an article before the kind of a JSON value.
func withArticle(kind string) string {
	if strings.HasPrefix(kind, "array") || strings.HasPrefix(kind, "object") {
		return "an " + kind
	}
	return "a " + kind
}

// foreign returns the members of an object whose names are not among ours, which
// encoding/json matches in any case. data is a valid object or null.
func foreign(data []byte, ours []string) (extra []member) {
	data = bytes.TrimLeft(data, " \t\r\n")
	for at := next(data, 0); at < len(data) && data[at] != '}'; at = next(data, at) {
		end := skipValue(data, at)
		name, ok := nameIn(data[at:end])
		if !ok {
			return extra // not an object
		}
		value := next(data, end)
		at = skipValue(data, value)
		if !slices.ContainsFunc(ours, func(one string) bool { return strings.EqualFold(one, name) }) {
			extra = append(extra, member{name, data[value:at]})
		}
	}
	return extra
}

// nameIn returns the text of a JSON string.
func nameIn(quoted []byte) (name string, ok bool) {
	plain := len(quoted) >= 2 && quoted[0] == '"' && !bytes.ContainsFunc(quoted, func(c rune) bool { return c == '\\' || c >= utf8.RuneSelf })
	if plain { // most names are plain, and decoding takes longer
		return string(quoted[1 : len(quoted)-1]), true
	}
	err := json.Unmarshal(quoted, &name)
	return name, err == nil
}

// next returns the offset of the next byte of an object that is not white space,
// {, a comma or a colon.
func next(data []byte, at int) int {
	for at < len(data) && (at == 0 && data[at] == '{' || strings.IndexByte(" \t\r\n,:", data[at]) >= 0) {
		at++
	}
	return at
}

// skipValue returns the end of the valid JSON value at an offset.
func skipValue(data []byte, at int) int {
	for depth := 0; at < len(data); at++ {
		switch data[at] {
		case '"':
			for at++; data[at] != '"'; at++ {
				if data[at] == '\\' {
					at++
				}
			}
			if depth == 0 {
				return at + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at // the end of the object around a number or literal
			}
			if depth--; depth == 0 {
				return at + 1
			}
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return at
			}
		}
	}
	return at
}

// render returns the file of a day: two spaces, a member a line, newest first.
func (f speedFile) render(day Day) ([]byte, error) {
	entries := make([]json.RawMessage, len(f.entries))
	for i, e := range f.entries {
		entries[i] = e.json()
	}
	whole := object(append([]member{{"day", plainJSON(int(day))}, {"entries", plainJSON(entries)}}, f.extra...))
	var b bytes.Buffer
	err := json.Indent(&b, whole, "", "  ")
	b.WriteByte('\n')
	return b.Bytes(), err
}

// json returns the entry's JSON object.
func (e entry) json() json.RawMessage {
	return object(append([]member{
		{"llm", plainJSON(e.LLM)}, {"phase", plainJSON(int(e.Phase))},
		{"speedMs", plainJSON(e.SpeedMS)}, {"timestamp", plainJSON(e.Timestamp.UTC().Format(stampLayout))},
	}, e.extra...))
}

// object returns the JSON object with those members.
func object(members []member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, plainJSON(m.name)...), ':')
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// plainJSON returns the JSON of a value, in which < and > stay as they are.
func plainJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings, numbers and valid JSON always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
