package prompt

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/tui/command"
)

// typist is a person that types lines ahead.
type typist struct{ typed []string }

func (p *typist) isPerson() bool { return true }

func (p *typist) next(context.Context, string) (string, error) {
	if len(p.typed) == 0 {
		return "", io.EOF
	}
	text := p.typed[0]
	p.typed = p.typed[1:]
	return text, nil
}

func TestOnlyAPersonIsAsked(t *testing.T) {
	for _, c := range []struct {
		name  string
		from  lines
		agree bool
		said  string
		next  string
	}{
		{"a person who says yes", &typist{[]string{"yes", "next"}}, true, "", "next"},
		{"a person who says no", &typist{[]string{"n", "next"}}, false, "nothing was done\n", "next"},
		{"a person who leaves", &typist{}, false, "nothing was done\n", ""},
		{
			"a script", newScript(strings.NewReader("next\n"), io.Discard, false), false,
			"nothing was done; to do it: bind web-2 n1 yes\n", "next",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			r := newConversation(t.Context(), &session.Session{}, c.from, &out)
			if got := r.agrees(command.Question{Yes: "bind web-2 n1 yes"}); got != c.agree {
				t.Errorf("agrees is %v, want %v", got, c.agree)
			}
			_ = r.out.Flush()
			if diff := cmp.Diff(c.said, out.String()); diff != "" {
				t.Error(diff)
			}
			if got, _ := r.ask("> "); got != c.next {
				t.Errorf("the next line is %q, want %q", got, c.next)
			}
		})
	}
}

func TestTabCompletesAsFarAsAllAgree(t *testing.T) {
	var out strings.Builder
	offers := map[string][]string{
		"g":         {"goto"},
		"goto web-": {"goto default/web-0", "goto default/web-1"},
		"goto x":    nil,
	}
	for _, c := range []struct{ line, want string }{
		{"g", "goto "}, {"goto web-", "goto default/web-"}, {"goto x", "goto x"},
	} {
		got, at := completed(&out, c.line, len(c.line), offers[c.line])
		if got != c.want || at != len(c.want) {
			t.Errorf("%q becomes %q with the cursor at %d, want %q", c.line, got, at, c.want)
		}
	}
	if out.Len() > 0 {
		t.Errorf("completions are listed although they add something:\n%s", out.String())
	}
	completed(&out, "goto default/web-", 17, offers["goto web-"])
	if want := "  default/web-0\n  default/web-1\n"; out.String() != want {
		t.Errorf("tab lists %q, want %q", out.String(), want)
	}
}
