package isolate

import (
	"encoding/json"
	"errors"
	"reflect"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// Methods of a process.
const (
	methodQuery    = "query"
	methodValidate = "validate"
	methodStats    = "stats"
	methodPreload  = "preload"
	methodContents = "contents"
	methodRestore  = "restore"
	methodCancel   = "cancel"
)

// A request goes to the process.
type request struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Arg    json.RawMessage `json:"arg,omitempty"`
}

// A reply comes from it: that the request was read, progress, or else the answer.
type reply struct {
	ID        int64           `json:"id"`
	Begun     bool            `json:"begun,omitempty"`
	Progress  *progress       `json:"progress,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *wireError      `json:"error,omitempty"`
	Abandoned int             `json:"abandoned,omitempty"` // work given up that goes on
}

type progress struct {
	Done    int    `json:"done"`
	Total   int    `json:"total"`
	Message string `json:"message"`
}

// A report is a document.PreloadReport whose error can travel.
type report struct {
	document.PreloadReport
	Err *wireError
}

// A wireError is an error as the name of its type and its fields; without a name
// the fields are its text.
type wireError struct {
	Type   string          `json:"type,omitempty"`
	Fields json.RawMessage `json:"fields"`
}

// errorTypes are the errors of package document.
var errorTypes = []error{
	&document.NotFoundError{}, &document.PermissionError{}, &document.SyntaxError{}, &document.EncodingError{},
	&document.RefusedError{}, &document.LimitError{}, &document.QueryError{}, &document.SchemaError{},
	&document.ViolationsError{}, &document.BusyError{}, &document.EngineError{},
}

// pack makes an error ready to travel; nil stays nil.
func pack(err error) *wireError {
	if err == nil {
		return nil
	}
	for _, known := range errorTypes {
		target := reflect.New(reflect.TypeOf(known))
		if errors.As(err, target.Interface()) {
			fields, _ := json.Marshal(target.Elem().Interface()) // structs of plain fields
			return &wireError{reflect.TypeOf(known).Elem().Name(), fields}
		}
	}
	text, _ := json.Marshal(err.Error()) // a string
	return &wireError{Fields: text}
}

// unpack is the error that was packed.
func unpack(w *wireError) error {
	if w == nil {
		return nil
	}
	for _, known := range errorTypes {
		kind := reflect.TypeOf(known).Elem()
		if kind.Name() != w.Type {
			continue
		}
		made := reflect.New(kind)
		if err := json.Unmarshal(w.Fields, made.Interface()); err != nil {
			return &document.EngineError{Doing: "reading an error", Cause: err.Error()}
		}
		return made.Interface().(error)
	}
	var text string
	if err := json.Unmarshal(w.Fields, &text); err != nil {
		text = string(w.Fields)
	}
	return errors.New(text)
}
