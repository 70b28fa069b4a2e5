package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lestrrat-go/helium/xpath3"
)

// adaptive renders a map or an array in the adaptive output method of W3C's XSLT
// and XQuery Serialization 3.1, section 10, truncated at limit bytes.
func adaptive(kind string, item xpath3.Item, limit int) (Item, error) {
	w := &adaptiveWriter{limited: limited{room: limit}}
	err := w.item(item)
	if err != nil && !errors.Is(err, errFull) {
		return Item{}, err
	}
	return Item{Kind: kind, Value: valid(w.String(), limit), Truncated: err != nil}, nil
}

// An adaptiveWriter writes items until its limit is reached.
type adaptiveWriter struct{ limited }

func (w *adaptiveWriter) put(format string, args ...any) error {
	_, err := fmt.Fprintf(&w.limited, format, args...)
	return err
}

// item writes one item.
func (w *adaptiveWriter) item(item xpath3.Item) error {
	switch item := item.(type) {
	case xpath3.MapItem:
		return w.entries(item)
	case xpath3.ArrayItem:
		return w.list("[", item.Size(), "]", func(i int) error {
			member, err := item.Get(i + 1)
			if err != nil {
				return err
			}
			return w.sequence(member)
		})
	case xpath3.NodeItem:
		text, _, err := markup(item.Node, w.room-w.Len())
		return errors.Join(err, w.put("%s", text))
	case xpath3.AtomicValue:
		return w.atomic(item)
	}
	return w.put("function")
}

func (w *adaptiveWriter) entries(m xpath3.MapItem) error {
	keys := m.Keys()
	return w.list("map{", len(keys), "}", func(i int) error {
		if err := w.atomic(keys[i]); err != nil {
			return err
		}
		value, _ := m.Get(keys[i]) // the key exists
		return errors.Join(w.put(":"), w.sequence(value))
	})
}

// list writes n items separated by commas.
func (w *adaptiveWriter) list(begin string, n int, end string, write func(i int) error) error {
	if err := w.put("%s", begin); err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			if err := w.put(","); err != nil {
				return err
			}
		}
		if err := write(i); err != nil {
			return err
		}
	}
	return w.put("%s", end)
}

// sequence writes a single item as it is, and none or several in parentheses.
func (w *adaptiveWriter) sequence(s xpath3.Sequence) error {
	if s != nil && s.Len() == 1 {
		return w.item(s.Get(0))
	}
	n := 0
	if s != nil {
		n = s.Len()
	}
	return w.list("(", n, ")", func(i int) error { return w.item(s.Get(i)) })
}

func (w *adaptiveWriter) atomic(value xpath3.AtomicValue) error {
	text, err := xpath3.AtomicToString(value)
	if err != nil {
		return err
	}
	switch {
	case value.TypeName == xpath3.TypeBoolean:
		return w.put("%s()", text)
	case value.IsNumeric():
		return w.put("%s", text)
	case value.TypeName == xpath3.TypeString, value.TypeName == xpath3.TypeUntypedAtomic, value.TypeName == xpath3.TypeAnyURI:
		return w.put(`"%s"`, strings.ReplaceAll(text, `"`, `""`))
	}
	return w.put(`%s("%s")`, value.TypeName, text)
}
