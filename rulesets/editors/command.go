package editors

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// gap matches a placeholder of a prompt: {{name}}.
var gap = regexp.MustCompile(`\{\{\s*([^{}\s]+)\s*\}\}`)

// fill returns the text of a prompt with the placeholders of a client, and what is lost.
func (p Placeholders) fill(r Rule) (text, reason string) {
	if len(r.Arguments) == 0 {
		return r.Body, ""
	}
	used := map[string]bool{}
	text = gap.ReplaceAllStringFunc(r.Body, func(place string) string {
		name := gap.FindStringSubmatch(place)[1]
		i := slices.Index(r.Arguments, name)
		if i < 0 {
			return place
		}
		used[name] = true
		return p.one(r.Arguments, i)
	})
	switch {
	case len(used) == 0 && p.in(text):
		return text, "" // it was written for this client
	case p.Each != "" || p.All != "" && len(r.Arguments) == 1:
		for i, name := range r.Arguments {
			if !used[name] {
				text = endLine(text) + "\n- " + name + ": " + p.one(r.Arguments, i) + "\n"
			}
		}
		return text, ""
	case p.All != "" && used[allName]:
		return text, "it has one placeholder for all arguments: single ones are not filled in"
	case p.All != "":
		return endLine(text) + p.tail(r.Arguments), "it has one placeholder for all arguments: they follow the text"
	}
	return text, "its arguments are not filled in: what is typed follows the text"
}

// in reports whether a text has placeholders of the client.
func (p Placeholders) in(text string) bool {
	switch {
	case strings.Contains(p.Each, "%s"):
		return inputs.MatchString(text)
	case strings.HasPrefix(p.All, "{{"):
		return allArgs.MatchString(text)
	}
	return p.All != "" && indexed.MatchString(text)
}

// tail is the line behind the text of a prompt that gives several arguments at once.
func (p Placeholders) tail(names []string) string {
	return "\n" + strings.Join(names, ", ") + ": " + p.All + "\n"
}

// allName is the name of the argument that stands for all that was typed.
const allName = "arguments"

// one returns the placeholder of one of several arguments; where there is none, its name.
func (p Placeholders) one(names []string, i int) string {
	switch {
	case strings.Contains(p.Each, "%s"):
		return fmt.Sprintf(p.Each, names[i])
	case p.All != "" && (len(names) == 1 || names[i] == allName):
		return p.All
	case p.Each != "":
		return fmt.Sprintf(p.Each, slices.Index(single(names), names[i])+p.First)
	}
	return "<" + names[i] + ">"
}

// single returns the names of arguments that stand for a part of what was typed.
func single(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == allName && len(names) > 1 })
}

var (
	indexed = regexp.MustCompile(`\$ARGUMENTS(?:\[(\d{1,2})\])?|\$(\d)\b`)
	inputs  = regexp.MustCompile(`\$\{input:([A-Za-z_][\w-]*)(?::[^}]*)?\}`)
	allArgs = regexp.MustCompile(`\{\{args\}\}`)
)

// empty returns a text of a client's with the placeholders of prompts, and the names of
// the arguments in their order. known has the arguments that the prompt has already; hint
// has the form in which the client shows them.
func (p Placeholders) empty(text, hint string, known []string) (body string, names []string) {
	switch {
	case strings.Contains(p.Each, "%s"):
		names = slices.Clone(known)
		body = inputs.ReplaceAllStringFunc(text, func(place string) string {
			name := inputs.FindStringSubmatch(place)[1]
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			return "{{" + name + "}}"
		})
		return body, names
	case strings.HasPrefix(p.All, "{{"):
		return p.emptyAll(text, hint, known)
	case p.All != "":
		return p.emptyIndexed(text, hint, known)
	}
	for _, name := range known {
		text = strings.ReplaceAll(text, "<"+name+">", "{{"+name+"}}")
	}
	return text, known
}

// emptyAll reads the only placeholder of a client.
func (p Placeholders) emptyAll(text, hint string, known []string) (string, []string) {
	if len(known) > 1 {
		text = strings.TrimSuffix(text, p.tail(known))
		if slices.Contains(known, allName) {
			text = allArgs.ReplaceAllString(text, "{{"+allName+"}}")
		}
		for _, name := range known {
			text = strings.ReplaceAll(text, "<"+name+">", "{{"+name+"}}")
		}
		return text, known
	}
	if !allArgs.MatchString(text) {
		return text, known
	}
	names := []string{argumentName(hint)}
	if len(known) == 1 {
		names = known
	}
	return allArgs.ReplaceAllString(text, "{{"+names[0]+"}}"), names
}

// emptyIndexed reads $ARGUMENTS, $ARGUMENTS[0] and $1.
func (p Placeholders) emptyIndexed(text, hint string, known []string) (string, []string) {
	used := map[int]bool{} // the numbers of arguments; -1 for all
	for _, m := range indexed.FindAllStringSubmatch(text, -1) {
		used[numberOf(m)] = true
	}
	if len(used) == 0 && len(known) == 0 {
		return text, nil
	}
	name := func(n int) string {
		at, own := n-p.First, "arg"+strconv.Itoa(n)
		switch {
		case n < 0 && slices.Contains(known, allName):
			return allName
		case n >= 0 && slices.Contains(known, own):
			return own
		case n < 0 && len(known) == 1:
			return known[0]
		case n < 0 && len(used) == 1:
			return argumentName(hint)
		case n < 0:
			return allName
		case at >= 0 && at < len(single(known)):
			return single(known)[at]
		}
		return own
	}
	names := slices.Clone(known)
	for n := -1; n < 100; n++ {
		if used[n] && !slices.Contains(names, name(n)) {
			names = append(names, name(n))
		}
	}
	return indexed.ReplaceAllStringFunc(text, func(place string) string {
		return "{{" + name(numberOf(indexed.FindStringSubmatch(place))) + "}}"
	}), names
}

