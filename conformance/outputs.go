package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// outputs holds the output schemas that a server listed, by tool. A tool with an
// output schema must return conforming structured content unless it fails
// (2025-06-18 and later, tools). Clients discard results that do not conform.
type outputs map[string]*jsonschema.Schema

// list adds the schemas of a tools/list result.
func (o outputs) list(result json.RawMessage) error {
	var list struct {
		Tools []struct {
			Name   string          `json:"name"`
			Output json.RawMessage `json:"outputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return err
	}
	for _, tool := range list.Tools {
		if tool.Output == nil {
			continue
		}
		schema, err := compileOutput(tool.Output)
		if err != nil {
			return fmt.Errorf("output schema of %s: %w", tool.Name, err)
		}
		o[tool.Name] = schema
	}
	return nil
}

func compileOutput(raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("output.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("output.json")
}

// check validates the result of a tool.
func (o outputs) check(tool string, result json.RawMessage) error {
	schema := o[tool]
	var r struct {
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(result, &r); err != nil || schema == nil || r.IsError {
		return err
	}
	if r.Structured == nil {
		return fmt.Errorf("%s has an output schema and no structured content", tool)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.Structured))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("structured content of %s: %w", tool, err)
	}
	if n := inexact(value); n != "" {
		return fmt.Errorf("structured content of %s: hosts round the integer %s", tool, n)
	}
	return nil
}

// inexact returns an integer in a value that hosts in JavaScript cannot read, or that the
// server has replaced by the largest one that they can: 2^53-1 and more. It is "" if there
// is none.
func inexact(value any) string {
	switch v := value.(type) {
	case json.Number:
		n, whole := new(big.Int).SetString(v.String(), 10)
		if whole && n.CmpAbs(big.NewInt(1<<53-1)) >= 0 {
			return v.String()
		}
	case []any:
		for _, item := range v {
			if n := inexact(item); n != "" {
				return n
			}
		}
	case map[string]any:
		for _, member := range v {
			if n := inexact(member); n != "" {
				return n
			}
		}
	}
	return ""
}
