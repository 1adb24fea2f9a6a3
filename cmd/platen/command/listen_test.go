//go:build unix

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// sandbox makes a sandbox and sets a variable to the key of Head Office:
// sandbox $ORIGIN KEY.
func sandbox(ts *testscript.TestScript, _ bool, args []string) {
	client := &http.Client{Timeout: patience}
	response, err := client.Post(args[0]+"/v1/sandboxes", "application/json",
		strings.NewReader(`{"clock":"manual","seed":1}`))
	ts.Check(err)
	defer response.Body.Close()
	var answer struct {
		Data struct {
			OfficeKey string `json:"office_key"`
		} `json:"data"`
	}
	ts.Check(json.NewDecoder(response.Body).Decode(&answer))
	if answer.Data.OfficeKey == "" {
		ts.Fatalf("%s answers %d without a key", args[0], response.StatusCode)
	}
	ts.Setenv(args[1], answer.Data.OfficeKey)
}

// receiver starts a program that takes webhooks, and sets a variable to its
// URL: receiver HOOK captured. It keeps the requests in captured/: a line with
// the id of each in ids, and its headers and body in 1.headers, 1.body and on. With a third argument it has a
// certificate of its own.
func receiver(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(folder, 0o700))
	var mu sync.Mutex
	var ids bytes.Buffer
	count := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		var headers bytes.Buffer
		err = errors.Join(err, r.Header.Write(&headers))
		fmt.Fprintln(&ids, r.Header.Get("Webhook-Id"))
		count++
		for _, file := range []struct {
			name    string
			content []byte
		}{{fmt.Sprint(count, ".body"), body}, {fmt.Sprint(count, ".headers"), headers.Bytes()}, {"ids", ids.Bytes()}} {
			err = errors.Join(err, os.WriteFile(folder+"/"+file.name, file.content, 0o600))
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	if len(args) > 2 {
		server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
		server.StartTLS()
	} else {
		server.Start()
	}
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL+"/hook")
}

// waits until a file has a number of lines, or more: waits listen.log 5.
func waits(ts *testscript.TestScript, _ bool, args []string) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	text := []byte(nil)
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-look.C {
		var err error
		text, err = os.ReadFile(ts.MkAbs(args[0]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			ts.Fatalf("%v", err)
		}
		if bytes.Count(text, []byte("\n")) >= want {
			return
		}
	}
	ts.Fatalf("%s does not have %s lines, but is\n%s", args[0], args[1], text)
}
