// Package xml asks the tools for XML documents what others wrote down: the W3C's
// test suite for XML Schema 1.0, which is not part of this repository, and xmllint,
// which is another program that answers the same questions. All is in its tests;
// those that miss what they compare with say so when they skip.
package xml
