package frontmatter

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// An alias is the key by which an editor calls a key of the canonical model. It is
// read only while the canonical key has no value.
type alias struct {
	key   string
	means string // the canonical key
	read  func(f *Fields, value *yaml.Node, described bool) error
}

// aliases is read in this order. Sources: the editors' documents on rules, read in
// November 2026.
var aliases = []alias{
	{"paths", "globs", globsAlias},            // Claude Code, Cline, Qwen
	{"applyTo", "globs", globsAlias},          // GitHub Copilot
	{"fileMatchPattern", "globs", globsAlias}, // Kiro
	{"alwaysApply", "activation", alwaysApply},
	{"trigger", "activation", modeAlias},   // Devin, Windsurf, Antigravity
	{"inclusion", "activation", modeAlias}, // Kiro
	{"type", "activation", modeAlias},      // Augment
}

func globsAlias(f *Fields, value *yaml.Node, _ bool) error {
	globs, err := texts(value)
	if len(f.Globs) == 0 {
		f.Globs = globs
	}
	return err
}

// alwaysApply reads Cursor's key: without it and without globs, a rule is for the
// model to choose by its description, or for the user where it has none.
func alwaysApply(f *Fields, value *yaml.Node, described bool) error {
	var always bool
	if value.Decode(&always) != nil {
		return errors.New("must be true or false")
	}
	switch {
	case f.Activation != "":
	case always:
		f.Activation = Always
	case len(f.Globs) > 0:
		f.Activation = Glob
	case described:
		f.Activation = Auto
	default:
		f.Activation = Manual
	}
	return nil
}

// modes are the words of editors for the modes.
var modes = map[string]Mode{
	"always_on": Always, "always": Always, "always_apply": Always,
	"glob": Glob, "fileMatch": Glob,
	"model_decision": Auto, "auto": Auto, "agent_requested": Auto,
	"manual": Manual,
}

// modeAlias reads a word for a mode. Other words mean something else: type is a
// common key.
func modeAlias(f *Fields, value *yaml.Node, _ bool) error {
	if mode, ok := modes[value.Value]; ok && f.Activation == "" {
		f.Activation = mode
	}
	return nil
}
