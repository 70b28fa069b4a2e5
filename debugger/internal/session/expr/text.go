package expr

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// maxText is the maximum length of strings that are compared.
const maxText = 1 << 20

// isText reports whether a value is a string of its language.
func (v Value) isText() bool {
	return v.text != nil || v.object != nil && v.typ.sym != nil && v.object.IsText()
}

// texts compares two strings byte by byte. One of them may be a C string: a
// pointer to characters up to a zero byte, or an array of them. A null pointer
// is unequal to every string.
func (e *evaluator) texts(op string, a, b Value) (Value, error) {
	if a.isNull() || b.isNull() {
		if op != "==" && op != "!=" {
			return Value{}, fmt.Errorf("a null pointer is no text; %s needs one", op)
		}
		return e.truth(op == "!="), nil
	}
	x, err := e.readText(a, b)
	if err != nil {
		return Value{}, err
	}
	y, err := e.readText(b, a)
	return e.truth(comparisons[op](strings.Compare(x, y))), err
}

// isNull reports whether a value is a null pointer to characters.
func (v Value) isNull() bool {
	if v.typ.class != pointer || !v.typ.elem().isLetter() {
		return false
	}
	p, err := v.load()
	return err == nil && p.bits == 0
}

// readText reads a string for a comparison. If the other one is a literal, it
// reads at most one byte more than that has.
func (e *evaluator) readText(v, other Value) (string, error) {
	if v.text != nil {
		return *v.text, nil
	}
	limit := maxText
	if other.text != nil {
		limit = len(*other.text)
	}
	text, err := e.read(v, limit+1)
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("a text of more than %d bytes is not compared", maxText)
	}
	return text, err
}

// read reads at most limit bytes of a string.
func (e *evaluator) read(v Value, limit int) (string, error) {
	if v.object != nil && v.typ.sym != nil {
		return v.object.Text(limit)
	}
	if v.typ.class != pointer || !v.typ.elem().isLetter() {
		return "", fmt.Errorf("a %s is no text", v.Type())
	}
	p, err := v.load()
	if err != nil {
		return "", err
	}
	return e.scope.At(&types.Type{Kind: types.KindChar, Size: 1}, p.bits).ZeroEnded(limit)
}

// isLetter reports whether a type is that of the characters of C strings.
func (t *typ) isLetter() bool {
	switch {
	case t == nil || t.size != 1:
		return false
	case t.sym != nil:
		return t.sym.Strip().Kind == types.KindChar
	}
	return strings.HasSuffix(t.name, "char")
}
