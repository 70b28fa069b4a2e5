package values

import "strings"

// rustRecipes lists the types of Rust's standard library that have a form of
// their own. The paths match Rust 1.95; types with another layout are shown
// member by member.
var rustRecipes = []recipe{
	{"std::collections::hash::map::HashMap<", hashTable("base.table", true)},
	{"std::collections::hash::set::HashSet<", hashTable("base.map.table", false)},
	{"alloc::collections::btree::map::BTreeMap<", bTree("", true)},
	{"alloc::collections::btree::set::BTreeSet<", bTree("map", false)},
	{"alloc::collections::vec_deque::VecDeque<", showIndexed},

	{"alloc::rc::Rc<", counted{"value", "strong.value.value", "weak.value.value", false}.show},
	{"alloc::rc::Weak<", counted{"value", "strong.value.value", "weak.value.value", true}.show},
	{"alloc::sync::Arc<", counted{"data", "strong.v.value", "weak.v.value", false}.show},
	{"alloc::sync::Weak<", counted{"data", "strong.v.value", "weak.v.value", true}.show},

	{"core::cell::Cell<", wrapper("Cell", "value.value")},
	{"core::cell::RefCell<", wrapper("RefCell", "value.value",
		note{"borrow.value.value", "mutably borrowed", func(n int64) bool { return n < 0 }},
		note{"borrow.value.value", "borrowed", func(n int64) bool { return n > 0 }})},
	{"core::cell::UnsafeCell<", wrapper("UnsafeCell", "value")},
	{"std::sync::poison::mutex::Mutex<", wrapper("Mutex", "data.value",
		note{"inner.futex.v.value", "locked", notZero}, note{"poison.failed.v.value", "poisoned", notZero})},
	{"std::sync::poison::rwlock::RwLock<", wrapper("RwLock", "data.value",
		note{"inner.state.v.value", "locked", notZero}, note{"poison.failed.v.value", "poisoned", notZero})},
	{"core::cell::Ref<", throughPointer("value.pointer")},
	{"core::cell::RefMut<", throughPointer("value.pointer")},
	{"core::sync::atomic::AtomicBool", atomicBool},
	{"core::sync::atomic::Atomic", throughMember("v.value")},
}

// notZero is the condition of notes about a count or flag that is set.
func notZero(n int64) bool { return n != 0 }

// A note is a word that is shown after a value if a number among its members
// satisfies a condition.
type note struct {
	path string
	word string
	when func(int64) bool
}

// wrapper shows a type that wraps one value as "Cell(6)", followed by the notes
// that apply.
func wrapper(name, path string, notes ...note) showFunc {
	return func(r *renderer, o Object, depth, pointers int) (content, error) {
		inner, err := o.down(path)
		if err != nil {
			return content{}, err
		}
		v := r.value(inner, depth+1, pointers)
		c := content{text: name + "(" + v.Text + ")", children: []Value{v}, cut: v.Cut}
		var words []string
		for _, n := range notes {
			if m, err := o.down(n.path); err == nil {
				if x, err := m.Int(); err == nil && n.when(x) {
					words = append(words, n.word)
				}
			}
		}
		if len(words) > 0 {
			c.text += " (" + strings.Join(words, ", ") + ")"
		}
		return c, nil
	}
}

// throughMember shows only a member.
func throughMember(path string) showFunc {
	return func(r *renderer, o Object, depth, pointers int) (content, error) {
		inner, err := o.down(path)
		if err != nil {
			return content{}, err
		}
		v := r.value(inner, depth, pointers)
		return content{text: v.Text, children: v.Children, cut: v.Cut}, nil
	}
}

// throughPointer shows only the target of a member.
func throughPointer(path string) showFunc {
	return func(r *renderer, o Object, depth, pointers int) (content, error) {
		p, err := o.down(path)
		if err != nil {
			return content{}, err
		}
		to, err := p.Deref()
		if err != nil {
			return content{}, err
		}
		v := r.value(to, depth+1, pointers+1)
		return content{text: v.Text, children: v.Children, cut: v.Cut}, nil
	}
}

// atomicBool shows the byte of an AtomicBool as a truth value.
func atomicBool(_ *renderer, o Object, _, _ int) (content, error) {
	n, err := o.number("v", "value")
	return content{text: boolText(n)}, err
}
