// Sends requests to the two systems of a sandbox.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

var client = &http.Client{
	Timeout: 30 * time.Second,
	// On connections that are kept, Go repeats some requests by itself. Here the
	// program decides.
	Transport: &http.Transport{DisableKeepAlives: true},
}

// send stores the data of the response in data.
func send(method, path, idempotencyKey string, body, data any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequest(method, os.Getenv("PLATEN_URL")+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	key := os.Getenv("PLATEN_OFFICE_KEY")
	if strings.HasPrefix(path, "/factory/") {
		key = os.Getenv("PLATEN_FACTORY_KEY")
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if body == nil {
		request.Body, request.ContentLength = http.NoBody, 0
	} else {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return json.NewDecoder(response.Body).Decode(&struct{ Data any }{data})
}
