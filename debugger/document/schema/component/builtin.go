package component

import (
	"sync"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

// AnyType is the ur-type: everything is derived from it (part 1, section 3.4.7).
var AnyType = newAnyType()

func newAnyType() *Complex {
	t := &Complex{Name: Name{Space: Space, Local: "anyType"}, Derivation: Restriction, Content: Mixed}
	t.Base = t
	t.AnyAttribute = &Wildcard{Process: Lax, Text: "##any"}
	any := &Particle{Min: 0, Max: Unbounded, Term: &Wildcard{Process: Lax, Text: "##any"}}
	t.Particle = &Particle{Min: 1, Max: 1, Term: &Group{Particles: []*Particle{any}}}
	t.Finish()
	return t
}

// AnySimpleType is the base of all simple types.
var AnySimpleType = Builtin(Name{Space: Space, Local: "anySimpleType"}).(*Simple)

// simples holds the built-in types that were asked for, by name.
var simples = struct {
	sync.Mutex
	made map[string]*Simple
}{made: map[string]*Simple{}}

// Builtin returns the built-in type with a name, or nil.
func Builtin(name Name) Type {
	if name.Space != Space {
		return nil
	}
	if name.Local == "anyType" {
		return AnyType
	}
	simples.Lock()
	defer simples.Unlock()
	if s := builtin(datatype.Builtin(name.Local)); s != nil {
		return s
	}
	return nil
}

// builtin returns the component of a built-in data type, with those it is derived from.
func builtin(data *datatype.Type) *Simple {
	if data == nil {
		return nil
	}
	local := data.Name().Local
	if s := simples.made[local]; s != nil {
		return s
	}
	s := &Simple{Name: Name{Space: Space, Local: local}, Base: AnyType, Data: data}
	simples.made[local] = s
	if base := builtin(data.Base()); base != nil {
		s.Base = base
	}
	if data.Variety() == datatype.List {
		s.Item = builtin(data.Item())
	}
	return s
}

// instanceAttributes are the attributes that are declared without a schema (part 1,
// section 3.2.7).
var instanceAttributes = func() map[Name]*Attribute {
	all := map[Name]*Attribute{}
	for local, kind := range map[string]string{"type": "QName", "nil": "boolean", "schemaLocation": "anyURI", "noNamespaceSchemaLocation": "anyURI"} {
		name := Name{Space: InstanceSpace, Local: local}
		a := &Attribute{Name: name, Type: Builtin(Name{Space: Space, Local: kind}).(*Simple)}
		if local == "schemaLocation" {
			list, _ := datatype.NewList(Name{}, a.Type.Data)
			a.Type = &Simple{Base: AnySimpleType, Data: list, Item: a.Type}
		}
		all[name] = a
	}
	return all
}()
