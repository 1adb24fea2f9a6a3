package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen/client"
)

// webhookVectors are deliveries of clients/script.json, which the clients of all languages verify.
type webhookVectors struct {
	Now       int64             `json:"now"`
	ID        string            `json:"id"`
	Body      string            `json:"body"`
	Secret    string            `json:"secret"`
	Other     string            `json:"other"`
	Signature string            `json:"signature"`
	Rejected  []rejectedWebhook `json:"rejected"`
}

// rejectedWebhook is the changes of a delivery for which it must be rejected.
type rejectedWebhook struct {
	Name     string                  `json:"name"`
	Body     *string                 `json:"body"`
	Secret   *string                 `json:"secret"`
	Headers  map[string]string       `json:"headers"`
	ClockOff int64                   `json:"clock_off_s"`
	Signed   bool                    `json:"signed"`
	Code     client.WebhookErrorCode `json:"code"`
}

func readWebhookVectors(t *testing.T) webhookVectors {
	t.Helper()
	text, err := os.ReadFile("../clients/script.json")
	if err != nil {
		t.Fatal(err)
	}
	var script struct {
		Webhooks webhookVectors `json:"webhooks"`
	}
	if err := json.Unmarshal(text, &script); err != nil {
		t.Fatal(err)
	}
	if len(script.Webhooks.Rejected) == 0 {
		t.Fatal("the script has no deliveries to reject")
	}
	return script.Webhooks
}

// header has the headers of the delivery, those of changes in place of its own.
func (v *webhookVectors) header(changes map[string]string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", v.ID)
	h.Set("webhook-timestamp", strconv.FormatInt(v.Now, 10))
	h.Set("webhook-signature", v.Signature)
	for name, value := range changes {
		h.Set(name, value)
	}
	return h
}

// clock is one that is so many seconds off.
func (v *webhookVectors) clock(off int64) client.WebhookOption {
	return client.WebhookClock(func() time.Time { return time.Unix(v.Now+off, 0) })
}

func TestADeliveryThatWasSignedJustNowIsAnEvent(t *testing.T) {
	t.Parallel()
	v := readWebhookVectors(t)
	lower := http.Header{}
	for name, values := range v.header(nil) {
		lower[strings.ToLower(name)] = values
	}
	lines := v.header(nil)
	lines["Webhook-Signature"] = []string{"v1,AAAA", v.Signature}
	for name, given := range map[string]struct {
		secrets []string
		header  http.Header
		off     int64
	}{
		"at once":                      {[]string{v.Secret}, v.header(nil), 0},
		"at the limit":                 {[]string{v.Secret}, v.header(nil), 300},
		"at the limit of the future":   {[]string{v.Secret}, v.header(nil), -300},
		"without the secret's prefix":  {[]string{strings.TrimPrefix(v.Secret, "whsec_")}, v.header(nil), 0},
		"with another secret first":    {[]string{v.Other, v.Secret}, v.header(nil), 0},
		"with headers in lower case":   {[]string{v.Secret}, lower, 0},
		"with signatures in two lines": {[]string{v.Secret}, lines, 0},
		"with another signature first": {
			[]string{v.Secret}, v.header(map[string]string{"webhook-signature": "v1a,AAAA v1,AAAA " + v.Signature}), 0,
		},
	} {
		event, err := client.VerifyWebhook(given.secrets, given.header, []byte(v.Body), v.clock(given.off))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if event.ID != v.ID || event.Type != client.EventHREmployeeSick || string(event.Raw) != v.Body {
			t.Errorf("%s: the event is %+v", name, event)
		}
	}
}

