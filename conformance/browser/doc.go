// Package browser opens the console, the login and the invitations of a server in Chromium.
//
// node/pages.mjs signs in by a link that works once, writes a ruleset with the keyboard
// alone and changes it without scripts. Then it opens every page in light on a desk and in
// dark on a phone, and reports what axe finds (WCAG 2.2 AA and best practice), what
// is wider than a phone, what the console of the browser says, such as that the content
// security policy was violated, and requests to other hosts.
//
// node/login.mjs has a client of the TypeScript SDK log in from nothing: a person pastes the link
// of an invitation into the login page, is sent back to the client on loopback, and it calls a
// tool. It looks at these pages, and those of another link, on four screens.
//
// With TRIPTYCH_TEST_PICTURES set to a folder, screenshots are written there, also in dark
// on a desk and in light on a phone.
//
// The tests need chromium, node, npm and the packages that package-lock.json names. They
// are installed into node/node_modules once. Without them the tests skip, but where CI
// is set a missing package is a failure.
package browser
