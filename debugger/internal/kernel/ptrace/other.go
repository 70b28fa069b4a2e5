//go:build !linux || !amd64

package ptrace

import "context"

// A Tracer cannot be had on this system.
type Tracer struct{}

// Start answers ErrPlatform.
func Start() (*Tracer, error) { return nil, ErrPlatform }

// Do answers ErrPlatform.
func (t *Tracer) Do(context.Context, func() error) error { return ErrPlatform }

// Close does nothing.
func (t *Tracer) Close() {}
