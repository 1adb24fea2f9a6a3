//go:build !linux

package command

import "errors"

// hide cannot close the memory of this process to other programs of its user here.
func hide() error {
	return errors.New("a secret can be kept from the program that platen runs on Linux only: on other systems, run " +
		"platen in a Linux container")
}
