package session

import "github.com/schedstep/schedstep/internal/phrase"

// Wake has a pod that waits tried at once, whatever the hints of plugins return.
func Wake(key string) Edit { return doing("wake", key) }

func (c *change) wake(key string) error {
	p, err := c.pod(key)
	if err != nil {
		return err
	}
	c.player.ForPod(key).Activate(p)
	c.said = phrase.New("%s is in activeQ", key)
	return nil
}
