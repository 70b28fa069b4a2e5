package host

// A Usage is a snapshot of a budget.
type Usage struct {
	Used, Limit int64 // bytes or entries of all principals
	Owners      int   // number of principals with a charge
	Refused     int64 // number of rejected requests
}
