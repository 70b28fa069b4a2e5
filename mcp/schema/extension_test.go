package schema_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/mcp/schema"
)

// An extension is decoded and published, but not part of the documented schema.
func TestExtension(t *testing.T) {
	type args struct {
		Day  int  `json:"day"`
		Year *int `json:"year" extension:"true"`
	}
	s, err := schema.For[args]()
	if err != nil {
		t.Fatal(err)
	}
	const documented = `{"type":"object","properties":{"day":{"type":"integer"}},"required":["day"]}`
	if got := string(s.Documented()); got != documented {
		t.Errorf("documented %s, want %s", got, documented)
	}
	const full = `{"type":"object","properties":{"day":{"type":"integer"},"year":{"type":"integer"}},"required":["day"]}`
	if got := string(s.JSON()); got != full {
		t.Errorf("schema %s, want %s", got, full)
	}
	var got args
	if err := s.Decode([]byte(`{"day":1,"year":2024}`), &got); err != nil || got.Year == nil || *got.Year != 2024 {
		t.Errorf("decoded %+v, %v", got, err)
	}
	type required struct {
		Year int `json:"year" extension:"true"`
	}
	if _, err := schema.For[required](); err == nil {
		t.Error("a required extension is accepted")
	}
}

// An argument that is not listed is decoded, and only the complete schema has it.
func TestUnlisted(t *testing.T) {
	type args struct {
		Day  int  `json:"day"`
		Fast bool `json:"fast,omitempty" listed:"false" doc:"Now"`
	}
	s, err := schema.For[args]()
	if err != nil {
		t.Fatal(err)
	}
	const listed = `{"type":"object","properties":{"day":{"type":"integer"}},"required":["day"]}`
	if got := string(s.JSON()); got != listed || string(s.Documented()) != listed {
		t.Errorf("schema %s, documented %s, want %s", got, s.Documented(), listed)
	}
	const complete = `{"type":"object","properties":{"day":{"type":"integer"},"fast":{"type":"boolean","description":"Now"}},"required":["day"]}`
	if got := string(s.Complete()); got != complete {
		t.Errorf("complete %s, want %s", got, complete)
	}
	var got args
	if err := s.Decode([]byte(`{"day":1,"fast":true}`), &got); err != nil || !got.Fast {
		t.Errorf("decoded %+v, %v", got, err)
	}
	type required struct {
		Fast bool `json:"fast" listed:"false"`
	}
	if _, err := schema.For[required](); err == nil {
		t.Error("a required argument that is not listed is accepted")
	}
}
