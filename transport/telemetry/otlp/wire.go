package otlp

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	"google.golang.org/protobuf/encoding/protowire"
)

// A message is an encoded protobuf message to which fields are appended, with the numbers of
// opentelemetry/proto. Zero values are left out, as protobuf does, but where a field's
// presence has a meaning. The order of fields does not matter to a reader; here it is that of
// the numbers.
type message []byte

// bytes appends a nested message, or bytes, also if there are none.
func (m *message) bytes(field protowire.Number, value []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), value)
}

// text appends a text unless it is empty.
func (m *message) text(field protowire.Number, value string) {
	if value != "" {
		*m = protowire.AppendString(protowire.AppendTag(*m, field, protowire.BytesType), value)
	}
}

// varint appends a number or an enum unless it is 0.
func (m *message) varint(field protowire.Number, value uint64) {
	if value != 0 {
		*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), value)
	}
}

// flag appends a bool unless it is false.
func (m *message) flag(field protowire.Number, value bool) {
	m.varint(field, protowire.EncodeBool(value))
}

// fixed64 appends the field also if it is 0.
func (m *message) fixed64(field protowire.Number, value uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), value)
}

// fixed32 appends the field also if it is 0.
func (m *message) fixed32(field protowire.Number, value uint32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), value)
}

// double appends the field also if it is 0.
func (m *message) double(field protowire.Number, value float64) {
	m.fixed64(field, math.Float64bits(value))
}

// time appends a time in nanoseconds, unless it is unknown.
func (m *message) time(field protowire.Number, at time.Time) {
	if !at.IsZero() {
		m.fixed64(field, uint64(at.UnixNano())) // after 1970
	}
}

// packed appends a list of 64-bit numbers.
func (m *message) packed(field protowire.Number, values []uint64) {
	if len(values) == 0 {
		return
	}
	var list message
	for _, v := range values {
		list = protowire.AppendFixed64(list, v)
	}
	m.bytes(field, list)
}

// attributes appends a KeyValue message for each attribute (common/v1/common.proto): key 1,
// value 2.
func (m *message) attributes(field protowire.Number, set []attribute.KeyValue) {
	for _, kv := range set {
		var pair message
		pair.text(1, string(kv.Key))
		pair.bytes(2, anyValue(kv.Value))
		m.bytes(field, pair)
	}
}

// anyValue encodes an AnyValue. Its fields are a oneof: which one is there says the type, so a
// value of 0 is written, too.
//
//	string_value 1, bool_value 2, int_value 3, double_value 4, array_value 5
func anyValue(v attribute.Value) (m message) {
	switch v.Type() {
	case attribute.BOOL:
		m = protowire.AppendVarint(protowire.AppendTag(m, 2, protowire.VarintType), protowire.EncodeBool(v.AsBool()))
	case attribute.INT64:
		m = protowire.AppendVarint(protowire.AppendTag(m, 3, protowire.VarintType), uint64(v.AsInt64())) // two's complement is the encoding
	case attribute.FLOAT64:
		m.double(4, v.AsFloat64())
	case attribute.STRINGSLICE:
		var list message
		for _, s := range v.AsStringSlice() {
			list.bytes(1, anyValue(attribute.StringValue(s)))
		}
		m.bytes(5, list)
	default: // texts, and lists that nothing here makes
		m.bytes(1, []byte(v.String()))
	}
	return m
}

// resourceOf encodes a Resource: attributes 1.
func resourceOf(r *resource.Resource) (m message) {
	m.attributes(1, r.Attributes())
	return m
}

// scopeOf encodes an InstrumentationScope: name 1, version 2, attributes 3.
func scopeOf(s instrumentation.Scope) (m message) {
	m.text(1, s.Name)
	m.text(2, s.Version)
	m.attributes(3, s.Attributes.ToSlice())
	return m
}
