package server

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// receiveBuffer is how much of what a client sends the kernel keeps for a connection, in bytes, until it is read.
	receiveBuffer = 32 << 10
	// unsentBuffer is how much of a response it keeps that it cannot send yet: the rest stays with the server, which
	// counts it.
	unsentBuffer = 16 << 10
)

// smallBuffers bounds the kernel's buffers of the connections of a listener: they count in the limit of a container.
// What is on its way to a client that reads is not bounded by it. A kernel that does not know an option keeps buffers
// of its own size.
func smallBuffers(_, _ string, raw syscall.RawConn) error {
	err := raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentBuffer)
	})
	if err != nil {
		return fmt.Errorf("set the buffers of connections: %w", err)
	}
	return nil
}

// pending reports whether the kernel still has something that the client has not taken.
func pending(c *net.TCPConn) bool { return queued(c, unix.SIOCOUTQ) }

// arrived reports whether the kernel has something of the client that the server has not read.
func arrived(c *net.TCPConn) bool { return queued(c, unix.SIOCINQ) }

func queued(c *net.TCPConn, queue uint) (is bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) {
		n, err := unix.IoctlGetInt(int(fd), queue)
		is = err == nil && n > 0
	})
	return is
}
