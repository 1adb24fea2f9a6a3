package load

import "syscall"

// durable opens a file whose writes are on the disk when they return, their data alone.
const durable = syscall.O_DSYNC
