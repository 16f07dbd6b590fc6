package scenario

import (
	"strings"
	"testing"
)

const scripted = `scheduler mine run=place
node n1 cpu=4
pod web cpu=3
pod db cpu=3 scheduler=mine
run
`

func played(t *testing.T, answer string) (*Transcript, error) {
	t.Helper()
	s, err := Parse("x.txt", []byte(scripted))
	if err != nil {
		t.Fatal(err)
	}
	if answer != "" {
		s.Allow(func(command []string, input []byte, before int) ([]byte, error) {
			if got := strings.Join(command, " "); got != "sh -c place" {
				t.Errorf("the command is %q", got)
			}
			if before == 0 && strings.Contains(string(input), `"nodeName":"n1"`) {
				t.Errorf("the program was told of what another scheduler bound at the same moment: %s", input)
			}
			return []byte(answer), nil
		})
	}
	return s.Run()
}

func TestAProgramRunsOnlyWhenAllowed(t *testing.T) {
	_, err := played(t, "")
	want := "x.txt line 5: scheduler mine: it is a program, and programs run only with --allow-programs"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
}

func TestAKubeletRefusesWhatAProgramOverbooks(t *testing.T) {
	done, err := played(t, `{"metadata": {"name": "db"}, "target": {"name": "n1"}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"scheduler mine binds default/db to n1\n", "the kubelet of n1 refuses default/db: OutOfcpu: ",
		"n1 is booked by several schedulers: default/web (default-scheduler), default/db (mine)\n",
	} {
		if !strings.Contains(done.Output(), want) {
			t.Errorf("no %q in:\n%s", want, done.Output())
		}
	}
}

func TestWhatAProgramWritesMustBeBindings(t *testing.T) {
	for answer, want := range map[string]string{
		"web n1": "x.txt line 5: scheduler mine: what it wrote is no Binding in JSON: ",
		`{"metadata": {"name": "db"}}`: `x.txt line 5: scheduler mine: binding 1 has no target.name ` +
			`(want {"metadata": {"name": "POD"}, "target": {"name": "NODE"}})`,
	} {
		if _, err := played(t, answer); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

func TestTheAPIServerRefusesToBindTwice(t *testing.T) {
	done, err := played(t, `{"metadata": {"name": "web"}, "target": {"name": "n1"}}`)
	want := `the API server refuses: pod "default/web": is on node "n1" already`
	if err != nil || !strings.Contains(done.Output(), want) {
		t.Errorf("%v\n%s", err, done.Output())
	}
}
