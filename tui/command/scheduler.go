package command

import "strings"

// lookAt chooses whose queue and cache the panels show.
func lookAt(c Call) (Answer, error) {
	name := strings.Join(c.Args, " ")
	if err := c.Session.LookAt(name); err != nil {
		return Answer{}, err
	}
	all := c.Session.At().Schedulers()
	switch {
	case len(all) == 1:
		return Answer{Said: c.lang().Say("there is one scheduler here: %s", all[0])}, nil
	case name == "":
		return Answer{Fresh: true, Said: c.lang().Say(
			"the queue and the cache of the scheduler that ran last are shown (of %s)", strings.Join(all, ", "),
		)}, nil
	}
	return Answer{Fresh: true, Said: c.lang().Say("the queue and the cache of %s are shown", name)}, nil
}
