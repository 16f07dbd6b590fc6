package scenario_test

import (
	"fmt"
	"strings"

	"github.com/schedstep/schedstep/replay/scenario"
)

// Rerun runs a scenario and writes what happened below each line of dashes. A test of your own compares that with the
// file it read.
func ExampleRerun() {
	text := `# A pod that asks for more than any node has waits for a larger one.

node small cpu=1
pod web cpu=2
schedule
----
`
	now, err := scenario.Rerun("web.txt", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, happened, _ := strings.Cut(string(now), "----\n")
	for _, line := range strings.Split(happened, "\n")[:3] {
		fmt.Println(line)
	}
	// Output:
	// cycle 1: default/web popped from activeQ, attempt 1, priority 0, 1 nodes
	//   small: NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu
	//   default/web in flight -> unschedulable on ScheduleAttemptFailure
}

// Looks recognises a scenario by its first lines.
func ExampleLooks() {
	fmt.Println(scenario.Looks([]byte("# One pod.\n\nnode n cpu=1\npod web\nschedule\n")))
	fmt.Println(scenario.Looks([]byte("apiVersion: v1\nkind: Pod\n")))
	// Output:
	// true
	// false
}

// Parse reports where a file is wrong, and what would be right.
func ExampleParse() {
	_, err := scenario.Parse("web.txt", []byte("# A story.\n\nnoode n cpu=1\n"))
	fmt.Println(err)
	// Output:
	// web.txt line 3: unknown command "noode" (did you mean "node"?)
}
