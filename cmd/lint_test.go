package cmd_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedstep/schedstep/replay/session/lint"
)

// pages is the folder with a page for each rule of lint.
const pages = "../docs/lint"

// TestEveryRuleHasAPageWhoseExampleIsTrue compares the folder with the table of rules, and runs lint on the example of
// each page: it prints what the page has as its output.
func TestEveryRuleHasAPageWhoseExampleIsTrue(t *testing.T) {
	index := readPage(t, "README")
	for _, r := range lint.Rules() {
		text := readPage(t, r.Code)
		head := fmt.Sprintf(
			"# %s %s\n\nLevel %s. Finds %s.\nWhat comes of it: %s.\n", r.Code, r.Name, r.Level, r.About, r.Why,
		)
		if !strings.HasPrefix(text, head) {
			t.Errorf("%s.md does not begin with\n%s", r.Code, head)
		}
		row := fmt.Sprintf("| [%s](%s.md) | %s | %s | %s |\n", r.Code, r.Code, r.Name, r.Level, r.About)
		if !strings.Contains(index, row) {
			t.Errorf("README.md has no row\n%s", row)
		}
		input := filepath.Join(t.TempDir(), "page.yaml")
		if err := os.WriteFile(input, []byte(block(text, "```yaml\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		got := program(t, "lint", input, "-q")
		got.out, _, _ = strings.Cut(got.out, "\nfindings: ")
		if diff := cmp.Diff(block(text, "prints\n\n```\n"), got.out); diff != "" || got.code != 3 || got.err != "" {
			t.Errorf("%s: exit code %d, %s (-page +lint):\n%s", r.Code, got.code, got.err, diff)
		}
	}
	files, err := os.ReadDir(pages)
	if err != nil || len(files) != len(lint.Rules())+1 {
		t.Errorf("%d files for %d rules and an index, %v", len(files), len(lint.Rules()), err)
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pages, name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is what stands between an opening and the next end of a block.
func block(text, opening string) string {
	_, after, _ := strings.Cut(text, opening)
	inside, _, _ := strings.Cut(after, "```")
	return inside
}

// faulty has an error and a warning, each at a known line.
const faulty = `apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "9"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {nodeSelector: {disk: ssd}, tolerations: [{key: gpuu, operator: Exists}], containers: [{name: c, image: x}]}
`

func faultyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my app.yaml")
	if err := os.WriteFile(path, []byte(faulty), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatLintIgnoresDecidesTheExitCode(t *testing.T) {
	file := faultyFile(t)
	for _, c := range []struct {
		args []string
		code int
		out  string // the codes that are printed
		err  string
	}{
		{nil, 3, "SS101 SS102", "findings: 2 (errors 1, warnings 1)"},
		{[]string{"--ignore", "SS101"}, 3, "SS102", "left out by --ignore: 1"},
		{[]string{"--ignore", "SS101", "--fail-on", "error"}, 0, "SS102", ""},
		{[]string{"--ignore", "node-selector,ss102"}, 0, "", "left out by --ignore: 2"},
		{[]string{"--fail-on", "error"}, 3, "SS101 SS102", ""},
		{[]string{"--fail-on", "never"}, 0, "SS101 SS102", ""},
		{[]string{"--ignore", "SS10"}, 2, "", "did you mean"},
		{[]string{"--ignore", "elephants"}, 2, "", "there is no such rule"},
		{[]string{"--fail-on", "sometimes"}, 2, "", "--fail-on"},
		{[]string{"-o", "html"}, 2, "", "sarif"},
	} {
		got := program(t, append([]string{"lint", file}, c.args...)...)
		codes := strings.Join(regexp.MustCompile(`SS\d+`).FindAllString(got.out, -1), " ")
		if got.code != c.code || codes != c.out || !strings.Contains(got.out+got.err, c.err) {
			t.Errorf("%v: exit code %d, %q\n%s", c.args, got.code, codes, got.err)
		}
	}
}

func TestSARIFNamesFileLineAndPage(t *testing.T) {
	got := program(t, "lint", faultyFile(t), "-o", "sarif", "-q")
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID, HelpURI string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal([]byte(got.out), &log); err != nil {
		t.Fatalf("%v\n%s", err, got.out)
	}
	rules, results := log.Runs[0].Tool.Driver.Rules, log.Runs[0].Results
	if log.Version != "2.1.0" || len(results) != 2 || len(rules) != len(lint.Rules()) {
		t.Fatalf("%s", got.out)
	}
	for i, level := range []string{"error", "warning"} {
		r := results[i]
		at := r.Locations[0].PhysicalLocation
		if r.Level != level || rules[r.RuleIndex].ID != r.RuleID || at.Region.StartLine != 6 ||
			!strings.HasPrefix(at.ArtifactLocation.URI, "file:///") ||
			!strings.HasSuffix(at.ArtifactLocation.URI, "/my%20app.yaml") || len(r.PartialFingerprints) != 1 ||
			!strings.HasSuffix(rules[r.RuleIndex].HelpURI, "/docs/lint/"+r.RuleID+".md") {
			t.Errorf("%+v of %+v", r, rules[r.RuleIndex])
		}
	}
}

func TestJUnitHasAFailureForEachFindingAndAPassForEachOtherRule(t *testing.T) {
	got := program(t, "lint", faultyFile(t), "-o", "junit", "-q")
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suite    struct {
			Cases []struct {
				Class   string `xml:"classname,attr"`
				Line    int    `xml:"line,attr"`
				Failure *struct {
					Type string `xml:"type,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(got.out), &suites); err != nil {
		t.Fatalf("%v\n%s", err, got.out)
	}
	failed := map[string]string{}
	for _, c := range suites.Suite.Cases {
		if c.Failure != nil {
			failed[fmt.Sprint(c.Class, " line ", c.Line)] = c.Failure.Type
		}
	}
	want := map[string]string{"SS101 node-selector line 6": "error", "SS102 toleration line 6": "warning"}
	if diff := cmp.Diff(want, failed); diff != "" || suites.Failures != 2 || suites.Tests != len(lint.Rules()) {
		t.Errorf("%d tests, %d failures (-want +got):\n%s", suites.Tests, suites.Failures, diff)
	}
}

func TestWhatIsRefusedStandsInTheReportsOfLint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	text := faulty + "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, " +
		"spec: {priorityClassName: none, containers: [{name: c, image: x}]}}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		"sarif": `"toolExecutionNotifications"`, "junit": `errors="1"`,
	} {
		got := program(t, "lint", path, "-o", format, "-q")
		reason := "no PriorityClass with name none"
		if got.code != 1 || !strings.Contains(got.out, want) || !strings.Contains(got.out, reason) {
			t.Errorf("-o %s: exit code %d\n%s", format, got.code, got.out)
		}
	}
}

// TestAChartAloneIsLookedAt runs lint on manifests without nodes.
func TestAChartAloneIsLookedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chart.yaml")
	text := `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: wbe}}}
      containers: [{name: c, image: x}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := program(t, "lint", path)
	for _, want := range []string{"SS203", " and 1 more ", "SS301", "minAvailable is 2"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in\n%s", want, got.out)
		}
	}
	if got.code != 3 || !strings.Contains(got.err, "the input has no nodes") {
		t.Errorf("exit code %d, %s", got.code, got.err)
	}
}
