//go:build !linux

package load

import "os"

// durable opens a file whose writes are on the disk when they return.
const durable = os.O_SYNC
