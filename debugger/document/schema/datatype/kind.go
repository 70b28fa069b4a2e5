package datatype

// A kind is a primitive type.
type kind uint8

const (
	noKind kind = iota // of anySimpleType, lists and unions
	stringKind
	booleanKind
	decimalKind
	floatKind
	doubleKind
	durationKind
	dateTimeKind
	timeKind
	dateKind
	gYearMonthKind
	gYearKind
	gMonthDayKind
	gDayKind
	gMonthKind
	hexBinaryKind
	base64BinaryKind
	anyURIKind
	qNameKind
	notationKind
)

// primitives are the names of the primitive types, in the order of the kinds.
var primitives = [...]string{
	"", "string", "boolean", "decimal", "float", "double", "duration", "dateTime", "time", "date", "gYearMonth", "gYear",
	"gMonthDay", "gDay", "gMonth", "hexBinary", "base64Binary", "anyURI", "QName", "NOTATION",
}

// ordered reports whether types of the kind have bounds.
func (k kind) ordered() bool { return k >= decimalKind && k <= gMonthKind }

// hasLength reports whether types of the kind have a length.
func (k kind) hasLength() bool { return k == stringKind || k >= hexBinaryKind }

// A subset is the part of a primitive type that a built-in type leaves.
type subset uint8

const (
	whole subset = iota
	integers
	languages
	nmtokens
	names
	ncNames
)

// A role tells values that identify or refer to something.
type role uint8

const (
	noRole role = iota
	idRole
	idrefRole
	entityRole
)

// An order is the result of a comparison.
type order uint8

const (
	incomparable order = iota
	less
	equal
	greater
)

// orderOf returns the order for a negative, zero or positive number.
func orderOf(n int) order {
	switch {
	case n < 0:
		return less
	case n > 0:
		return greater
	}
	return equal
}

func (o order) reversed() order {
	switch o {
	case less:
		return greater
	case greater:
		return less
	}
	return o
}
