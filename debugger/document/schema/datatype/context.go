package datatype

import "github.com/triptych-mcp/triptych/debugger/document/schema/event"

// A Name is an expanded name.
type Name = event.Name

// space is the namespace of the built-in types.
const space = "http://www.w3.org/2001/XMLSchema"

// An Ender is a Context whose work may have to end. Long lists ask it between items. A list that
// ends so counts as not valid, so the caller asks, too.
type Ender interface{ Ended() bool }

// A Spender is a Context with a limit of the steps that comparisons with patterns may take
// together. Spend reports whether the limit permits the steps. A value for which it does not
// counts as not valid, so the caller asks, too.
type Spender interface{ Spend(steps int) bool }

// itemsBetween is the number of items between two questions to an [Ender].
const itemsBetween = 64

// A Scope resolves prefixes where a value stands.
type Scope interface {
	// Lookup returns the namespace of a prefix. The prefix "" stands for names without
	// one; it is always known.
	Lookup(prefix string) (string, bool)
}

// A Context holds all that the validity of a value may depend on. It may be nil for types that
// have no values of type QName, NOTATION or ENTITY.
type Context interface {
	Scope
	// UnparsedEntity reports whether the document declares an unparsed entity.
	UnparsedEntity(name string) bool
	// Notation reports whether the schema declares a notation.
	Notation(name Name) bool
}
