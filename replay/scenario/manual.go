package scenario

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed manual.md
var preface string

// Manual is the grammar, in Markdown: what docs/scenario.md holds.
func Manual() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, chapter := range []section{atStart, events, motion, asking} {
		fmt.Fprintf(&b, "\n## %s\n", chapter)
		for _, c := range commands() {
			if c.section == chapter {
				c.describe(&b)
			}
		}
	}
	return b.String()
}

func (c command) describe(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n", strings.TrimSpace(c.name+" "+c.form))
	fmt.Fprintf(b, "`%s` %s\n", c.name, c.does)
	if c.block != "" {
		fmt.Fprintf(b, "The indented lines below it hold %s.\n", c.block)
	}
	fmt.Fprintf(b, "\n```\n%s\n```\n", c.example)
	if len(c.rows) == 0 {
		return
	}
	b.WriteString("\n| word | does |\n|---|---|\n")
	for _, r := range c.rows {
		does := r.does
		if r.many {
			does += " May be repeated."
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(r.form, "|", `\|`), strings.ReplaceAll(does, "|", `\|`))
	}
}
