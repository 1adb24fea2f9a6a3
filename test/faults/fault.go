package main

// faults are spread over the packages.
var faults = []fault{
	{
		"an order that nobody answered costs no reputation", "internal/company/office/sales_order.go",
		"o.expire(r, id, AnswerLapsed, reputationAnswerLapsed)", "o.expire(r, id, AnswerLapsed, 0)",
		"./internal/company",
	},
	{
		"the last parcel of an order does not complete it", "internal/company/office/sales_order.go",
		"if private.Arrived >= order.Quantity || final", "if private.Arrived > order.Quantity || final",
		"./internal/company",
	},
	{
		"a strike of the couriers delays no delivery", "internal/company/world.go",
		"{ now.CourierStrike = runs },", "{ now.CourierStrike = false },", "./internal/company",
	},
	{
		"wages are a cent too high", "internal/company/hr/timesheet.go",
		"gross += entry.GrossMinor", "gross += entry.GrossMinor + 1", "./internal/company",
	},
	{
		"two pages make a long list", "internal/desk/activity/activity.go",
		"pagesLeast = 3", "pagesLeast = 2", "./internal/desk/activity",
	},
	{
		"a subscription is disabled a failure too late", "internal/desk/subscription/delivery.go",
		"s.ConsecutiveFailures < maxFailures ||", "s.ConsecutiveFailures <= maxFailures ||",
		"./internal/desk/subscription",
	},
	{
		"pages of a list overlap by a row", "internal/api/list.go",
		"from--", "from++", "./internal/api ./test/contract",
	},
	{
		"a number of a query has no largest value", "internal/api/query.go",
		"n < p.Minimum || n > p.Maximum {", "n < p.Minimum {", "./internal/api ./test/contract",
	},
	{
		"keys in URLs are not found behind %6c", "internal/api/keyurl.go",
		"return int(c-'a') + 10", "return int(c-'a') + 9", "./internal/api",
	},
	{
		"a budget is never used up", "internal/edge/ratelimit/ratelimit.go",
		"if spent.wait == 0 && spent.shut == 0 {", "if spent.shut == 0 {", "./internal/edge/ratelimit",
	},
	{
		"webhooks are signed without their first byte", "internal/edge/webhook/webhook.go",
		"signer.Sign(id, sentAt, body)", "signer.Sign(id, sentAt, body[1:])", "./internal/edge/webhook",
	},
	{
		"bodies of webhooks may have a byte too many", "internal/edge/webhook/body.go",
		"maxBody = 4096", "maxBody = 4097", "./internal/edge/webhook ./test/contract",
	},
	{
		"a lease can be extended once more", "internal/sandbox/lease.go",
		"maxExtensions = 2", "maxExtensions = 3", "./internal/sandbox ./test/contract",
	},
	{
		"the store takes a commit on top of a newer one", "internal/store/sqlite/commit.go",
		"AND ?2 = (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = s.number)",
		"AND ?2 <= (SELECT max(c.version) + 1 FROM commits c WHERE c.sandbox = s.number)", "./internal/store/sqlite",
	},
	{
		"a body may lack its first required field", "internal/operation/schema/check.go",
		"case m.required:", "case m.required && i > 0:", "./internal/operation/schema",
	},
	{
		"places of ready tickets are given away", "internal/edge/admission/ticket.go",
		"c.options.Capacity - c.occupancy.taken() - len(c.queue.ready)", "c.options.Capacity - c.occupancy.taken()",
		"./internal/edge/admission",
	},
	{
		"agents are offered the deletion of their sandbox", "internal/mcp/search.go",
		"op.Kind != operation.Deletion", "op.Kind != \"\"", "./internal/mcp ./test/contract",
	},
	{
		"an address that is a tunnel is not looked into", "internal/edge/netguard/kind.go",
		"if t.network.Contains(a) {", "if t.network.Contains(a) && false {", "./internal/edge/netguard",
	},
	{
		"a retry of package client has a key of its own", "client/retry.go",
		"set(\"Idempotency-Key\", unique)", "set(\"Idempotency-Key\", unique+time.Now().String())", "./client",
	},
	{
		"a gap between the systems is not counted", "internal/publish/web/static/console/joins.js",
		"rungs.filter(r => r.join.state === 'gap')", "rungs.filter(r => r.join.state === 'broken')",
		"test/console/joins.test.mjs",
	},
	{
		"a third poll of a key waits too", "internal/api/poll.go",
		"w.by[key] >= maxPolls",
		"w.by[key] > maxPolls", "./test/contract",
	},
	{
		"a poll waits half as long as it was told", "internal/api/poll.go",
		"time.NewTimer(patience)",
		"time.NewTimer(patience / 2)", "./test/contract",
	},
	{
		"a poll that is over keeps its place", "internal/api/poll.go",
		"if w.by[key]--; w.by[key] == 0 {",
		"if w.by[key] == 0 {", "./test/contract",
	},
	{
		"a poll goes on with a key that was revoked", "internal/api/poll.go",
		"err = x.server.stillKnown(x.Context(), x.Credentials)",
		"_ = x.server.stillKnown(x.Context(), x.Credentials)", "./internal/api",
	},
	{
		"a poll is not told that its server stops", "internal/api/poll.go",
		"case <-x.server.stopped:",
		"case <-(chan struct{})(nil):", "./internal/api",
	},
	{
		"a poll is not told that its lease has ended", "internal/api/poll.go",
		" || f.view.Status(x.now) != v.status || ",
		" || ", "./internal/api",
	},
	{
		"a poll hears of no commit", "internal/api/poll.go",
		"case <-v.changed:\n",
		"case <-(chan struct{})(nil):\n", "./test/contract",
	},
	{
		"a bucket is full a request too late", "internal/api/budget.go",
		"time.Duration(d.budget.Burst-left)",
		"time.Duration(d.budget.Burst-left+1)", "./internal/api",
	},
	{
		"a key sent with another query is the same write", "internal/api/message/request.go",
		"r.HTTP.URL.Path, r.HTTP.URL.RawQuery}",
		"r.HTTP.URL.Path}", "./internal/api",
	},
	{
		"If-Match knows no tag of a record read by its number", "internal/api/precondition.go",
		"[]string{id, sandbox.NumberOf(e)}",
		"[]string{id}", "./test/contract",
	},
	{
		"a cursor fits a list with another filter", "internal/api/list.go",
		"\tfor _, part := range p.filters {\n\t\tb =",
		"\tfor _, part := range p.filters[:0] {\n\t\tb =", "./test/contract",
	},
	{
		"a cell that begins with @ is a formula", "internal/api/csv.go",
		`[=+\-@＝＋`,
		`[=+\-＝＋`, "./internal/api",
	},
	{
		"one key of a URL is revoked, and no other", "internal/api/keyurl.go",
		"maxKeys = 16",
		"maxKeys = 1", "./internal/api",
	},
	{
		"an event is sent again after five minutes instead of one", "internal/desk/subscription/delivery.go",
		"60 * time.Second, 300",
		"300 * time.Second, 300", "./internal/desk/subscription",
	},
	{
		"a request of another server is taken an hour later", "internal/cluster/hop/hop.go",
		"age > maxAge || age < -maxAge",
		"age > 60*maxAge || age < -maxAge", "./internal/cluster/hop",
	},
	{
		"the last minute of a plan has no faults", "internal/desk/injection/draw.go",
		"c.Minute < r.ToMinute)",
		"c.Minute < r.ToMinute-1)", "./internal/desk/injection",
	},
	{
		"a session that has ended goes on", "internal/mcp/session/session.go",
		"err == nil && !now.Before(r.EndsAt)",
		"err == nil && now.IsZero()", "./internal/mcp/session",
	},
	{
		"the margin of a mean is that of one try more", "eval/statistic/statistic.go",
		"student(len(values)-1)",
		"student(len(values))", "./eval/statistic",
	},
	{
		"a parameter may be given twice", "internal/api/query.go",
		"== 1 {\n\t\t\tonce++",
		"> 0 {\n\t\t\tonce++", "./internal/api",
	},
	{
		"a key stored for one request replays another", "internal/sandbox/reply.go",
		"if reply.Fingerprint != cmd.Fingerprint {",
		"if reply.Fingerprint != cmd.Fingerprint && reply.Status == 0 {", "./test/contract",
	},
}
