// Package rawschema reads JSON Schemas as text: those of tools whose arguments
// are no struct come as text, and may have any keyword.
//
//	rawschema.WithoutBooleans([]byte(`{"properties":{"any":true}}`)) // {"properties":{"any":{}}}
package rawschema
