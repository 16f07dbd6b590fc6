//go:build chromium

package cmd_test

import (
	"os"
	"strings"
	"testing"
)

// usePlayground types into the page once the program is there: a line for each conversation, as a person would.
const usePlayground = `
document.addEventListener("schedstep", () => setTimeout(() => {
  const lines = ["next", "show filter", "frobnicate"];
  const one = () => {
    if (!lines.length) { document.title = "done"; return; }
    document.getElementById("line").value = lines.shift();
    document.getElementById("form").requestSubmit();
    setTimeout(one, 300);
  };
  one();
}, 300));
`

// TestThePlaygroundPlaysAScenarioFromAFile opens the page that make playground makes, from its file: a scenario is
// played, the prompt answers, an unknown word is refused, and the console stays empty.
func TestThePlaygroundPlaysAScenarioFromAFile(t *testing.T) {
	text, err := os.ReadFile("../dist/playground/index.html")
	if err != nil {
		t.Fatal(err)
	}
	document, log := browser(t, with(t, string(text), usePlayground), "--dump-dom", "--virtual-time-budget=60000")
	for _, want := range []string{
		"<title>done</title>", "data-first-cycle", "cycle: 1, pod default/web, attempt 1",
		"Successfully assigned default/web to n1", "node n2: rejected; TaintToleration", `frobnicate`, "error: ",
	} {
		if !strings.Contains(document, want) {
			t.Errorf("the page has no %q:\n%s", want, document[:min(len(document), 20000)])
		}
	}
	if strings.Contains(log, "CONSOLE") {
		t.Errorf("the console is not empty:\n%s", log)
	}
}

// TestThePlaygroundOpensALink opens a lesson in Chinese, and a demo, as the link names them.
func TestThePlaygroundOpensALink(t *testing.T) {
	for hash, want := range map[string]string{
		"lesson=1&lang=zh": "调度器", "demo=rollout": "default/web-v2-0", "demo=gone": `there is no demo "gone"`,
	} {
		text, err := os.ReadFile("../dist/playground/index.html")
		if err != nil {
			t.Fatal(err)
		}
		here := `<body><script>history.replaceState(null, "", "#` + hash + `")</script>`
		asked := strings.Replace(string(text), "<body>", here, 1)
		document, log := browser(t, with(t, asked, ""), "--dump-dom", "--virtual-time-budget=60000")
		if _, printed, _ := strings.Cut(document, `<pre id="out"`); !strings.Contains(printed, want) {
			t.Errorf("#%s: the page has no %q:\n%s", hash, want, printed)
		}
		if strings.Contains(log, "CONSOLE") {
			t.Errorf("#%s: the console is not empty:\n%s", hash, log)
		}
	}
}
