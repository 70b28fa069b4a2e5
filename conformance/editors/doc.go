// Package editors asks the official command lines of editors which rule files they load,
// and compares their answers with package rulesets/editors.
//
// Codex prints its prompt and Gemini CLI has functions for it. The others talk to a fake
// language model on loopback, which has them read a file and records the prompts that
// they send: a rule file is loaded if its text is in one. None needs an account, and all
// are started with proxies that lead nowhere, so that they reach loopback only.
//
// Each client is a folder in node/ with the version that was asked. They are installed
// once, into node/NAME/node_modules, and take some 200 MB each. They are asked only if
// TRIPTYCH_TEST_EDITORS is set, as "make conformance" does. Without npm or a registry the
// tests skip; with CI set they fail.
//
// Not asked, because they need an account or a window: Amp, Antigravity, Augment, Cursor,
// Devin, Junie, Kiro, VS Code, Warp and Zed. Cline's command line does not end without a
// terminal.
package editors
