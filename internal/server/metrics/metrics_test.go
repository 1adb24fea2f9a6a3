package metrics_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/operation"
	"platen/internal/server/metrics"
)

func text(m *metrics.Metrics) string {
	var b bytes.Buffer
	m.Write(&b)
	return b.String()
}

func TestWhatIsCountedIsWritten(t *testing.T) {
	t.Parallel()
	m := metrics.New(operation.Table(), "v1.2.3")
	var counting sync.WaitGroup
	for range 10 {
		counting.Go(func() {
			for range 10 {
				m.Answered("list_sales_orders", 200, "", 2*time.Millisecond)
				m.Answered("list_sales_orders", 429, "rate_limited", 10*time.Microsecond)
				m.Limited("key", "cooling")
			}
		})
	}
	counting.Wait()
	m.Answered("no such operation", 404, "route_not_found", time.Millisecond)
	m.Answered(metrics.Page, 0, "no_such_code", time.Hour)
	m.Committed(3*time.Millisecond, nil)
	m.Committed(time.Second, errors.New("full"))
	m.Gauge("platen_sandboxes", func() float64 { return 7 })
	written := text(m)
	for _, want := range []string{
		`platen_requests_total{operation="list_sales_orders",status="200"} 100`,
		`platen_requests_total{operation="list_sales_orders",status="429"} 100`,
		`platen_requests_total{operation="none",status="404"} 1`,
		`platen_requests_total{operation="page",status="500"} 1`,
		`platen_request_duration_seconds_bucket{operation="list_sales_orders",le="0.001"} 100`,
		`platen_request_duration_seconds_bucket{operation="list_sales_orders",le="0.0025"} 200`,
		`platen_request_duration_seconds_bucket{operation="page",le="30"} 0`,
		`platen_request_duration_seconds_count{operation="page"} 1`,
		`platen_refusals_total{code="rate_limited"} 100`,
		`platen_refusals_total{code="banned"} 0`,
		`platen_limited_total{budget="key",outcome="cooling"} 100`,
		`platen_commit_duration_seconds_count 1`,
		`platen_commit_failures_total 1`,
		`platen_sandboxes 7`,
		`platen_build_info{version="v1.2.3",go_version="go`,
		"# TYPE platen_requests_total counter",
		"# TYPE platen_request_duration_seconds histogram",
		"# TYPE platen_sandboxes gauge",
	} {
		if !strings.Contains(written, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// TestEveryLineIsInTheTextForm reads the text as its format says.
func TestEveryLineIsInTheTextForm(t *testing.T) {
	t.Parallel()
	m := metrics.New(operation.Table(), `odd "version"`)
	m.Answered("get_sandbox", 200, "", time.Millisecond)
	line := regexp.MustCompile(`^[a-z_][a-z0-9_]*(\{([A-Za-z_]+="([^"\\]|\\.)*",? ?)+\})? [-+0-9.eINaf]+$`)
	comment := regexp.MustCompile(`^# (TYPE [a-z0-9_]+ (counter|gauge|histogram|summary|untyped)|HELP [a-z0-9_]+.*)$`)
	lines := 0
	for l := range strings.Lines(text(m)) {
		l = strings.TrimRight(l, "\n")
		if !line.MatchString(l) && !comment.MatchString(l) {
			t.Errorf("%q", l)
		}
		lines++
	}
	if lines < 100 {
		t.Errorf("only %d lines", lines)
	}
}

func BenchmarkAnswered(b *testing.B) {
	m := metrics.New(operation.Table(), "")
	b.ReportAllocs()
	for b.Loop() {
		m.Answered("list_sales_orders", 200, "", time.Millisecond)
	}
}
