package wire

// Prefixes of texts that open a sandbox: the keys of its systems, the key by which its players are graded, tokens of
// reviewers' links, and handles of agents.
const (
	OfficePrefix  = "lab_off_"
	FactoryPrefix = "lab_fac_"
	GradingPrefix = "lab_grd_"
	ReviewPrefix  = "lab_rev_"
	HandlePrefix  = "sbh_"
)

// Secrets lists the prefixes of all texts that open a sandbox.
func Secrets() []string {
	return []string{OfficePrefix, FactoryPrefix, GradingPrefix, ReviewPrefix, HandlePrefix}
}

// WebhookSecretPrefix begins the secrets that sign deliveries.
const WebhookSecretPrefix = "whsec_"
