// Package event reads an XML document once, as a stream of events with exact
// positions. It checks that the document is well-formed and namespace-well-formed
// (XML 1.0, fifth edition; Namespaces in XML 1.0), reads the internal subset of the
// document type, expands its entities and adds its default attributes. It never
// reads anything but the document itself.
//
// Memory is bounded by the nesting of elements, the longest tag and the names of
// the document, not by its size. A Parser belongs to one goroutine.
package event

// A Name is an expanded name.
type Name struct{ Space, Local string }

// String returns the name as {space}local, or local if it is in no namespace.
func (n Name) String() string {
	if n.Space == "" {
		return n.Local
	}
	return "{" + n.Space + "}" + n.Local
}

// A Kind says which construct an event reports.
type Kind uint8

// Kinds of events. An empty-element tag is a Start and an End.
const (
	Start Kind = iota + 1
	End
	Text
	Other // a comment or a processing instruction in the root element, if Limits.Others is set
)

// An Attr is an attribute of a start tag, or one that the document type adds. Its
// value is normalized by its declared type.
type Attr struct {
	Name         Name
	Prefix       string
	Value        string
	Line, Column int32 // of its name; of the tag if the document type adds it
}

// An NS binds a prefix to a namespace. The prefix of the default namespace is "".
type NS struct{ Prefix, URI string }

// An Event is one construct of the document. Its position is that of the first
// character of the construct; of a construct that an entity holds, it is the position
// of the reference. Lines end with LF, CR LF or CR; columns count characters from 1.
type Event struct {
	Kind         Kind
	Line, Column int
	Offset       int64  // of Start: of its first byte, or behind the reference to the entity that holds it
	Name         Name   // of Start and End
	Prefix       string // of Start and End
	Attrs        []Attr // of Start, without namespace declarations; valid until the next call of Next
	Text         []byte // of Text: a piece of character data; valid until the next call of Next
}

// Limits bounds what a document may need. A zero field has its default.
type Limits struct {
	Depth      int   // nesting of elements; 256
	Attributes int   // attributes of one element, with namespace declarations; 2048
	Size       int64 // bytes of the document; 0 for any size
	Tag        int   // bytes of one tag or declaration; 32 MiB
	Others     bool  // report comments, processing instructions, and the text of empty CDATA sections
	Known      int64 // bytes of the document if the caller knows; entities may then expand in proportion to it
}

func (l Limits) withDefaults() Limits {
	if l.Depth == 0 {
		l.Depth = 256
	}
	if l.Attributes == 0 {
		l.Attributes = 2048
	}
	if l.Tag == 0 {
		l.Tag = 32 << 20
	}
	return l
}

// Entities may enlarge a document by the factor amplification, and by freeExpansion
// bytes in any case.
const (
	amplification = 2
	freeExpansion = 64 << 10
)
