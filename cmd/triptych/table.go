package main

// commands makes the rows of the table of commands. They run in an app.
type commands struct{ *App }
