package command

import (
	"fmt"
	"strings"
)

// scriptVerbs carry out what a file says.
func scriptVerbs() []Verb {
	return []Verb{{
		Name: "source", Usage: "FILE", takes: []kind{ofNothing}, Does: "carry out the commands of a file, line by line",
		Run: source,
	}}
}

// mostOfAScript is far beyond what anybody writes.
const mostOfAScript = 1 << 20

// source hands out the lines of a file to be carried out next. A script reads no other, so that none goes on for ever.
func source(c Call) (Answer, error) {
	if len(c.Args) != 1 {
		return Answer{}, c.lang().Errorf("source: which file? (source steps.txt)")
	}
	text, err := c.readFile(c.Args[0], mostOfAScript)
	if err != nil {
		return Answer{}, fmt.Errorf("source: %w", err)
	}
	var lines []string
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for _, one := range Split(line) {
			v, _, err := Parse(one)
			switch {
			case err != nil:
				return Answer{}, c.lang().Errorf("source: %s line %d: %w", c.Args[0], number+1, err)
			case v.Name == "source":
				return Answer{}, c.lang().Errorf(
					"source: %s line %d: a script carries out no other script", c.Args[0], number+1,
				)
			}
			lines = append(lines, one)
		}
	}
	return Answer{Then: strings.Join(lines, "; ")}, nil
}
