package sandbox

// KeptStates is the number of states of which forks were made, and which are kept for more.
func (r *Registry) KeptStates() int {
	r.bases.mu.Lock()
	defer r.bases.mu.Unlock()
	return r.bases.order.Len()
}
