//go:build chromium

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// tab is a page of a Chromium without a window, which is spoken to over pipes in the DevTools protocol: its clock is a
// real one.
type tab struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	last    int      // number of the last call
	session string   // of the page; "": the browser itself
	console []string // what was written to the console, and errors that were not caught
}

// message is what either side of the pipes writes, with a zero byte behind it.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// tabOf opens an address in a Chromium of its own, which ends with the test.
func tabOf(t *testing.T, address string) *tab {
	t.Helper()
	theirs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, others, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-component-update",
		"--no-first-run", "--disable-background-networking", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe")
	run.ExtraFiles = []*os.File{theirs, others} // 3 and 4
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirs.Close(), others.Close()
	b := &tab{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil, nil)
		_ = run.Wait()
		_, _ = to.Close(), from.Close()
	})
	var made struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, of := range []string{"Page", "Runtime", "Log"} {
		b.call(of+".enable", nil, nil)
	}
	b.call("Page.navigate", map[string]any{"url": address}, nil)
	return b
}

// call requests something of the browser, or of the page, and waits for the answer.
func (b *tab) call(method string, params, into any) {
	b.t.Helper()
	b.last++
	text, err := json.Marshal(message{ID: b.last, Session: b.session, Method: method, Params: params})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		text, err := b.from.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		var m message
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			b.t.Fatal(err)
		}
		switch {
		case m.ID == b.last && m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error)
		case m.ID == b.last:
			if into != nil {
				if err := json.Unmarshal(m.Result, into); err != nil {
					b.t.Fatal(err)
				}
			}
			return
		case slices.Contains([]string{"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}, m.Method):
			b.console = append(b.console, string(text))
		}
	}
}

// value is what an expression of JavaScript comes to, once it is settled.
func (b *tab) value(expression string) string {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true,
	}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	text, err := json.Marshal(got.Result.Value)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Trim(string(text), `"`)
}

// until waits for what an expression is about: it is looked at for each frame that the page draws.
func (b *tab) until(expression string) string {
	b.t.Helper()
	return b.value(`new Promise(done => {
  const look = () => { const is = ` + expression + `; is ? done(is) : requestAnimationFrame(look); };
  look();
})`)
}
