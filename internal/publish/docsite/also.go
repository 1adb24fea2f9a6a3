package docsite

import (
	"slices"
	"strconv"
	"strings"
)

// alsoCalled holds other names of the pages that are made from tables. Guides
// hold theirs in their head.
func (s *Site) alsoCalled() map[string]string {
	var statuses []string
	for _, d := range s.problems {
		if status := strconv.Itoa(d.Status); !slices.Contains(statuses, status) {
			statuses = append(statuses, status)
		}
	}
	return map[string]string{
		"/docs/agents":   "mcp server, ai agent, llm, claude, chatgpt, tool calling, function calling",
		"/docs/settings": "environment variables, flags, configuration, options",
		"/docs/presets":  "scenario, template of a company",
		"/docs/economy":  "score, scoring, benchmark, baseline",
		"/docs/missions": "challenges, tasks, achievements",
		"/docs/triggers": "make an event happen, simulate, force, fixture, test event, cause an event",
		"/docs/errors":   "list of error codes, error handling, status codes, " + strings.Join(statuses, " "),
		"/docs/events":   "list of event types, webhook events",
		apiPath:          "endpoints, routes, methods, api reference",

		apiPath + "/advance_time":                  "speed up time, fast forward, skip, next day, clock",
		apiPath + "/create_sandbox":                "new company, get keys, sign up",
		apiPath + "/decline_sales_order":           "cancel an order, reject",
		apiPath + "/dismiss_employee":              "fire, lay off",
		apiPath + "/extend_sandbox":                "prolong, more time, renew",
		apiPath + "/fork_sandbox":                  "copy, clone, branch",
		apiPath + "/pull_trigger":                  "simulate, force, test event",
		apiPath + "/update_sandbox":                "pause, resume, stop the clock, play, realtime, manual clock",
		apiPath + "/list_work_orders":              "work order, work orders",
		apiPath + "/poll_ticket":                   "waiting queue, waiting list",
		"/docs/errors/rate_limited":                "too many requests, throttled, requests per minute",
		"/docs/errors/sandbox_bankrupt":            "why 423, locked, insolvent",
		"/docs/errors/pow_required":                "hashcash, captcha",
		"/docs/errors/sandbox_expired":             "gone, deleted, why 423, locked",
		"/docs/errors/unauthorized":                "invalid key, bearer token, 401",
		"/docs/events/office.sales_order.expired":  "order cancelled, cancellation, lost order",
		"/docs/events/office.sales_order.accepted": "order confirmed",
	}
}
