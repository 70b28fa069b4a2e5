// Package xmltools has the tools for XML documents.
package xmltools
