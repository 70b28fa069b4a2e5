package rawschema

import (
	"bytes"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A place says how a keyword of JSON Schema holds schemas.
type place uint8

const (
	noSchema    place = iota
	oneSchema         // a schema
	schemaMap         // an object whose members are schemas
	schemaList        // an array of schemas
	objectsOnly       // a schema, whose booleans every draft knows
)

// places are the keywords that hold schemas. Others hold data, which may look
// like a schema and is left alone.
var places = map[string]place{
	"properties": schemaMap, "patternProperties": schemaMap, "$defs": schemaMap, "definitions": schemaMap, "dependentSchemas": schemaMap,
	"allOf": schemaList, "anyOf": schemaList, "oneOf": schemaList, "prefixItems": schemaList,
	"items": oneSchema, "contains": oneSchema, "not": oneSchema, "if": oneSchema, "then": oneSchema, "else": oneSchema, "propertyNames": oneSchema,
	"additionalProperties": objectsOnly, "additionalItems": objectsOnly, "unevaluatedProperties": objectsOnly, "unevaluatedItems": objectsOnly,
}

// WithoutBooleans returns a schema for revisions in whose published schemas every
// property is an object: true becomes {}, false {"not":{}}. A schema without
// such booleans is returned as it is.
func WithoutBooleans(schema []byte) []byte {
	if !bytes.Contains(schema, []byte("true")) && !bytes.Contains(schema, []byte("false")) {
		return schema
	}
	return appendPlain(nil, schema)
}

// appendPlain writes a schema without booleans.
func appendPlain(dst, schema []byte) []byte {
	switch {
	case string(schema) == "true":
		return append(dst, `{}`...)
	case string(schema) == "false":
		return append(dst, `{"not":{}}`...)
	case !isObject(schema):
		return append(dst, schema...)
	}
	return appendMembers(dst, schema, func(dst, key, value []byte) []byte { return appendPlace(dst, value, places[string(key)]) })
}

// appendMembers writes an object with other values.
func appendMembers(dst, object []byte, other func(dst, key, value []byte) []byte) []byte {
	dst = append(dst, '{')
	from := len(dst)
	members := jsonrpc.Members(object)
	for members.Next() {
		dst = append(jsonrpc.AppendString(appendComma(dst, from), string(members.Key())), ':')
		dst = other(dst, members.Key(), members.Value())
	}
	return append(dst, '}')
}

// appendPlace writes the value of a keyword.
func appendPlace(dst, value []byte, where place) []byte {
	list := len(value) > 0 && value[0] == '['
	switch {
	case where == schemaMap && isObject(value):
		return appendMembers(dst, value, func(dst, _, value []byte) []byte { return appendPlain(dst, value) })
	case (where == schemaList || where == oneSchema) && list: // of items, up to draft 2019-09
		return appendElements(dst, value)
	case where == oneSchema, where == objectsOnly && isObject(value):
		return appendPlain(dst, value)
	}
	return append(dst, value...)
}

func appendElements(dst, array []byte) []byte {
	dst = append(dst, '[')
	from := len(dst)
	elements := jsonrpc.Elements(array)
	for elements.Next() {
		dst = appendPlain(appendComma(dst, from), elements.Value())
	}
	return append(dst, ']')
}

func appendComma(dst []byte, from int) []byte {
	if len(dst) > from {
		return append(dst, ',')
	}
	return dst
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }
