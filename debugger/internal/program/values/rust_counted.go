package values

import "fmt"

// counted shows Rc, Arc and their weak pointers: the target and the reference
// counts. In memory the two counts precede the target.
type counted struct {
	value        string // member of the allocation that holds the target
	strong, weak string // paths of the counts in the allocation
	isWeak       bool
}

func (c counted) show(r *renderer, o Object, depth, pointers int) (content, error) {
	p, err := o.descend("ptr", "pointer")
	if err != nil {
		return content{}, err
	}
	counts, value, err := c.inner(p)
	if err != nil {
		return content{}, err
	}
	strong, err := counts.down(c.strong)
	if err != nil {
		return content{}, err
	}
	strongly, err := strong.Uint()
	if err != nil {
		return content{}, err
	}
	text := "(Weak)"
	var out content
	if !c.isWeak || strongly > 0 { // the target has not been dropped
		v := r.value(value, depth+1, pointers)
		out, text = content{children: v.Children, cut: v.Cut}, v.Text
	}
	out.text = fmt.Sprintf("%s (strong %d", text, strongly)
	if weak, err := counts.down(c.weak); err == nil {
		if n, err := weak.Uint(); err == nil {
			out.text += fmt.Sprintf(", weak %d", weakly(n, strongly))
		}
	}
	out.text += ")"
	return out, nil
}

// weakly returns the number of weak pointers. The stored count includes one for
// all strong pointers together.
func weakly(n, strong uint64) uint64 {
	if strong > 0 && n > 0 {
		return n - 1
	}
	return n
}

// inner returns the allocation with the counts and the value that an Rc or Arc
// points to. A pointer to a trait object includes the address of a vtable, which
// determines the value's type.
func (c counted) inner(p Object) (counts, value Object, err error) {
	t, dynamic := traitType(p)
	if dynamic {
		if p, err = p.Member("pointer"); err != nil {
			return Object{}, Object{}, err
		}
	}
	if counts, err = p.Deref(); err != nil {
		return Object{}, Object{}, err
	}
	if !dynamic {
		value, err = counts.Member(c.value)
		return counts, value, err
	}
	at, _ := counts.Address()
	return counts, p.At(t, at+t.OffsetAfter(countedHead)), nil
}

// countedHead is the size of the two counts.
const countedHead = 16
