package serve

import (
	"cmp"
	"context"
	"net"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// visit is the SSH connection of one student, with its only channel.
type visit struct {
	door    *Door
	conn    net.Conn
	channel ssh.Channel
	guest   Guest
	slow    *rate.Limiter
	late    clock.Timer // closes the connection when the student has no screen yet, or does not disconnect

	terminal *Terminal // nil: the client requested none
	seated   bool      // the screen is shown on it
	farewell *farewell
}

// The SSH requests that are answered; all others are refused.
const (
	askTerminal = "pty-req"
	askScreen   = "shell"
	tellSize    = "window-change"
)

// refusalWords are the reasons for refusing each other request that a student may try.
var refusalWords = map[string]string{
	"exec":      "There is one program here, the class; no commands are run. Leave the command out.",
	"subsystem": "There are no files here to be copied.",
}

// answer handles the requests of a student one by one, until the connection ends.
func (v *visit) answer(ctx context.Context, asked <-chan *ssh.Request) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer func() {
		if !v.seated { // the host gives the terminal back first
			_ = v.channel.Close()
		}
	}()
	for r := range asked {
		if !v.door.wait(ctx, v.slow, 1) {
			return
		}
		sentence := v.refusal(r.Type)
		good := sentence == "" && v.take(ctx, leave, r)
		if r.WantReply {
			_ = r.Reply(good || sentence != "", nil) // a request that SSH refuses ends the client before it shows the sentence
		}
		if sentence != "" {
			v.say(sentence)
			v.end(1)
			return
		}
	}
}

// take carries out a request, and reports whether it was one of those that are answered.
func (v *visit) take(ctx context.Context, leave context.CancelFunc, r *ssh.Request) bool {
	switch r.Type {
	case askTerminal:
		var p struct {
			Term          string
			Columns, Rows uint32
			Width, Height uint32
			Modes         string
		}
		if v.terminal != nil || ssh.Unmarshal(r.Payload, &p) != nil {
			return false
		}
		v.terminal = newTerminal(v, termOf(p.Term), v.sizeOf(p.Columns, p.Rows), leave)
		return true
	case tellSize:
		var p struct{ Columns, Rows, Width, Height uint32 }
		if v.terminal == nil || ssh.Unmarshal(r.Payload, &p) != nil {
			return false
		}
		v.terminal.resize(v.sizeOf(p.Columns, p.Rows))
		return true
	case askScreen:
		if v.seated {
			return false
		}
		v.seated = true
		v.door.all.Go(func() { v.sit(ctx, leave) })
		return true
	}
	return false
}

// refusal is the sentence for a request that ends the connection, because it wants something other than a screen on a
// terminal; "": the request does not end it.
func (v *visit) refusal(request string) string {
	if request == askScreen && v.terminal == nil {
		return v.door.language.Of("A class needs a terminal: leave out -T.")
	}
	return v.door.language.Of(refusalWords[request])
}

// sit shows the screen to the student, if the class is not full.
func (v *visit) sit(ctx context.Context, leave context.CancelFunc) {
	defer leave()
	if !v.farewell.show() {
		_ = v.channel.Close()
		return
	}
	d := v.door
	d.mu.Lock()
	full := d.guests == d.limits.Guests
	if !full {
		d.guests++
	}
	d.mu.Unlock()
	if full {
		v.say(d.language.Of("The class is full."))
		v.end(1)
		return
	}
	defer func() {
		d.mu.Lock()
		d.guests--
		d.mu.Unlock()
	}()
	v.late.Stop()
	d.all.Go(func() { v.terminal.listen(ctx, leave) })
	last := d.host(ctx, v.guest, v.terminal)
	if why := v.terminal.why(); why != "" {
		last = why
	}
	if last != "" {
		v.say(last)
	}
	v.end(0)
}

// say writes a sentence to the visitor's standard error.
func (v *visit) say(sentence string) {
	timer := v.door.clock.AfterFunc(v.door.limits.Stuck, func() { _ = v.conn.Close() })
	defer timer.Stop()
	_, _ = v.channel.Stderr().Write([]byte(sentence + "\r\n"))
}

// end sends the exit status and closes the channel. A client that does not disconnect then is disconnected later.
func (v *visit) end(status uint32) {
	v.late.Reset(v.door.limits.Stuck)
	_, _ = v.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{status}))
	_ = v.channel.Close()
}

// The size of a terminal that does not report its own.
const (
	usualWidth  = 80
	usualHeight = 24
)

// sizeOf is the size of a terminal within the limits.
func (v *visit) sizeOf(columns, rows uint32) Size {
	l := &v.door.limits
	return Size{
		Width:  int(min(cmp.Or(columns, usualWidth), uint32(l.Width))),
		Height: int(min(cmp.Or(rows, usualHeight), uint32(l.Height))),
	}
}

// termOf is the terminal type, such as "xterm-256color". Anything that cannot be the name of one becomes "xterm",
// because libraries open files by that name.
func termOf(name string) string {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '+')
	}
	if name == "" || len(name) > mostOfAName || strings.ContainsFunc(name, odd) {
		return "xterm"
	}
	return name
}
