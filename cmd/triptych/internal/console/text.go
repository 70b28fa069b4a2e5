package console

import (
	"context"
	"fmt"
	"html/template"
	"strings"
)

// A shownText is the text of a ruleset on a page: rendered, or as it is with the reason.
type shownText struct {
	HTML template.HTML
	Text string // if it is not rendered
	Note string // why not, or that it is only the beginning
}

// rendered returns a text for a page, rendered as Markdown if it can be within the bounds.
func (c *Console) rendered(ctx context.Context, text string) shownText {
	if c.cfg.Render == nil {
		return asItIs(text, "")
	}
	html, err := c.cfg.Render(ctx, text)
	if err != nil {
		return asItIs(text, fmt.Sprintf("The text is shown as it is: %v.", err))
	}
	return shownText{HTML: template.HTML(html)} //nolint:gosec // Render leaves raw HTML out
}

// maxShown is the number of bytes of a text that a page shows.
const maxShown = 256 << 10

// asItIs returns a text, or its beginning with a note that says so.
func asItIs(text, note string) shownText {
	if len(text) > maxShown {
		note = strings.TrimSpace(fmt.Sprintf("%s These are the first %d KiB of %d; triptych rulesets get writes all of it.", note, maxShown>>10, len(text)>>10))
		text = strings.ToValidUTF8(text[:maxShown], "")
	}
	return shownText{Text: text, Note: note}
}
