// Package component holds the schema components of XML Schema 1.0 (part 1, section 3):
// what schema documents declare, after all references were resolved.
package component

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// A Name is an expanded name.
type Name = event.Name

// Space is the namespace of schema documents, and InstanceSpace that of xsi:type.
const (
	Space         = "http://www.w3.org/2001/XMLSchema"
	InstanceSpace = "http://www.w3.org/2001/XMLSchema-instance"
)

// Unbounded is the number of occurrences without a limit.
const Unbounded = -1

// A Set holds kinds of derivation, for block, final and the like.
type Set uint8

// The kinds of derivation.
const (
	Extension Set = 1 << iota
	Restriction
	Substitution
	List
	Union
)

// Has reports whether s contains one of the kinds in other.
func (s Set) Has(other Set) bool { return s&other != 0 }

// A Type is a [*Simple] or a [*Complex].
type Type interface {
	// TypeName is the zero name for anonymous types.
	TypeName() Name
	// BaseType is the type that this one is derived from. That of anyType is anyType.
	BaseType() Type
}

// A Simple is a simple type.
type Simple struct {
	Name    Name
	Base    Type // anyType for anySimpleType
	Data    *datatype.Type
	Final   Set
	Item    *Simple   // of a list
	Members []*Simple // of a union
}

// TypeName implements [Type].
func (s *Simple) TypeName() Name { return s.Name }

// BaseType implements [Type].
func (s *Simple) BaseType() Type { return s.Base }

// A Content is the kind of content of a complex type.
type Content uint8

// The kinds of content.
const (
	Empty Content = iota
	SimpleContent
	ElementOnly
	Mixed
)

// A Complex is a complex type.
type Complex struct {
	Name         Name
	Base         Type
	Derivation   Set // Extension or Restriction
	Abstract     bool
	Final, Block Set
	Attributes   []*AttributeUse
	AnyAttribute *Wildcard
	Content      Content
	Simple       *Simple   // type of simple content
	Particle     *Particle // content model of the other kinds; nil if there are no elements

	uses map[Name]*AttributeUse // made by Finish
}

// TypeName implements [Type].
func (c *Complex) TypeName() Name { return c.Name }

// BaseType implements [Type].
func (c *Complex) BaseType() Type { return c.Base }

// Finish indexes the attributes. It is called when the type is complete.
func (c *Complex) Finish() {
	c.uses = make(map[Name]*AttributeUse, len(c.Attributes))
	for _, use := range c.Attributes {
		c.uses[use.Decl.Name] = use
	}
}

// Use returns the use of the attribute with a name, or nil.
func (c *Complex) Use(name Name) *AttributeUse { return c.uses[name] }

// HasMixedContent reports whether text may stand between the children.
func (c *Complex) HasMixedContent() bool { return c.Content == Mixed }

// A Constraint is a default or fixed value.
type Constraint struct {
	Text  string
	Fixed bool
	Value datatype.Value // of a simple type
	OK    bool           // Value is set
}

// An Element is an element declaration.
type Element struct {
	Name               Name
	Type               Type
	Global             bool
	Nillable, Abstract bool
	Value              *Constraint
	Head               *Element // of the substitution group that this is a member of
	Block, Final       Set
	Identities         []*Identity
	Missing            string // what it refers to in vain, so that it cannot be used; or ""
}

// An Attribute is an attribute declaration.
type Attribute struct {
	Name  Name
	Type  *Simple
	Value *Constraint
}

// An AttributeUse is an attribute of a complex type.
type AttributeUse struct {
	Decl     *Attribute
	Required bool
	Value    *Constraint // of the use; that of the declaration if nil
}

// Constraint returns the default or fixed value, or nil.
func (u *AttributeUse) Constraint() *Constraint {
	if u.Value != nil {
		return u.Value
	}
	return u.Decl.Value
}

// A Particle is a term that occurs a number of times.
type Particle struct {
	Min, Max int // Max may be Unbounded
	Term     Term
}

// A Term is an [*Element], a [*Wildcard] or a [*Group].
type Term any

// A Compositor is a kind of group.
type Compositor uint8

// The kinds of groups.
const (
	Sequence Compositor = iota
	Choice
	All
)

// A Group is a model group.
type Group struct {
	Kind      Compositor
	Particles []*Particle
}

// A Process says how strictly a wildcard validates.
type Process uint8

// How a wildcard validates what it admits.
const (
	Strict Process = iota
	Lax
	Skip
)

// An Identity is an identity-constraint definition.
type Identity = identity.Constraint
