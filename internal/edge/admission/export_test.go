package admission

// Networks is how many networks a controller remembers.
func (c *Controller) Networks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.occupancy.networks)
}
