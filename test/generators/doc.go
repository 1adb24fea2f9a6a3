// Package generators tests that programs which make clients of the OpenAPI document make good ones: they
// compile, and play an order from its receipt to its payment.
package generators
