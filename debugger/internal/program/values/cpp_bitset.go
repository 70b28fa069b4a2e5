package values

import (
	"errors"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// showBitset shows a std::bitset as its to_string does: the highest bit first.
func showBitset(r *renderer, o Object, _, _ int) (content, error) {
	name := o.Type.LibraryName()
	size := strings.TrimRight(strings.TrimSuffix(name[strings.IndexByte(name, '<')+1:], ">"), "uUlL ")
	n, err := strconv.Atoi(size)
	if err != nil {
		return content{}, err
	}
	words, ok := o.find(2, func(f types.Field) bool { return f.Name == "_M_w" })
	if !ok && n > 0 {
		return content{}, errors.New("bitset is not valid")
	}
	var b []byte
	if n > 0 {
		if b, err = words.Bytes(); err != nil {
			return content{}, err
		}
	}
	if n > 8*len(b) {
		return content{}, errors.New("bitset is not valid")
	}
	var text strings.Builder
	for i := n - 1; i >= 0 && text.Len() < r.limits.String; i-- {
		text.WriteByte('0' + b[i/8]>>(i%8)&1)
	}
	c := content{text: text.String(), cut: text.Len() < n}
	if c.cut {
		c.text += "…"
	}
	return c, nil
}
