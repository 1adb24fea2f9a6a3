package webhook_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/edge/webhook"
)

// TestADecoyComesBeforeTheTrueDelivery, which alone counts.
func TestADecoyComesBeforeTheTrueDelivery(t *testing.T) {
	t.Parallel()
	const whole = `{"id":"evt_sbx_1_0","type":"office.payment.received",` +
		`"data":{"paid":120,"part":0.5,"left":-3,"none":0,"note":"5"}}`
	for decoy, wanted := range map[subscription.Decoy]string{
		subscription.Forged:    strings.Replace(whole, "120", "1200", 1),
		subscription.Truncated: whole[:(len(whole)+1)/2],
	} {
		t.Run(string(decoy), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var bodies, signatures, stamps []string
				b := newBooks(t)
				began := time.Now()
				d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
					body, err := io.ReadAll(r.Body)
					if err != nil || int64(len(body)) != r.ContentLength {
						t.Errorf("%d bytes are announced, %d sent: %v", r.ContentLength, len(body), err)
					}
					bodies = append(bodies, string(body))
					signatures = append(signatures, sentHeader(r, webhook.HeaderSignature))
					stamps = append(stamps, sentHeader(r, webhook.HeaderTimestamp))
					if len(bodies) == 1 {
						time.Sleep(time.Second) //nolint:forbidigo // the receiver's time, in a bubble
						return http.StatusTeapot, nil
					}
					return http.StatusOK, nil
				}))
				a := b.add("sbx_1", "whk_1", "https://example.com/").attempt
				a.Event, a.Decoy = []byte(`{"seq":1,`+whole[1:]), decoy
				o := d.Send(t.Context(), a)
				if o.ErrorClass != "" || o.StatusCode != http.StatusOK || o.Latency != 0 ||
					o.SentAt.Sub(began) != time.Second {
					t.Errorf("the outcome is %+v", o)
				}
				if len(bodies) != 2 || bodies[0] != wanted || bodies[1] != whole {
					t.Fatalf("sent were %q, not %q", bodies, wanted)
				}
				signed, err := webhook.Sign([]string{testSecret}, a.EventID, began, []byte(whole))
				if err != nil {
					t.Fatal(err)
				}
				if fits := signatures[0] == signed; fits != (decoy == subscription.Truncated) ||
					signatures[1] == signed || stamps[0] == stamps[1] {
					t.Errorf("signed with %q at %q", signatures, stamps)
				}
			})
		})
	}
}

func TestALostAttemptIsNotSent(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	d := dispatcher(t, b, answering(func(*http.Request) (int, error) {
		t.Error("it was sent")
		return http.StatusOK, nil
	}))
	a := b.add("sbx_1", "whk_1", "https://example.com/").attempt
	a.Lost = true
	if o := d.Send(t.Context(), a); o.ErrorClass != "" || o.StatusCode != http.StatusOK {
		t.Errorf("the outcome is %+v", o)
	}
}

func TestASenderWhoseClockIsOffSignsItsOwnTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBooks(t)
		stamp, began := "", time.Now()
		d := dispatcher(t, b, answering(func(r *http.Request) (int, error) {
			stamp = sentHeader(r, webhook.HeaderTimestamp)
			return http.StatusOK, nil
		}))
		a := b.add("sbx_1", "whk_1", "https://example.com/").attempt
		a.Off = -100 * time.Second
		if o := d.Send(t.Context(), a); stamp != "946684700" || !o.SentAt.Equal(began) {
			t.Errorf("the timestamp is %s, the outcome %+v", stamp, o)
		}
	})
}
