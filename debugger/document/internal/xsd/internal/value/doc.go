// Package value compares and checks values of the XML Schema datatypes.
package value
