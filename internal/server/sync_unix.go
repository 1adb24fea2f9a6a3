//go:build unix

package server

import (
	"errors"
	"os"
	"syscall"
)

// syncFolder makes the names in a folder durable. Some file systems cannot, and
// have no need to.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
