package admission

// Networks is how many networks a controller remembers.
func (d *Controller) Networks() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.occupancy.networks)
}
