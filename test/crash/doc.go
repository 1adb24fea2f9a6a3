// Package crash kills real servers in the middle of their work, and fills
// their disks, and looks at what is left: everything that was acknowledged,
// once.
package crash
