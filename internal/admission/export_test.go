package admission

// Networks is how many networks a desk remembers.
func (d *Desk) Networks() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.register.networks)
}
