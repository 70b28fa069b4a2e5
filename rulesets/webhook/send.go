package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// deliver sends a message until it is accepted.
func (h *Hook) deliver(ctx context.Context, m Message) error {
	body, err := h.Format.encode(&m)
	if err != nil {
		return err
	}
	for pause := h.Pause; ; pause = min(2*pause, h.Longest) {
		err := h.post(ctx, body)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h.Logger.Warn("webhook: not delivered, trying again", "ruleset", m.Name, "rev", m.Rev, "error", err)
		wait(ctx, pause)
	}
}

// Sign returns the signature of a body, as its header has it.
func Sign(secret, body []byte) string {
	return "sha256=" + hex.EncodeToString(authenticate(secret, body))
}

func authenticate(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return mac.Sum(nil)
}

// secretID returns an id of the secret, from which it cannot be guessed.
func (h *Hook) secretID() string {
	return hex.EncodeToString(authenticate(h.Secret, []byte("id of a webhook's secret"))[:4])
}

// post makes one attempt to deliver a message.
func (h *Hook) post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return withoutURL(err)
	}
	id := sha256.Sum256(body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Triptych-Delivery", hex.EncodeToString(id[:16]))
	if len(h.Secret) > 0 {
		req.Header.Set("Triptych-Signature", Sign(h.Secret, body))
	}
	resp, err := h.Client.Do(req)
	if err != nil {
		return withoutURL(err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // for the connection to be used again
	if err := resp.Body.Close(); err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it was answered with %s", resp.Status)
	}
	return nil
}

// refuseRedirect makes a redirect an answer that is no 2xx: what it leads to, such as a
// page to log in, does not have the message, and may be another host, which must not get
// its signature.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withoutURL returns an error without the URL, whose path or query is often a secret.
func withoutURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
