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
		"if private.Arrived < order.Quantity {", "if private.Arrived <= order.Quantity {", "./internal/company",
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
}
