package mcp

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// masked returns a result with all its texts masked as the tool's table wants. The
// result itself, which the audit record takes its facts from, stays as it is.
func (tool *boundTool) masked(r *Result) (*Result, error) {
	t := tool.table
	if t.Mask == nil || tool.Unmasked || r == nil {
		return r, nil
	}
	out := *r
	out.text = t.Mask(r.text)
	out.Content = make([]Content, len(r.Content))
	for i, c := range r.Content {
		c.text = t.Mask(c.text)
		if c.resource != nil {
			masked := t.maskedContents(*c.resource)
			c.resource = &masked
		}
		out.Content[i] = c
	}
	if r.Structured != nil {
		raw, err := marshal(r.Structured)
		if err != nil {
			return nil, err
		}
		out.Structured = json.RawMessage(t.maskedJSON(raw))
	}
	if len(r.Meta) > 0 {
		out.Meta = make(map[string]any, len(r.Meta))
		for key, value := range r.Meta {
			raw, err := marshal(value)
			if err != nil {
				return nil, err
			}
			out.Meta[key] = json.RawMessage(t.maskedJSON(raw))
		}
	}
	return &out, nil
}

// maskedContents returns the contents of a resource with their text masked.
func (t *Table) maskedContents(c Contents) Contents {
	if t.Mask != nil {
		c.Text = t.Mask(c.Text)
	}
	return c
}

// maskedAll is maskedContents for all contents of a resource.
func (t *Table) maskedAll(contents []Contents) []Contents {
	if t.Mask == nil {
		return contents
	}
	out := make([]Contents, len(contents))
	for i, c := range contents {
		out[i] = t.maskedContents(c)
	}
	return out
}

// maskedError returns a protocol error of the tool with its texts masked, and other errors
// as they are.
func (tool *boundTool) maskedError(err error) error {
	rpc, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || tool.table.Mask == nil || tool.Unmasked {
		return err
	}
	out := *rpc
	out.Message = tool.table.Mask(rpc.Message)
	if rpc.Data != nil {
		out.Data = tool.table.maskedJSON(rpc.Data)
	}
	return &out
}

// maskedJSON masks each string of a JSON text, names of members included. A mask sees a
// string as it is written, with its escapes; if it breaks one, the whole string is
// dropped.
func (t *Table) maskedJSON(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for {
		begin := bytes.IndexByte(raw, '"')
		if begin < 0 {
			return append(out, raw...)
		}
		end := begin + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(raw))
		whole := raw[begin:end]
		inside := string(whole[1 : len(whole)-1])
		out = append(out, raw[:begin]...)
		if masked := t.Mask(inside); masked == inside {
			out = append(out, whole...)
		} else if quoted := `"` + masked + `"`; json.Valid([]byte(quoted)) {
			out = append(out, quoted...)
		} else {
			out = append(out, `""`...)
		}
		raw = raw[end:]
	}
}
