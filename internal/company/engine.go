package company

// Engine is the version of the simulation's rules. A stored company of another version is not gone on with: Load says
// ErrEngine.
//
// There is one rule for versions. After a change by which the same preset, seed and actions give another life, or by
// which stored rows or commits are another form, run make golden: the state hashes in internal/company and
// internal/sandbox and the kept databases in internal/server are written again. Say so in the CHANGELOG. Raise
// Engine with it as well, so that scores are compared with their like and no stored company is read wrongly: since
// the rehearsal of 0.1.0, whose databases are kept for ever, a test tells when that was forgotten. The version of a
// preset is another matter: raise it when a number in its file changes.
const Engine = 2
