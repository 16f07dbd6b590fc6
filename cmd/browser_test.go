//go:build chromium

package cmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// browser opens a page in a Chromium without a window, from its file. It returns the document as it is in the end, and
// the log. Without a Chromium the test ends early: make browser prints that.
func browser(t *testing.T, page string, flags ...string) (document, log string) {
	t.Helper()
	args := append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-component-update", "--no-first-run",
		"--disable-background-networking", "--user-data-dir=" + t.TempDir(), "--enable-logging=stderr",
		"--virtual-time-budget=2000",
	}, append(flags, "file://"+page)...)
	run := exec.Command("chromium", args...)
	var out, errs strings.Builder
	run.Stdout, run.Stderr = &out, &errs
	if err := run.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// exported is a page of a demo, in a file of its own.
func exported(t *testing.T, about, demo string, more ...string) (page, text string) {
	t.Helper()
	page = filepath.Join(t.TempDir(), about+".html")
	program(t, append([]string{"export", about, demo, "-q", "-o", page}, more...)...)
	read, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return page, string(read)
}

// eachPage is one of each kind: of a run, of a cycle, and the reports of a run and of a sweep.
func eachPage(t *testing.T) map[string]string {
	t.Helper()
	run, _ := exported(t, "run", "demo:rollout")
	cycle, _ := exported(t, "cycle", "demo:preemption")
	report := filepath.Join(t.TempDir(), "report.html")
	text := program(t, "run", "demo:rollout", "-q", "--report", "html").out
	if err := os.WriteFile(report, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sweep := filepath.Join(t.TempDir(), "sweep.html")
	out := swept(t, "--vary", "weight.NodeResourcesBalancedAllocation=1..3", "--vary", "weight.NodeResourcesFit=1..3",
		"--vary", "order=-,large-first", "--vary", "seed=0..4", "--price", "cpu=0.03")
	text = program(t, "sweep", "report", out, "-o", "html").out
	if err := os.WriteFile(sweep, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"run": run, "cycle": cycle, "report": report, "sweep": sweep}
}

// with is a page with a script of the test behind its own.
func with(t *testing.T, text, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tested.html")
	text = strings.Replace(text, "</body>", "<script>"+script+"</script></body>", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// useTables sorts the table of cycles by the pod, and then the other way round; then keeps some rows. What is seen each
// time becomes the title.
const useTables = `
const last = [...document.querySelectorAll("table")].at(-1), head = last.tHead.rows[0].cells;
const seen = () => [...last.tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[2].textContent);
const button = head[2].querySelector("button"), input = last.parentElement.previousElementSibling.querySelector("input");
const out = {};
out.before = seen(); button.click(); out.up = seen(); button.click(); out.down = seen();
input.value = "web-v2-4 unschedulable"; input.dispatchEvent(new Event("input")); out.kept = seen();
document.title = JSON.stringify(out);
`

func TestTablesOfAPageSortAndFilter(t *testing.T) {
	_, text := exported(t, "run", "demo:rollout")
	document, log := browser(t, with(t, text, useTables), "--dump-dom")
	title := regexp.MustCompile(`<title>(\{.*\})</title>`).FindStringSubmatch(document)
	if title == nil {
		t.Fatalf("no result:\n%s\n%s", document, log)
	}
	var seen struct{ Before, Up, Down, Kept []string }
	if err := json.Unmarshal([]byte(title[1]), &seen); err != nil {
		t.Fatal(err)
	}
	if len(seen.Before) != 11 || seen.Up[0] != "default/web-v2-0" || seen.Up[10] != "default/web-v2-5" ||
		seen.Down[0] != "default/web-v2-5" || seen.Down[10] != "default/web-v2-0" {
		t.Errorf("sorted: %+v", seen)
	}
	if strings.Join(seen.Kept, " ") != "default/web-v2-4 default/web-v2-4" {
		t.Errorf("kept: %v", seen.Kept)
	}
}

// ownRequest is a request that Chromium sends to its makers whatever page is open. No page of ours names them.
var ownRequest = regexp.MustCompile(`^https?://([a-z0-9-]+\.)*(google|googleapis|gvt1)\.com/`)

func TestAPageAsksNobodyAndComplainsOfNothing(t *testing.T) {
	for about, page := range eachPage(t) {
		net := filepath.Join(t.TempDir(), "net.json")
		_, log := browser(t, page, "--dump-dom", "--log-net-log="+net)
		if strings.Contains(log, ":CONSOLE") {
			t.Errorf("%s: the console says\n%s", about, log)
		}
		requests, err := os.ReadFile(net)
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range regexp.MustCompile(`"url":"([^"]*)"`).FindAllStringSubmatch(string(requests), -1) {
			if !strings.HasPrefix(url[1], "file:") && !strings.HasPrefix(url[1], "data:") && !ownRequest.MatchString(url[1]) {
				t.Errorf("%s asks for %s", about, url[1])
			}
		}
	}
}

// inSandbox shows a page in a frame that runs no scripts, and writes down what can be read there.
const inSandbox = `<!DOCTYPE html><iframe sandbox="allow-same-origin" src="PAGE"></iframe><pre id="read"></pre>
<script>document.querySelector("iframe").onload = e => {
  const page = e.target.contentDocument, count = what => page.querySelectorAll(what).length;
  document.querySelector("pre").textContent = page.body.innerText +
    "\nbuttons: " + count("button") + ", pictures: " + count("svg");
};</script>`

func TestAPageIsReadWithScriptsOff(t *testing.T) {
	page, _ := exported(t, "cycle", "demo:rollout", "--cycle", "4")
	around := filepath.Join(t.TempDir(), "around.html")
	if err := os.WriteFile(around, []byte(strings.Replace(inSandbox, "PAGE", "file://"+page, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	document, log := browser(t, around, "--dump-dom", "--allow-file-access-from-files")
	read := regexp.MustCompile(`(?s)<pre id="read">(.*)</pre>`).FindString(document)
	for _, text := range []string{"web-v2-3", "Insufficient cpu", "worker-3", "NodeResourcesFit", "smallest changes"} {
		if !strings.Contains(read, text) {
			t.Errorf("without scripts the page lacks %q", text)
		}
	}
	if !strings.Contains(read, "buttons: 0, pictures: 1") {
		t.Errorf("a script has run, or a picture is missing:\n%s\n%s", read, log)
	}
}

// TestPagesAreDrawn writes what is to be looked at into the folder of BROWSER_PICTURES, if one is named.
func TestPagesAreDrawn(t *testing.T) {
	folder := os.Getenv("BROWSER_PICTURES")
	if folder == "" {
		folder = t.TempDir()
	}
	for about, page := range eachPage(t) {
		for _, size := range []string{"1400,2400", "400,2400"} {
			for mode, flag := range map[string]string{"light": "0", "dark": "1"} {
				picture := filepath.Join(folder, about+"-"+strings.Split(size, ",")[0]+"-"+mode+".png")
				flags := []string{"--screenshot=" + picture, "--window-size=" + size, "--hide-scrollbars"}
				if flag == "1" {
					flags = append(flags, "--blink-settings=preferredColorScheme=0")
				}
				browser(t, page, flags...)
				if info, err := os.Stat(picture); err != nil || info.Size() < 10000 {
					t.Errorf("%s was not drawn: %v", picture, err)
				}
			}
		}
	}
}
