package dwarfread

import "debug/dwarf"

// Tags and attributes without a name in debug/dwarf: of GNU compilers and of Go.
const (
	tagGNUCallSite          dwarf.Tag = 0x4109
	tagGNUCallSiteParameter dwarf.Tag = 0x410a

	attrGNUCallSiteValue  dwarf.Attr = 0x2111
	attrGNUCallSiteTarget dwarf.Attr = 0x2113
	attrGNUTailCall       dwarf.Attr = 0x2115
	AttrGoKind            dwarf.Attr = 0x2900
	AttrGoKey             dwarf.Attr = 0x2901
	AttrGoElem            dwarf.Attr = 0x2902
	attrGoRuntimeType     dwarf.Attr = 0x2904
)
