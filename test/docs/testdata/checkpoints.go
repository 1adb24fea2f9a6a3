// Package checkpoints_test is what the block of the guide on checkpoints stands in.
package checkpoints_test

import (
	"testing"

	"platen/client"
	"platen/platentest"
)
