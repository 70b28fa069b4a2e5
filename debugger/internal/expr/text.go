package expr

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/symbols/types"
)

// maxText is how many bytes of a text are compared.
const maxText = 1 << 20

// isText says whether a value is a text in its language, which what it is
// compared with must be, too.
func (v Value) isText() bool {
	return v.text != nil || v.object != nil && v.typ.sym != nil && v.object.IsText()
}

// texts compares two texts byte by byte. One of them may be C's: what a pointer
// to characters points to up to a zero byte, or an array of them. A null pointer
// is unequal to every text.
func (e *evaluator) texts(op string, a, b Value) (Value, error) {
	if a.isNull() || b.isNull() {
		if op != "==" && op != "!=" {
			return Value{}, fmt.Errorf("a null pointer is no text; %s needs one", op)
		}
		return e.truth(op == "!="), nil
	}
	x, err := e.text(a, b)
	if err != nil {
		return Value{}, err
	}
	y, err := e.text(b, a)
	return e.truth(comparisons[op](strings.Compare(x, y))), err
}

// isNull says whether a value is a null pointer to characters.
func (v Value) isNull() bool {
	if v.typ.class != pointer || !v.typ.elem().isLetter() {
		return false
	}
	p, err := v.load()
	return err == nil && p.bits == 0
}

// text reads what is to be compared with another text: of what is longer than
// one that was written no more than shows that it is.
func (e *evaluator) text(v, other Value) (string, error) {
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

// read reads at most so many bytes of a text.
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

// isLetter says whether C's texts are made of a type.
func (t *typ) isLetter() bool {
	switch {
	case t == nil || t.size != 1:
		return false
	case t.sym != nil:
		return t.sym.Strip().Kind == types.KindChar
	}
	return strings.HasSuffix(t.name, "char")
}
