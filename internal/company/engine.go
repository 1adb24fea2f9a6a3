package company

// Engine is the version of the simulation's rules. It grows with every change
// after which the same preset, seed and actions could give another life, which
// the golden state hash notices, so that scores are compared with their like.
// A stored company of another version is not gone on with: Load says ErrEngine.
const Engine = 2
