package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	headerWebhookID        = "webhook-id"
	headerWebhookTimestamp = "webhook-timestamp"
	headerWebhookSignature = "webhook-signature"

	// webhookTolerance is the default of WebhookTolerance.
	webhookTolerance = 300 * time.Second
	// timestampDigits is the most digits of a timestamp that is read.
	timestampDigits = 15
)

// WebhookErrorCode tells the reasons apart for which a delivery must be rejected.
type WebhookErrorCode string

// Values of WebhookErrorCode.
const (
	// WebhookHeaderMissing: the delivery lacks a header that it is verified by. Something
	// on the way to the program removed it, or the request is no delivery.
	WebhookHeaderMissing WebhookErrorCode = "header_missing"
	// WebhookTimestampMalformed: the timestamp is no whole number of seconds.
	WebhookTimestampMalformed WebhookErrorCode = "timestamp_malformed"
	// WebhookTimestampTooOld: the delivery was sent too long ago: it was held up or is
	// sent again by a stranger, or this clock is fast.
	WebhookTimestampTooOld WebhookErrorCode = "timestamp_too_old"
	// WebhookTimestampTooNew: the timestamp is in the future: this clock is slow.
	WebhookTimestampTooNew WebhookErrorCode = "timestamp_too_new"
	// WebhookSignatureMismatch: no signature fits. The secret belongs to another
	// subscription, or the body is not the raw one.
	WebhookSignatureMismatch WebhookErrorCode = "signature_mismatch"
	// WebhookBodyMalformed: a signature fits, and the body is no event.
	WebhookBodyMalformed WebhookErrorCode = "body_malformed"
)

// WebhookError says why a delivery must be rejected. Respond to it with a status such as
// 401, and tell the sender no more.
type WebhookError struct {
	Code WebhookErrorCode
	// Message is the reason in words.
	Message string
}

// Error implements error.
func (e *WebhookError) Error() string { return "platen: webhook: " + e.Message }

// ErrWebhookSecret is the error of a secret that cannot be one. It says nothing about the
// delivery: the program's configuration is wrong.
var ErrWebhookSecret = errors.New("platen: the secret must be like whsec_…, with Base64 behind it")

// webhookSettings are the values that options of VerifyWebhook change.
type webhookSettings struct {
	tolerance time.Duration
	now       func() time.Time
}

// WebhookOption changes how VerifyWebhook works.
type WebhookOption func(*webhookSettings)

// WebhookTolerance is the largest difference between the timestamp of a delivery and the
// clock, before and after; 300 seconds by default.
func WebhookTolerance(d time.Duration) WebhookOption {
	return func(s *webhookSettings) { s.tolerance = d }
}

// WebhookClock replaces the clock, for tests of a receiver.
func WebhookClock(now func() time.Time) WebhookOption {
	return func(s *webhookSettings) { s.now = now }
}

// VerifyWebhook checks that a delivery was signed with one of the secrets, just now, and
// returns its event. The body must be the raw one: JSON that was decoded and encoded again
// has another signature.
//
// A delivery that must be rejected gives a *WebhookError, a secret that cannot be one
// ErrWebhookSecret. For a day after a rotation deliveries carry signatures of both secrets,
// and one of them has to fit, so that a program may have either secret or both.
//
// The event has no Seq, and that of a large one only some of its Data (see Raw). The same
// event can come more than once: its ID is the same each time.
func VerifyWebhook(secrets []string, header http.Header, body []byte, options ...WebhookOption) (*FeedEvent, error) {
	s := webhookSettings{tolerance: webhookTolerance, now: time.Now}
	for _, option := range options {
		option(&s)
	}
	keys, err := webhookKeys(secrets)
	if err != nil {
		return nil, err
	}
	var values [3]string
	for i, name := range []string{headerWebhookID, headerWebhookTimestamp, headerWebhookSignature} {
		if values[i] = headerOf(header, name); values[i] == "" {
			return nil, rejected(WebhookHeaderMissing, "there is no %s", name)
		}
	}
	id, stamp, signatures := values[0], values[1], values[2]
	if err := s.timely(stamp); err != nil {
		return nil, err
	}
	for _, key := range keys {
		want := []byte(webhookSignature(key, id, stamp, body))
		for signature := range strings.FieldsSeq(signatures) {
			if hmac.Equal([]byte(signature), want) { // in constant time
				return webhookEvent(body)
			}
		}
	}
	return nil, rejected(WebhookSignatureMismatch, "no signature fits")
}

// SignWebhook signs a body as the server does, with each of the secrets, for tests of a
// receiver. It returns the headers that VerifyWebhook reads.
func SignWebhook(secrets []string, id string, body []byte, sentAt time.Time) (http.Header, error) {
	keys, err := webhookKeys(secrets)
	if err != nil {
		return nil, err
	}
	stamp := strconv.FormatInt(sentAt.Unix(), 10)
	signatures := make([]string, len(keys))
	for i, key := range keys {
		signatures[i] = webhookSignature(key, id, stamp, body)
	}
	header := http.Header{}
	header.Set(headerWebhookID, id)
	header.Set(headerWebhookTimestamp, stamp)
	header.Set(headerWebhookSignature, strings.Join(signatures, " "))
	return header, nil
}

// webhookKeys decodes secrets, of which there must be one at least.
func webhookKeys(secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, fmt.Errorf("%w: there is none", ErrWebhookSecret)
	}
	keys := make([][]byte, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 { // the error would show a part of the secret
			return nil, fmt.Errorf("%w: number %d is not", ErrWebhookSecret, i+1)
		}
		keys[i] = key
	}
	return keys, nil
}

// headerOf is the value of a header, in whichever case its name was written. Several lines
// are one list.
func headerOf(header http.Header, name string) string {
	for key, values := range header {
		if strings.EqualFold(key, name) {
			return strings.Join(values, " ")
		}
	}
	return ""
}

// timely checks that a delivery was sent just now.
func (s *webhookSettings) timely(stamp string) error {
	seconds, err := strconv.ParseUint(stamp, 10, 63)
	if err != nil || len(stamp) > timestampDigits {
		return rejected(WebhookTimestampMalformed, "the timestamp is no number of seconds")
	}
	switch age := s.now().Sub(time.Unix(int64(seconds), 0)); {
	case age > s.tolerance:
		return rejected(WebhookTimestampTooOld, "the timestamp is %s old by this clock", age.Round(time.Second))
	case -age > s.tolerance:
		return rejected(WebhookTimestampTooNew, "the timestamp is %s ahead of this clock", (-age).Round(time.Second))
	}
	return nil
}

// webhookSignature is one signature as the header has it.
func webhookSignature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// webhookEvent reads a body whose signature fits.
func webhookEvent(body []byte) (*FeedEvent, error) {
	event := &FeedEvent{}
	if err := json.Unmarshal(body, event); err != nil {
		return nil, rejected(WebhookBodyMalformed, "the body is no event: %v", err)
	}
	if event.ID == "" {
		return nil, rejected(WebhookBodyMalformed, "the body is no event: it has no id")
	}
	return event, nil
}

func rejected(code WebhookErrorCode, format string, args ...any) *WebhookError {
	return &WebhookError{Code: code, Message: fmt.Sprintf(format, args...)}
}
