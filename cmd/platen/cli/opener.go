package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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

// Run opens the console. The keys go to the browser once, from an address of this machine, and
// behind the # of the console's, which browsers send to no server. That address is in a page that only
// the user can read, since all users of a machine see the command line of a browser. So the keys are in no
// command line, no file, no log and not on the terminal. The console takes them out of the address at once.
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
func (o *Opener) handOver(ctx context.Context, console string, keys client.Keys) (err error) {
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
	page, err := writePage("http://" + listener.Addr().String() + path)
	if err != nil {
		return fmt.Errorf("hand over the keys: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(page)) }()
	if err := o.start(fileURL(page)); err != nil {
		return err
	}
	patience := time.NewTimer(openPatience)
	defer patience.Stop()
	select {
	case <-taken:
		return nil
	case <-patience.C:
		return fmt.Errorf("no browser asked for the keys: it may not have been able to read %s, "+
			"as browsers in a sandbox of their own", page)
	case <-ctx.Done():
		return errors.New("stopped before a browser asked for the keys")
	}
}

// writePage writes a page, readable by the user alone, that leads a browser to an address. Browsers that are
// installed as snaps read the files of a home folder, and not those for temporary files.
func writePage(address string) (path string, err error) {
	folder, err := os.UserHomeDir()
	if err != nil {
		folder = os.TempDir()
	}
	const name = "platen-open-*.html"
	file, err := os.CreateTemp(folder, name)
	if err != nil {
		file, err = os.CreateTemp("", name)
	}
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(file, `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">`+
		`<meta http-equiv="refresh" content="0;url=%s"><title>Platen</title><a href="%[1]s">Open the console</a>`+"\n",
		address)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// fileURL is the URL of a file.
func fileURL(path string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter, on Windows
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// start has the browser open a URL, and does not wait for it.
func (o *Opener) start(address string) error {
	command := []string{"xdg-open"}
	switch {
	case o.Browser != "":
		command = []string{o.Browser}
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	command = append(command, address)
	browser := exec.Command(command[0], command[1:]...) //nolint:noctx // it outlives this program
	if err := browser.Start(); err != nil {
		return fmt.Errorf("start a browser: %w", err)
	}
	return browser.Process.Release() //nolint:wrapcheck // it has started
}
