package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"platen/client"
)

const (
	// openPatience is how long a browser may take to ask for the keys.
	openPatience = time.Minute
	// openTimeout is the time limit of its request.
	openTimeout = 10 * time.Second
)

// Opener opens the console of a sandbox in a browser, signed in.
type Opener struct {
	Target

	// Browser is the program that opens a URL, that of the system when empty.
	Browser string
	// Out gets the address of the console, Notes the rest.
	Out, Notes io.Writer
}

// Run opens the console. The keys go to the browser once, from an address of this machine that
// nobody else knows, and behind the # of the console's, which browsers send to no server: they
// are in no command line, in no log and not on the terminal. The console takes them out of the
// address at once.
func (o *Opener) Run(ctx context.Context) error {
	origin, err := o.Origin()
	if err != nil {
		return err
	}
	keys, err := o.Keys()
	if err != nil {
		return err
	}
	if keys.Office == "" && keys.Factory == "" {
		return usagef("the console requires the keys of a player: set PLATEN_OFFICE_KEY and PLATEN_FACTORY_KEY")
	}
	if _, err := connect(origin, keys).GetSandbox(ctx); err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	console := origin + "/console"
	fmt.Fprintln(o.Out, console)
	if err := o.handOver(ctx, console, keys); err != nil {
		fmt.Fprintf(o.Notes, "Open %s yourself and paste the keys, or the whole .env file.\n", console)
		return err
	}
	return nil
}

// handOver starts the browser and waits until it has asked for the keys.
func (o *Opener) handOver(ctx context.Context, console string, keys client.Keys) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("hand over the keys: %w", err)
	}
	path, taken := "/"+rand.Text(), make(chan struct{})
	once := make(chan struct{}, 1)
	once <- struct{}{}
	server := &http.Server{ReadTimeout: openTimeout, WriteTimeout: openTimeout, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-once:
			default:
				http.NotFound(w, r)
				return
			}
			if r.URL.Path != path {
				once <- struct{}{}
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Referrer-Policy", "no-referrer")
			http.Redirect(w, r, console+"#"+keys.Office+"&"+keys.Factory, http.StatusSeeOther)
			close(taken)
		})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // until it is shut down
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTimeout)
		defer cancel()
		_ = server.Shutdown(ending) // lets the response out
		serving.Wait()
	}()
	if err := o.start("http://" + listener.Addr().String() + path); err != nil {
		return err
	}
	patience := time.NewTimer(openPatience)
	defer patience.Stop()
	select {
	case <-taken:
		return nil
	case <-patience.C:
		return errors.New("no browser asked for the keys")
	case <-ctx.Done():
		return errors.New("stopped before a browser asked for the keys")
	}
}

// start has the browser open a URL, and does not wait for it.
func (o *Opener) start(url string) error {
	command := []string{"xdg-open"}
	switch {
	case o.Browser != "":
		command = []string{o.Browser}
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	browser := exec.Command(command[0], append(command[1:], url)...) //nolint:gosec,noctx // it outlives this program
	if err := browser.Start(); err != nil {
		return fmt.Errorf("start a browser: %w", err)
	}
	return browser.Process.Release() //nolint:wrapcheck // it has started
}