// TestSignaturesOfBothSecretsOfARotationFit, and equal those of the other clients.
func TestSignaturesOfBothSecretsOfARotationFit(t *testing.T) {
	t.Parallel()
	v := readWebhookVectors(t)
	one, err := client.SignWebhook([]string{v.Secret}, v.ID, []byte(v.Body), time.Unix(v.Now, 999))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(one), fmt.Sprint(v.header(nil)); got != want {
		t.Errorf("signed %s, want %s", got, want)
	}
	both, err := client.SignWebhook([]string{v.Other, v.Secret}, v.ID, []byte(v.Body), time.Unix(v.Now, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{v.Secret, v.Other} {
		if _, err := client.VerifyWebhook([]string{secret}, both, []byte(v.Body), v.clock(0)); err != nil {
			t.Error(err)
		}
	}
}

// TestOtherDeliveriesAreRejected, each with the reason, which shows no secret.
func TestOtherDeliveriesAreRejected(t *testing.T) {
	t.Parallel()
	v := readWebhookVectors(t)
	for _, c := range v.Rejected {
		secret, body, header := v.Secret, v.Body, v.header(c.Headers)
		if c.Secret != nil {
			secret = *c.Secret
		}
		if c.Body != nil {
			body = *c.Body
		}
		if c.Signed {
			var err error
			if header, err = client.SignWebhook([]string{secret}, v.ID, []byte(body), time.Unix(v.Now, 0)); err != nil {
				t.Fatal(err)
			}
		}
		event, err := client.VerifyWebhook([]string{secret}, header, []byte(body), v.clock(c.ClockOff))
		got, ok := errors.AsType[*client.WebhookError](err)
		if !ok || got.Code != c.Code || got.Message == "" || event != nil {
			t.Errorf("%s: %v, want %s", c.Name, err, c.Code)
		}
	}
	for name := range v.header(nil) {
		header := v.header(map[string]string{name: ""})
		_, err := client.VerifyWebhook([]string{v.Secret}, header, []byte(v.Body), v.clock(0))
		if err == nil || !strings.Contains(err.Error(), strings.ToLower(name)) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// TestASignedBodyThatIsNoEventIsRejected.
func TestASignedBodyThatIsNoEventIsRejected(t *testing.T) {
	t.Parallel()
	v := readWebhookVectors(t)
	for _, body := range []string{"", "null", "[]", `"evt_1"`, `{"id":7}`, `{"type":"hr.employee.sick"}`} {
		header, err := client.SignWebhook([]string{v.Secret}, v.ID, []byte(body), time.Unix(v.Now, 0))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.VerifyWebhook([]string{v.Secret}, header, []byte(body), v.clock(0))
		if got, ok := errors.AsType[*client.WebhookError](err); !ok || got.Code != client.WebhookBodyMalformed {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestTheToleranceOfTimestampsCanBeAnother.
func TestTheToleranceOfTimestampsCanBeAnother(t *testing.T) {
	t.Parallel()
	v := readWebhookVectors(t)
	for tolerance, fits := range map[time.Duration]bool{9 * time.Second: false, 10 * time.Second: true} {
		for _, off := range []int64{-10, 10} {
			_, err := client.VerifyWebhook([]string{v.Secret}, v.header(nil), []byte(v.Body), v.clock(off),
				client.WebhookTolerance(tolerance))
			if (err == nil) != fits {
				t.Errorf("%d s off with %s: %v", off, tolerance, err)
			}
		}
	}
}

// TestASecretThatCannotBeOneIsTheProgramsMistake: also behind one that fits, and without being shown.
func TestASecretThatCannotBeOneIsTheProgramsMistake(t *testing.T) {
	t.Parallel()
	v := readWebhookVectors(t)
	for _, secrets := range [][]string{
		nil, {""}, {"whsec_"}, {"whsec_*hidden*"}, {v.Secret + " "}, {v.Secret, "whsec_*hidden*"}, {"whsec_-_-_"},
	} {
		_, err := client.VerifyWebhook(secrets, v.header(nil), []byte(v.Body), v.clock(0))
		_, signing := client.SignWebhook(secrets, v.ID, []byte(v.Body), time.Unix(v.Now, 0))
		for _, err := range []error{err, signing} {
			_, rejects := errors.AsType[*client.WebhookError](err)
			if !errors.Is(err, client.ErrWebhookSecret) || rejects {
				t.Errorf("%q: %v", secrets, err)
			} else if strings.Contains(err.Error(), "hidden") {
				t.Errorf("the error shows the secret: %v", err)
			}
		}
	}
}
