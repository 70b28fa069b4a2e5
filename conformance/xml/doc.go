// Package xml compares the tools for XML documents with others: with the verdicts of
// the W3C's test suites for XML Schema 1.0 and XPath 3.1, with xmllint, and with Xerces and xmllint
// on schemas and documents of public projects. The suites and the projects are not part
// of this repository; testdata/schemas.txt lists the projects and fetch.sh clones them.
// All is in the tests; those that lack what they compare with are skipped.
package xml
