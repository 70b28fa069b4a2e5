package rawschema

import "encoding/json"

// A HeaderPath is a property with x-mcp-header and how to get there.
type HeaderPath struct {
	Path   []string // of names of properties, from the arguments on
	Header string   // the part after Mcp-Param-
}

// HeaderPaths returns the properties that have a header, through chains of
// properties.
func HeaderPaths(schema []byte) []HeaderPath {
	var found []HeaderPath
	var walk func(raw []byte, path []string)
	walk = func(raw []byte, path []string) {
		var node struct {
			Header     string                     `json:"x-mcp-header"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(raw, &node) != nil {
			return // a boolean, or a property of another form that has that name
		}
		if node.Header != "" && len(path) > 0 {
			found = append(found, HeaderPath{Path: append([]string(nil), path...), Header: node.Header})
		}
		for name, property := range node.Properties {
			walk(property, append(path, name))
		}
	}
	walk(schema, nil)
	return found
}
