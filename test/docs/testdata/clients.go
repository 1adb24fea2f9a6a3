package docs_test

import (
	"context"
	"testing"

	"platen/client"
	"platen/platentest"
)

var _ = func(*testing.T) (context.Context, *client.Client, *platentest.Platen) { return nil, nil, nil }

func handle(client.FeedEvent) error { return nil }
