// Package bugtools has the tool that searches source code for similar bugs.
package bugtools
