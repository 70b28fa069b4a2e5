package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// Decode reads args, a checked JSON object or nothing, into dst, a pointer to
// the schema's struct. It returns an [*Error] with the violations: those of the
// fields in their order, then unknown arguments in theirs, then those that the
// struct's Validate method returns when there are no others. What it costs, and
// the size of the error, do not grow with the number of violations beyond
// [MaxViolations].
func (s *Schema) Decode(args []byte, dst any) error {
	var found Error
	v := reflect.ValueOf(dst).Elem()
	s.root.decode(args, v, "", &found)
	if len(found.Violations) > 0 {
		return &Error{found.Violations, found.More}
	}
	if rules, ok := dst.(interface{ Validate() error }); ok {
		return ruleError(rules.Validate())
	}
	return nil
}

// ruleError gives what a Validate method says the form of the others.
func ruleError(err error) error {
	if err == nil {
		return nil
	}
	if found, ok := errors.AsType[*Error](err); ok {
		return found
	}
	return &Error{Violations: []Violation{{Kind: Rule, Message: err.Error()}}}
}

// spans are the values of an object's fields as they stand in the message. A
// few fields fit without an allocation.
type spans struct {
	few  [8][]byte
	many [][]byte
}

func (s *spans) of(fields int) [][]byte {
	if fields <= len(s.few) {
		return s.few[:fields]
	}
	s.many = make([][]byte, fields)
	return s.many
}

func (o *object) decode(raw []byte, v reflect.Value, path string, found *Error) {
	var room spans
	values := room.of(len(o.fields))
	var late Error
	if len(raw) > 0 {
		o.split(raw, values, path, &late)
	}
	for i := range o.fields {
		o.fields[i].decode(values[i], v, join(path, o.fields[i].name), found)
	}
	found.merge(&late)
}

// split finds the values of the fields; late gets what has no field, and names
// that are there twice.
func (o *object) split(raw []byte, values [][]byte, path string, late *Error) {
	members := jsonrpc.Members(raw)
	for members.Next() {
		key := members.Key()
		switch i := o.field(key); {
		case i < 0:
			if !late.full() {
				late.add(Unknown, join(path, string(key)), o.unknown(string(key)))
			}
		case values[i] != nil:
			if !late.full() {
				late.add(Rule, join(path, string(key)), fmt.Sprintf("argument %q is there twice", key))
			}
		default:
			values[i] = members.Value()
		}
	}
}

