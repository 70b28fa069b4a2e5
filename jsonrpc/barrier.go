package jsonrpc

import "bytes"

// pass waits for the barrier. When it fails, the answers among the lines are
// replaced by errors.
func (c *Conn) pass(lines []byte) []byte {
	if c.cfg.Barrier == nil {
		return lines
	}
	err := c.cfg.Barrier()
	if err == nil {
		return lines
	}
	c.cfg.Logger.Error("answers withheld", "err", err)
	return withheld(lines)
}

// errWithheld is what the other side gets in place of an answer.
var errWithheld = Errorf(CodeInternalError, "Internal error").
	WithDetails("the call was made, but could not be recorded, so its result is withheld")

// withheld are the lines, which are messages of ours, with an error for each
// answer.
func withheld(lines []byte) []byte {
	var out []byte
	d := newDecoder(DefaultDepth)
	for line := range bytes.Lines(lines) {
		out = append(withhold(out, d, bytes.TrimSuffix(line, []byte{'\n'})), '\n')
	}
	return out
}

func withhold(dst []byte, d *decoder, text []byte) []byte {
	if isBatch(text) {
		return withholdBatch(dst, d, text)
	}
	var m message
	d.decode(text, &m)
	if m.kind != isResponse {
		return append(dst, text...)
	}
	return appendRefusal(dst, m.response.ID, true, errWithheld)
}

func withholdBatch(dst []byte, d *decoder, text []byte) []byte {
	start := len(dst)
	items := Elements(text[skipSpace(text, 0):])
	for items.Next() {
		dst = withhold(append(dst, ','), d, items.Value())
	}
	dst[start] = '['
	return append(dst, ']')
}
