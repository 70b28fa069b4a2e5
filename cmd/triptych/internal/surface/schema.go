package surface

import (
	"encoding/json"
	"strings"
)

// A Schema is as much of an input schema as fits into a table.
type Schema struct {
	Properties Members  `json:"properties"`
	Required   []string `json:"required"`
}

// Members are the members of an object in their order.
type Members []Member

// A Member is a name and its JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// UnmarshalJSON implements [json.Unmarshaler].
func (o *Members) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(strings.NewReader(string(text)))
	if _, err := dec.Token(); err != nil { // the opening brace
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		m := Member{}
		m.Name, _ = name.(string)
		if err := dec.Decode(&m.Value); err != nil {
			return err
		}
		*o = append(*o, m)
	}
	return nil
}