// field is the index of the field of that name, -1 if there is none.
func (o *object) field(name []byte) int {
	for i := range o.fields {
		if o.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

func (o *object) unknown(name string) string {
	message := fmt.Sprintf("unknown argument %q", shortened(name))
	if near := o.near(name); near != "" {
		message += fmt.Sprintf("; did you mean %q?", near)
	}
	return message
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (f *field) decode(raw []byte, v reflect.Value, path string, found *Error) {
	if raw == nil || string(raw) == "null" && !f.required {
		if f.fallback == nil {
			if f.required {
				found.add(Missing, path, fmt.Sprintf("missing required argument %q", path))
			}
			return
		}
		raw = f.fallback
	}
	at := v.FieldByIndex(f.index)
	if f.pointer {
		at.Set(reflect.New(f.shape.typ))
		at = at.Elem()
	}
	f.shape.decode(raw, at, path, found)
}

// decode reads one value.
func (s *shape) decode(raw []byte, v reflect.Value, path string, found *Error) {
	ok := false
	switch s.kind {
	case anyKind:
		ok = json.Unmarshal(raw, v.Addr().Interface()) == nil
	case stringKind:
		if ok = raw[0] == '"'; ok {
			s.setString(raw, v, path, found)
		}
	case boolKind:
		if ok = raw[0] == 't' || raw[0] == 'f'; ok {
			v.SetBool(raw[0] == 't')
		}
	case intKind:
		ok = s.setInt(raw, v, path, found)
	case floatKind:
		ok = s.setFloat(raw, v, path, found)
	case timeKind:
		ok = setTime(raw, v)
	case arrayKind:
		if ok = raw[0] == '['; ok {
			s.setArray(raw, v, path, found)
		}
	case mapKind:
		if ok = raw[0] == '{'; ok {
			s.setMap(raw, v, path, found)
		}
	case objectKind:
		if ok = raw[0] == '{'; ok {
			s.object.decode(raw, v, path, found)
		}
	}
	if !ok {
		found.add(Type, path, path+" must be "+s.want())
	}
}

// want says what a value should have been.
func (s *shape) want() string {
	if s.kind == intKind && s.min != nil && *s.min == 1 {
		return "a positive integer"
	}
	switch s.kind {
	case stringKind:
		return "a string"
	case boolKind:
		return "true or false"
	case intKind:
		return "an integer"
	case floatKind:
		return "a number"
	case timeKind:
		return "a time such as 2025-12-01T10:30:00Z"
	case arrayKind:
		return "an array"
	case anyKind:
		return "JSON"
	case mapKind, objectKind:
	}
	return "an object"
}

func (s *shape) setString(raw []byte, v reflect.Value, path string, found *Error) {
	text := jsonrpc.Unquote(raw)
	v.SetString(text)
	if s.enum != nil && !slices.Contains(s.enum, text) {
		found.add(Enum, path, fmt.Sprintf("%s must be one of %s", path, strings.Join(s.enum, ", ")))
	}
	if s.min != nil || s.max != nil {
		s.checkLength(utf8.RuneCountInString(text), "characters", path, found)
	}
}

func (s *shape) checkLength(n int, unit, path string, found *Error) {
	if s.min != nil && float64(n) < *s.min {
		found.add(Length, path, fmt.Sprintf("%s must have at least %v %s", path, *s.min, unit))
	}
	if s.max != nil && float64(n) > *s.max {
		found.add(Length, path, fmt.Sprintf("%s must have at most %v %s", path, *s.max, unit))
	}
}

// setInt takes any number whose value is whole and fits, however it is written.
func (s *shape) setInt(raw []byte, v reflect.Value, path string, found *Error) bool {
	n, ok := integer(raw)
	if !ok || v.CanInt() && v.OverflowInt(n) || v.CanUint() && (n < 0 || v.OverflowUint(uint64(n))) {
		return false
	}
	if v.CanUint() {
		v.SetUint(uint64(n))
	} else {
		v.SetInt(n)
	}
	s.checkRange(float64(n), path, found)
	return true
}

func integer(raw []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	if raw[0] == '"' || len(raw) > 40 {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.Abs(f) > 1<<63 {
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(string(raw))
	if !ok || !exact.IsInt() || !exact.Num().IsInt64() {
		return 0, false
	}
	return exact.Num().Int64(), true
}

func (s *shape) setFloat(raw []byte, v reflect.Value, path string, found *Error) bool {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return false
	}
	v.SetFloat(f)
	s.checkRange(f, path, found)
	return true
}

func (s *shape) checkRange(f float64, path string, found *Error) {
	switch {
	case s.min != nil && f < *s.min && s.kind == intKind && *s.min == 1:
		found.add(Range, path, path+" must be a positive integer")
	case s.min != nil && f < *s.min:
		found.add(Range, path, path+" must be at least "+decimal(*s.min))
	case s.max != nil && f > *s.max:
		found.add(Range, path, path+" must be at most "+decimal(*s.max))
	}
}

// decimal writes a limit as people do, without an exponent.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func setTime(raw []byte, v reflect.Value) bool {
	if raw[0] != '"' {
		return false
	}
	t, err := time.Parse(time.RFC3339, jsonrpc.Unquote(raw))
	if err == nil {
		v.Set(reflect.ValueOf(t))
	}
	return err == nil
}

// maxItems is the number of items that an array, or members that a map, may have. Each costs
// some hundred bytes of memory while it is decoded.
const maxItems = 100_000

func tooMany(path, unit string) string {
	return fmt.Sprintf("%s must have at most %d %s", path, maxItems, unit)
}

func (s *shape) setArray(raw []byte, v reflect.Value, path string, found *Error) {
	v.Set(reflect.MakeSlice(s.typ, 0, 0))
	elements := jsonrpc.Elements(raw)
	n := 0
	for ; elements.Next(); n++ {
		if n == maxItems {
			found.add(Length, path, tooMany(path, "items"))
			return
		}
		elem := reflect.New(s.elem.typ).Elem()
		s.elem.decode(elements.Value(), elem, path+"["+strconv.Itoa(n)+"]", found)
		v.Set(reflect.Append(v, elem))
	}
	s.checkLength(n, "items", path, found)
}

func (s *shape) setMap(raw []byte, v reflect.Value, path string, found *Error) {
	v.Set(reflect.MakeMap(s.typ))
	members := jsonrpc.Members(raw)
	for n := 0; members.Next(); n++ {
		if n == maxItems {
			found.add(Length, path, tooMany(path, "members"))
			return
		}
		elem := reflect.New(s.elem.typ).Elem()
		s.elem.decode(members.Value(), elem, path+"["+strconv.Quote(shortened(string(members.Key())))+"]", found)
		v.SetMapIndex(reflect.ValueOf(string(members.Key())).Convert(s.typ.Key()), elem)
	}
}
