// Command webhooks receives Platen's webhooks. It needs nothing but the
// standard library.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 300 * time.Second
	maxBody   = 64 << 10 // bytes; a body has 4,096 at most
)

type receiver struct {
	key []byte

	mu   sync.Mutex
	seen map[string]bool // keep it in your database: it must outlive the program
}

// verify returns an error unless the raw body was signed with our secret, just
// now.
func (r *receiver) verify(header http.Header, body []byte) error {
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return errors.New("the timestamp is no number")
	}
	if time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("the timestamp is too far from this clock")
	}
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// For a day after a rotation there are two signatures. One has to fit.
	for signature := range strings.FieldsSeq(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), want) { // in constant time
			return nil
		}
	}
	return errors.New("no signature fits")
}

// ServeHTTP responds within 5 seconds: slow work belongs behind the response.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	// The raw body first: a body that was parsed and written again has another
	// signature.
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	if err := r.verify(request.Header, body); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	var event struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		// A retry can arrive late: created_at is the order, compared as text.
		CreatedAt time.Time `json:"created_at"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.seen[event.ID] { // the same event can come more than once
		r.seen[event.ID] = true
		fmt.Println("handled", event.ID, event.Type)
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("PLATEN_WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("PLATEN_WEBHOOK_SECRET must be whsec_ and base64")
	}
	server := &http.Server{
		Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: &receiver{key: key, seen: map[string]bool{}},
		ReadTimeout: 5 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
