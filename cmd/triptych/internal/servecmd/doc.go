// Package servecmd serves clients: triptych stdio over standard input and output,
// triptych serve over HTTPS, triptych console for people, and the commands about a
// server: triptych config-file and triptych health.
package servecmd
