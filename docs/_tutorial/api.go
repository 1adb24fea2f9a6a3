// Sends requests to the two systems of a sandbox.
package main

import (
	"bytes"
	"encoding/json"
	"errors" // step 2
	// until 1: "fmt"
	"math/rand/v2" // step 2
	"net/http"
	"os"
	"strconv" // step 2
	"strings"
	"time"
)

// step 2
const attempts = 6

// step 1
var client = &http.Client{
	Timeout: 30 * time.Second,
	// On connections that are kept, Go repeats some requests by itself. Here the
	// program decides.
	Transport: &http.Transport{DisableKeepAlives: true},
}

// step 2
// rejected says that the API rejected a request. Look at the code: messages may
// change.
type rejected struct {
	Code, Message string
	Retryable     bool
}

func (r *rejected) Error() string { return r.Code + ": " + r.Message }

// step 1
// until 1: // send stores the data of the response in data.
// send stores the data of the response in data. It sends the request again, with // step 2
// the same idempotency key, while there is no response or the response says so. // step 2
func send(method, path, idempotencyKey string, body, data any) error {
	// step 2
	for attempt := 1; ; attempt++ {
		response, err := sendOnce(method, path, idempotencyKey, body, data)
		if err == nil {
			return nil
		}
		wait := rand.N(500 * time.Millisecond << attempt)
		if r := (*rejected)(nil); errors.As(err, &r) {
			busy := response.StatusCode == 429 || response.StatusCode == 503
			if !r.Retryable && !busy {
				return err
			}
			seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
			wait = max(wait, time.Duration(seconds)*time.Second)
		}
		if attempt == attempts {
			return err
		}
		time.Sleep(wait)
	}
}

func sendOnce(method, path, idempotencyKey string, body, data any) (*http.Response, error) {
	// step 1
	encoded, err := json.Marshal(body)
	if err != nil {
		// until 1: return err
		return nil, err // step 2
	}
	request, err := http.NewRequest(method, os.Getenv("PLATEN_URL")+path, bytes.NewReader(encoded))
	if err != nil {
		// until 1: return err
		return nil, err // step 2
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
		// until 1: return err
		return nil, err // no response // step 2
	}
	defer response.Body.Close()
	// until 1: if response.StatusCode >= 400 {
	// until 1: 	return fmt.Errorf("%s %s: %s", method, path, response.Status)
	// until 1: }
	// until 1: return json.NewDecoder(response.Body).Decode(&struct{ Data any }{data})
	// step 2
	envelope := struct {
		Data  any
		Error *rejected
	}{Data: data}
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		return nil, err // half of one, or a proxy responded, not the API
	}
	if envelope.Error != nil {
		return response, envelope.Error
	}
	return response, nil
	// step 1
}
