package books

// floor is how often a kind of check must have a case, at each level, all lives together.
type floor struct{ quick, thorough int }

var floors = map[string]floor{}
