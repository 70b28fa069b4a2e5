// Package setupcmd is triptych config, which writes the configuration of editors and
// assistants, and triptych doctor, which checks that everything works.
package setupcmd
