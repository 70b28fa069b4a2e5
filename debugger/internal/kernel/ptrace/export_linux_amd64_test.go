package ptrace

// LegacyState and SetLegacyState are XState and SetXState without XSAVE.
var (
	LegacyState    = legacyState
	SetLegacyState = setLegacyState
)
