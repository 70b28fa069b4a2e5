package hosts

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"unicode"
)

// statuses are the troubles by status; another that is not 200 is Refused.
var statuses = map[int]Trouble{
	http.StatusUnauthorized: Unauthorized, http.StatusForbidden: Forbidden, http.StatusTooManyRequests: Quota,
	http.StatusNotFound: WrongPath, http.StatusMethodNotAllowed: WrongPath,
	http.StatusMovedPermanently: Redirected, http.StatusFound: Redirected, http.StatusSeeOther: Redirected,
	http.StatusTemporaryRedirect: Redirected, http.StatusPermanentRedirect: Redirected,
}

// judge returns what is wrong with the answer to a request.
func judge(a answered) Report {
	bad := Report{Status: a.status, Text: excerpt(a.body)}
	var answer struct {
		Version string          `json:"jsonrpc"`
		Result  json.RawMessage `json:"result"`
		Method  string          `json:"method"`
		Error   *struct {
			Message string `json:"message"`
			Data    struct {
				Details string `json:"details"`
			} `json:"data"`
		} `json:"error"`
	}
	isMCP := json.Unmarshal(a.body, &answer) == nil && answer.Version == "2.0"
	if isMCP && answer.Error != nil {
		bad.Text = excerpt([]byte(answer.Error.Message))
		if details := answer.Error.Data.Details; details != "" && !strings.Contains(bad.Text, details) {
			bad.Text += ": " + excerpt([]byte(details))
		}
	}
	known, ok := statuses[a.status]
	switch {
	case ok:
		bad.Trouble = known
		if known == Redirected {
			bad.Text = "it leads to " + excerpt([]byte(a.header.Get("Location")))
		}
	case spokeTLS(a):
		bad.Trouble = Plain
	case !isMCP:
		bad.Trouble = NoMCP
	case a.status != http.StatusOK, answer.Error != nil:
		bad.Trouble = Refused
	case answer.Result == nil && answer.Method == "":
		bad.Trouble = NoMCP
	default:
		return Report{}
	}
	return bad
}

// spokeTLS reports whether a server of HTTPS says that it was spoken to in the clear, as Go's,
// nginx and this program do.
func spokeTLS(a answered) bool {
	text := strings.ToLower(string(a.body[:min(len(a.body), 1000)]))
	return a.status == http.StatusBadRequest && (strings.Contains(text, "https://") || strings.Contains(text, "https server") || strings.Contains(text, "https port"))
}

// report returns the report of a request without an answer.
func report(err error) Report {
	bad := Report{Trouble: Unreachable, Text: excerpt([]byte(cause(err).Error()))}
	var network net.Error
	switch {
	case is[*tls.CertificateVerificationError](err):
		bad.Trouble = Certificate
	case is[tls.RecordHeaderError](err), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		bad.Trouble = Secure
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		bad.Trouble, bad.Text = NoAnswer, "no answer in time"
	}
	return bad
}

// is reports whether an error is, or wraps, one of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// cause returns the error below the layers that repeat the address.
func cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// firstEvent returns the data of the first event of a stream that has some.
func firstEvent(stream io.Reader) ([]byte, error) {
	lines := bufio.NewScanner(io.LimitReader(stream, maxAnswer))
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			return bytes.Clone(data), nil
		}
	}
	return nil, lines.Err()
}

// maxExcerpt bounds the text of a server that is shown.
const maxExcerpt = 200

// excerpt returns the beginning of a text in one line that a terminal can show.
func excerpt(text []byte) string {
	short := strings.ToValidUTF8(string(text[:min(len(text), maxExcerpt)]), "")
	line := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, short)
	if line = strings.Join(strings.Fields(line), " "); line == "" {
		return "the answer is empty"
	}
	return line
}
