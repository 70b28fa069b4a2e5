// Package rulesets is the rulesets family: a team's rules for AI editors, as
// tools to change them and resources to read them.
//
// [Config] picks the store: a folder of Markdown files (package filestore), or
// Valkey and Redis (package valkeystore). The vocabulary is package ruleset.
package rulesets
