package jsonrpc

// The functions here append whole messages, for transports that frame them in
// another way than [Conn]. params and result are JSON; params may be nil.

// AppendRequest appends a request.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id.raw...)
	return appendCall(append(dst, ','), method, params)
}

// AppendNotification appends a notification.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	return appendCall(append(dst, `{"jsonrpc":"2.0",`...), method, params)
}

// AppendResult appends the answer to a request.
func AppendResult(dst []byte, id ID, result []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id.raw...)
	return append(append(append(dst, `,"result":`...), result...), '}')
}

// AppendError appends an error answer. Without an id it has a null in its place if nullID
// is set, else no id at all ([IDPolicy]).
func AppendError(dst []byte, id ID, nullID bool, err *Error) []byte {
	return appendRefusal(dst, id, nullID, err)
}

// AppendErrorObject appends the error object alone.
func AppendErrorObject(dst []byte, err *Error) []byte { return appendError(dst, err) }

// appendCall appends the end of a request or notification: method, and params unless
// they are nil.
func appendCall(dst []byte, method string, params []byte) []byte {
	dst = AppendString(append(dst, `"method":`...), method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}
