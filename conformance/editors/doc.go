// Package editors asks the official command lines of editors which rule files they load,
// and compares their answers with package rulesets/editors.
//
// Codex prints its prompt and Gemini CLI has functions for it. The others talk to a fake
// language model on loopback, which has them read a file and records the prompts that
// they send: a rule file is loaded if its text is in one. Augment's command line talks to
// a fake service in the same way. None needs an account, and
// all are started with proxies that lead nowhere, so that they reach loopback only.
//
// Each client is a folder in node/ with the version that was asked, which the table of
// package rulesets/editors names. They are installed once, into node/NAME/node_modules, and
// take some 200 MB each. They are asked only if TRIPTYCH_TEST_EDITORS is set, as "make
// conformance" does. Without npm or a registry the tests skip; with CI set they fail.
//
// Not asked: Antigravity, Cursor, Devin, Junie, Kiro, VS Code, Warp and Zed, because they
// need an account or a window, and Amp, whose agent is on its server and not in the
// command line.
package editors
