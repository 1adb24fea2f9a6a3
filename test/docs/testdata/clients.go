package docs_test

import (
	"context"
	"net/http"
	"testing"

	"platen/client"
	"platen/platentest"
)

var _ = func(*testing.T, *http.Request) (context.Context, *client.Client, *platentest.Platen) {
	return nil, nil, nil
}

func handle(context.Context, client.FeedEvent) error { return nil }