// numberOf returns the number in a match of indexed, -1 for all arguments.
func numberOf(m []string) int {
	if m[1]+m[2] == "" {
		return -1
	}
	n, _ := strconv.Atoi(m[1] + m[2]) // it has digits only
	return n
}

var hintName = regexp.MustCompile(`^[<\[]?([A-Za-z_][\w-]*)[>\]]?$`)

// argumentName makes the name of the only argument of what the client shows of it.
func argumentName(hint string) string {
	if m := hintName.FindStringSubmatch(strings.TrimSpace(hint)); m != nil {
		return m[1]
	}
	return allName
}

// embedded says which texts of a prompt another client replaces by the output of a command
// or by a file, and this one does not; "" if there are none.
func (c *Commands) embedded(body string) string {
	for i := range Clients {
		other := Clients[i].Commands
		if other == nil || other.Embeds == nil || other.Embeds == c.Embeds {
			continue
		}
		if text := other.Embeds.pattern.FindString(body); text != "" {
			return "it does not replace " + strings.TrimSpace(text) + " as " + Clients[i].Title + " does"
		}
	}
	return ""
}

// commandPath returns the path of a prompt as a command of a client.
func (c *Client) commandPath(r Rule) string {
	own := r.Own[c.form()].File
	if r.Prompt && own.Path != "" && path.Clean("/"+own.Path) == "/"+own.Path && strings.HasSuffix(own.Path, c.Commands.Ext) {
		return c.Commands.Dir + "/" + own.Path
	}
	return c.Commands.Dir + "/" + r.Name.Slug() + c.Commands.Ext
}

// command returns a prompt as a file of a client's commands, and what is lost by it. One
// that was imported from this client keeps its bytes, as far as they mean the same.
func (c *Client) command(r Rule) (content []byte, reason string) {
	own := r.Own[c.form()].File
	body, reason := c.Commands.Args.fill(r)
	if own.Text != "" {
		if neutral, _ := c.Commands.Args.empty(c.Commands.promptOf(own.Text), r.Hint, r.Arguments); neutral == r.Body {
			body, reason = own.Text, ""
		}
	}
	if reason == "" && own == (OwnFile{}) {
		reason = c.Commands.embedded(r.Body)
	}
	if c.Commands.TOML {
		if body == own.Text && body != "" {
			return own.encode(body), ""
		}
		return []byte("description = " + quoted(oneLine(r.Description)) + "\nprompt = " + tomlText(endLine(body))), reason
	}
	parts, err := splitHead(own.Head)
	if own.Bare && (len(c.Commands.Fields) == 0 || sameDescription("", r)) {
		return own.encode(body), reason
	}
	if err == nil && parts.open != "" {
		m := splitMapping(parts.front)
		if len(c.Commands.Fields) > 0 && !sameDescription(m.scalar("description"), r) {
			m.set("description", textLine("description", r.Description))
		}
		gap := "\n"
		if own.Tight {
			gap = ""
		}
		return own.encode(parts.open + m.String() + parts.end + gap + body), reason
	}
	front := ""
	if len(c.Commands.Fields) > 0 {
		front = textLine("description", r.Description)
	}
	if c.Commands.HintKey != "" && r.Hint != "" {
		front += c.Commands.HintKey + ": " + quoted(r.Hint) + "\n"
	}
	return []byte(fenced(front, body)), reason
}

// promptOf returns the prompt in the text of a command.
func (c *Commands) promptOf(text string) string {
	var got struct{ Prompt string }
	if c.TOML && toml.Unmarshal([]byte(text), &got) == nil {
		return got.Prompt
	}
	return text
}

// parseCommand reads a command into base, which is empty for one that was not made by
// [Render].
func (c *Client) parseCommand(p Place, data []byte, base Rule) (Rule, error) {
	text, form := decode(data)
	args := c.Commands.Args
	isNew := base.Name == ""
	var description, hint, body string
	if c.Commands.TOML {
		var got struct{ Description, Prompt string }
		if err := toml.Unmarshal([]byte(text), &got); err != nil {
			return base, fmt.Errorf("the command: %w", err)
		}
		if got.Prompt == "" {
			return base, fmt.Errorf("the command has no prompt")
		}
		description, body, form.Text = got.Description, got.Prompt, text
	} else {
		parts, err := splitHead(text)
		if err != nil {
			return base, err
		}
		m := splitMapping(parts.front)
		description, hint, body = m.scalar("description"), m.scalar("argument-hint"), parts.body
		form.Head, form.Tight, form.Bare = parts.open+parts.front+parts.end, parts.tight && parts.open != "", parts.open == ""
		form.Text = body
	}
	if !isNew {
		if written, _ := args.fill(base); sameEnd(body, written) {
			base.setText(description, base.Body)
			return base, nil
		}
	}
	neutral, names := args.empty(body, hint, base.Arguments)
	if neutral == form.Text {
		form.Text = ""
	}
	base.setText(description, neutral)
	base.Prompt, base.Arguments = true, names
	if !isNew {
		return base, nil
	}
	if base.Description == "" {
		base.Description = Describe(neutral)
	}
	var err error
	if base.Name, err = ruleset.ParseName(Snake(strings.TrimSuffix(p.Rest, c.Commands.Ext))); err != nil {
		return base, err
	}
	if p.Rest != base.Name.Slug()+c.Commands.Ext {
		form.Path = p.Rest
	}
	if p.Dir != c.Commands.Dir {
		form.Dir = p.Dir
	}
	base.Own = map[string]Own{c.form(): {File: form}}
	return base, nil
}
