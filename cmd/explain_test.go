package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsersOfANodeAddUpToWhatIsUsed has a node that is kept for a nominated pod, which counts like those on it.
func TestUsersOfANodeAddUpToWhatIsUsed(t *testing.T) {
	const want = "-5 free (13 of 8 used); largest users: default/train-0 6, default/pay-1 5 (nominated there), " +
		"default/train-1 2\n"
	if page := program(t, "explain", "pay-0", "demo:preemption").out; !strings.Contains(page, want) {
		t.Errorf("%q is missing:\n%s", want, page)
	}
}

// TestAVictimThatCameWithItsNodeCanBeExplained explains a pod that no cycle tried, and that was evicted.
func TestAVictimThatCameWithItsNodeCanBeExplained(t *testing.T) {
	page := program(t, "explain", "render-0", "demo:preemption").out
	if !strings.Contains(page, "Preempted") || !strings.Contains(page, "default/render-0") {
		t.Errorf("%s", page)
	}
}

// TestCellsOfAPageAreInTheLanguageOfTheReader looks for the words of filters and the titles of scores.
func TestCellsOfAPageAreInTheLanguageOfTheReader(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	program(t, "export", "cycle", "demo:rollout", "--cycle", "1", "--lang", "zh", "-q", "-o", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"<td>通过</td>", "<td>已跳过</td>", "<td>未问到，会通过</td>", ">总分<"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, wrong := range []string{"<td>pass</td>", "<td>skipped</td>", "<td>would pass</td>", ">total<"} {
		if strings.Contains(page, wrong) {
			t.Errorf("the page has %q", wrong)
		}
	}
}

// TestTheFileBeforeThePodIsRefusedWithTheRightOrder names a demo, a file and standard input first.
func TestTheFileBeforeThePodIsRefusedWithTheRightOrder(t *testing.T) {
	for _, file := range []string{"demo:pending", "testdata/gang.txt", "-"} {
		p := program(t, "explain", file, "gpu-1")
		want := "the POD stands before the FILE: schedstep explain gpu-1 " + file
		if p.code != 2 || !strings.Contains(p.err, want) {
			t.Errorf("exit code %d, %q; want 2 and %q", p.code, p.err, want)
		}
	}
}
