package hosts

import (
	"strconv"
	"strings"
)

// Sees returns what the user of the host sees.
func (r *Report) Sees(url string) string {
	if r.Trouble == None {
		return "connected, " + strconv.Itoa(r.Tools) + " tools, revision " + r.Revision
	}
	text, ok := r.Host.Sees[r.Trouble]
	if !ok {
		text = "{text}"
	}
	status := ""
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	return strings.NewReplacer("{text}", r.Text, "{status}", status, "{url}", url).Replace(text)
}

// Reason returns which request failed and what the server says, unless the user sees that.
func (r *Report) Reason(url string) string {
	if r.Trouble == None || r.Text == "" || strings.Contains(r.Sees(url), r.Text) {
		return ""
	}
	return r.At + ": " + r.Text
}

// Do returns what to do about the trouble, "" if there is none.
func (r *Report) Do() string {
	if r.Trouble == Certificate {
		return "give the server a certificate that is trusted, or let the host trust its own: " + r.Host.Trust
	}
	return cures[r.Trouble]
}
