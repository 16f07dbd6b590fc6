//go:build chromium

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// made is the page that make playground has made.
const made = "../../dist/playground/index.html"

// opened is the page with what stands behind the # of its link, once there is something to read.
func opened(t *testing.T, hash string) *tab {
	t.Helper()
	path, err := filepath.Abs(made)
	if err != nil {
		t.Fatal(err)
	}
	page := tabOf(t, "file://"+path+"#"+hash)
	page.until(`document.getElementById("out")?.textContent || document.getElementById("state")?.textContent.includes(": ")`)
	return page
}

func (b *tab) printed() string { return b.value(`document.getElementById("out").textContent`) }

// typed types a line, as a person would, and waits for the answer.
func (b *tab) typed(line, want string) {
	b.t.Helper()
	b.value(fmt.Sprintf(`document.getElementById("line").value = %q, document.getElementById("form").requestSubmit()`, line))
	b.until(fmt.Sprintf(`document.getElementById("out").textContent.includes(%q)`, want))
}

// quiet is whether nothing was written to the console.
func (b *tab) quiet() {
	b.t.Helper()
	if len(b.console) > 0 {
		b.t.Errorf("the console is not empty:\n%s", strings.Join(b.console, "\n"))
	}
}

// TestThePlaygroundPlaysAScenarioFromAFile opens the page from its file: a scenario is played, the prompt answers, and
// an unknown word is refused.
func TestThePlaygroundPlaysAScenarioFromAFile(t *testing.T) {
	page := opened(t, "")
	t.Logf("milliseconds from the request of the page to its first cycle: %s, of which %s",
		page.until("document.documentElement?.dataset.firstCycle"), page.value("document.documentElement.dataset.moments"))
	page.typed("next", "Successfully assigned default/web to n1")
	page.typed("show filter", "node n2: rejected; TaintToleration")
	page.typed("frobnicate", "error: ")
	if got := page.printed(); !strings.Contains(got, "cycle: 1, pod default/web, attempt 1") {
		t.Errorf("the page has printed\n%s", got)
	}
	page.quiet()
}

// TestThePlaygroundOpensALink opens a lesson in Chinese, a demo, and one that is not there, as the link names them.
func TestThePlaygroundOpensALink(t *testing.T) {
	for hash, want := range map[string]string{
		"lesson=1&lang=zh": "调度器", "demo=rollout": "default/web-v2-0", "demo=gone": `there is no demo \"gone\"`,
	} {
		page := opened(t, hash)
		if got := page.printed(); !strings.Contains(got, want) {
			t.Errorf("#%s: the page has no %q:\n%s", hash, want, got)
		}
		page.quiet()
	}
}

// TestThePlaygroundUnpacksWithoutTheNewest takes away what only new browsers have.
func TestThePlaygroundUnpacksWithoutTheNewest(t *testing.T) {
	text, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(t.TempDir(), "old.html")
	without := strings.Replace(string(text), "<script>", "<script>delete Uint8Array.fromBase64;</script><script>", 1)
	if err := os.WriteFile(old, []byte(without), 0o600); err != nil {
		t.Fatal(err)
	}
	page := tabOf(t, "file://"+old)
	page.until("document.documentElement?.dataset.firstCycle")
	page.quiet()
}

// TestThePlaygroundIsSmall holds what the program of the page may weigh.
func TestThePlaygroundIsSmall(t *testing.T) {
	text, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	packed := 0
	for _, piece := range strings.Split(string(text), `<script class="wasm" type="application/octet-stream">`)[1:] {
		program, _, _ := strings.Cut(piece, "<")
		packed += len(program) / 4 * 3
	}
	if packed < 1_000_000 || packed > 10_000_000 {
		t.Errorf("the program is %d bytes, want fewer than 10 million", packed)
	}
}
