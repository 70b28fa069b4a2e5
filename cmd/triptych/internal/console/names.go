package console

import (
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// A namedRecord is a record with the name of its key, "" if it has none.
type namedRecord struct {
	audit.Record
	KeyName string
}

// named returns records with the names of their keys.
func (v *visit) named(records []audit.Record) []namedRecord {
	ids := make([]string, len(records))
	for i := range records {
		ids[i] = records[i].Key
	}
	names, all := v.keyNames(ids), make([]namedRecord, len(records))
	for i := range records {
		all[i] = namedRecord{records[i], names[records[i].Key]}
	}
	return all
}

// keyNames returns the names of the keys with these ids.
func (v *visit) keyNames(ids []string) map[string]string {
	if v.c.cfg.Keys == nil {
		return nil
	}
	return keys.Names(v.r.Context(), v.c.cfg.Keys(v.caller), ids)
}

// keyIDs returns the ids of the keys that a word names, none for an empty word.
func (v *visit) keyIDs(word string) ([]string, error) {
	switch {
	case word == "":
		return nil, nil
	case v.c.cfg.Keys == nil:
		return []string{word}, nil
	}
	return keys.IDsOf(v.r.Context(), v.c.cfg.Keys(v.caller), word)
}
