// Package schedulerlog reads what kube-scheduler logged (klog, text or JSON, V(2) to V(10)): attempts, reasons, moves
// between its queues, preemptions, bindings. It is what the scheduler believed, evidence beside facts: it makes no
// objects. Lines are known by their messages, which differ between releases; others are counted.
package schedulerlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What is what a line reports.
type What uint8

// What lines report.
const (
	Attempt What = iota // a cycle for a pod begins
	Bound               // Text is the node
	Failed              // Text is why no node was found
	Moved               // Text is the queue; Why the event that moved the pod
	Victim              // the pod is evicted; Text is the node, Why the pod that needs the room
)

// Line is one statement about a pod.
type Line struct {
	At   time.Time
	What What
	Pod  string // namespace/name
	Text string
	Why  string
}

// Log is the statements of one or several files, in their order.
type Log struct {
	Lines  []Line
	Counts [Victim + 1]int // by What
	Other  int             // lines that report something else
	Broken int             // lines that are cut, or of no form of klog
	Starts int             // of the program: what it had believed before is gone
	Began  []time.Time     // when it first decided after each of them; one that stays idle, as a replica does, is left out

	started bool // in this file, and it has decided nothing since
}

// messages are those that are read, in the words of releases 1.19 to 1.37.
var messages = map[string]What{
	"Attempting to schedule pod":                                              Attempt,
	"Successfully bound pod to node":                                          Bound,
	"Unable to schedule pod; no fit; waiting":                                 Failed,
	"Unable to schedule pod; no nodes are registered to the cluster; waiting": Failed,
	"Pod moved to an internal scheduling queue":                               Moved,
	"Preemptor Pod preempted victim Pod":                                      Victim,
	"Preemptor pod preempted victim pod":                                      Victim,
}

// line is the head of a line of klog in text: severity, month and day, time, process, file, and the message in quotes.
var (
	line = regexp.MustCompile(`^([IWEF])(\d{2})(\d{2}) (\d{2}:\d{2}:\d{2}\.\d{6})\s+\d+ ([\w.-]+:\d+)\] (.*)$`)
	// beginning is how a line of klog begins, even one that is cut.
	beginning = regexp.MustCompile(`^[IWEF]\d`)
	marks     = []string{
		"schedule_one.go", "scheduling_queue.go", "scheduler.go", "Attempting to schedule pod",
		"--pod-max-in-unschedulable-pods-duration", "Successfully bound pod to node",
	}
)

// longest is how long a line may be, in bytes: dumps of the cache are long.
const longest = 16 << 20

// Is reports whether the first bytes of a file are those of a log of kube-scheduler.
func Is(head []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, "\ufeff\r\n"), []byte{'\n'})
	first = bytes.TrimRight(first, "\r")
	structured := bytes.HasPrefix(first, []byte(`{"ts":`)) && bytes.Contains(first, []byte(`"msg":`))
	if !structured && !line.Match(first) {
		return false
	}
	for _, mark := range marks {
		if bytes.Contains(head, []byte(mark)) {
			return true
		}
	}
	return false
}

// Read adds the lines of a file. klog writes no year, and the time of the machine's own zone, which is taken for UTC.
func (l *Log) Read(ctx context.Context, in io.Reader, year int) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), longest)
	var open []byte // a line whose value goes on in the next ones
	begun := false  // a whole line was there
	l.started = false
	for n := 0; scanner.Scan(); n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text := bytes.TrimRight(scanner.Bytes(), "\r")
		switch {
		case open != nil && !line.Match(text):
			if len(open)+len(text) < longest {
				open = append(append(open, '\n'), text...)
			}
			continue
		case open != nil:
			l.text(string(open), year)
			open = nil
		}
		switch {
		case len(text) == 0:
		case text[0] == '{':
			l.structured(text)
		case bytes.HasSuffix(text, []byte("=<")):
			open, begun = bytes.Clone(text), true
		case begun && !beginning.Match(text):
			l.Other++ // a message of several lines goes on: a trace, a check of health, a panic
		default:
			l.text(string(text), year)
			begun = begun || line.Match(text)
		}
	}
	if open != nil {
		l.text(string(open), year)
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		l.Broken++
		return nil
	}
	return scanner.Err()
}

// text reads a line of klog in text.
func (l *Log) text(raw string, year int) {
	head, more, _ := strings.Cut(raw, "\n")
	parts := line.FindStringSubmatch(head)
	if parts == nil {
		l.Broken++
		return
	}
	at, err := time.Parse("2006-01-02 15:04:05.000000", strconv.Itoa(year)+"-"+parts[2]+"-"+parts[3]+" "+parts[4])
	if err != nil {
		l.Broken++
		return
	}
	rest := parts[6]
	if more != "" {
		rest += "\n" + more
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		l.Other++
		return
	}
	message, _ := strconv.Unquote(quoted)
	values := rest[len(quoted):]
	l.add(at, message, func(name string) string { return valueOf(values, name) })
}

// valueOf is the value of a key behind a message; "" when there is none.
func valueOf(values, name string) string {
	_, rest, found := strings.Cut(values, " "+name+"=")
	switch {
	case !found:
		return ""
	case strings.HasPrefix(rest, `"`):
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return ""
		}
		value, _ := strconv.Unquote(quoted)
		return value
	case strings.HasPrefix(rest, "<\n"):
		value, _, _ := strings.Cut(rest[2:], "\n >")
		return strings.ReplaceAll(strings.TrimPrefix(value, "\t"), "\n\t", "\n")
	}
	value, _, _ := strings.Cut(rest, " ")
	return value
}

// structured reads a line of klog in JSON.
func (l *Log) structured(raw []byte) {
	var all map[string]jsontext.Value
	var at float64
	var message string
	if json.Unmarshal(raw, &all, jsontext.AllowDuplicateNames(true)) != nil ||
		json.Unmarshal(all["ts"], &at) != nil || json.Unmarshal(all["msg"], &message) != nil || at < 0 || at > 1e14 {
		l.Broken++
		return
	}
	l.add(time.UnixMicro(int64(at*1000)).UTC(), message, func(name string) string {
		var text string
		if json.Unmarshal(all[name], &text) == nil {
			return text
		}
		var named struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		}
		if json.Unmarshal(all[name], &named) != nil {
			return ""
		}
		return named.Namespace + "/" + named.Name
	})
}

// add keeps a statement.
func (l *Log) add(at time.Time, message string, value func(name string) string) {
	what, read := messages[message]
	switch {
	case message == "Starting Kubernetes Scheduler":
		l.Starts++
		l.started = true
		return
	case !read:
		l.Other++
		return
	}
	s := Line{At: at, What: what, Pod: value("pod")}
	switch what {
	case Bound:
		s.Text = value("node")
	case Failed:
		s.Text = value("err")
	case Moved:
		s.Text, s.Why = value("queue"), value("event")
	case Victim:
		s.Pod, s.Text, s.Why = value("victim"), value("node"), value("preemptor")
	}
	if s.Pod == "" {
		l.Broken++
		return
	}
	if l.started {
		l.Began, l.started = append(l.Began, at), false
	}
	l.Counts[what]++
	l.Lines = append(l.Lines, s)
}
