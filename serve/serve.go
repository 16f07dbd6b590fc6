// Package serve lets people in over SSH and gives each of them one terminal: bytes in, bytes out, a size. Nothing else
// of SSH is answered: no commands, no files, no forwarding, no agent, no environment. It does not know what a terminal
// shows, nor the role of a person in a class.
package serve

import (
	"context"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
	"k8s.io/utils/clock"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/words"
)

// Host shows something to a guest until it is over or ctx ends, and returns the last words. A guest has one terminal.
type Host func(ctx context.Context, g Guest, t *Terminal) string

// Guest is a person that came in.
type Guest struct {
	Name string // as the client sent it: letters, digits, and - _ . between them
	Key  string // the fingerprint of the key they hold; "": they knew the password
}

// Door is a server that is set up.
type Door struct {
	config   *ssh.ServerConfig
	limits   Limits
	clock    clock.WithDelayedExecution
	host     Host
	language words.Language

	arrivals *rate.Limiter
	mu       sync.Mutex
	inside   int // connections, whether they may come in or not
	guests   int
	all      sync.WaitGroup
}

// Options are what a door needs to be set up, besides what is behind it.
type Options struct {
	HostKey  ssh.Signer
	Keys     []ssh.PublicKey // a student with one of these may come in
	Password string          // with it a student may come in; "": there is none
	Limits   Limits
	Clock    clock.WithDelayedExecution
	Language words.Language // of the last words; its zero value is English
}

// New sets up a door. It refuses one that needs neither a key nor a password.
func New(o Options, host Host) (*Door, error) {
	if len(o.Keys) == 0 && o.Password == "" {
		return nil, phrase.Errorf("nobody could come in: there are neither keys nor a password")
	}
	d := &Door{limits: o.Limits, clock: o.Clock, language: o.Language, host: host}
	d.arrivals = rate.NewLimiter(d.limits.Arrivals, d.limits.Guests)
	d.config = d.admission(&o)
	d.config.AddHostKey(o.HostKey)
	return d, nil
}

// Serve lets people in until ctx ends, and returns when the last of them is out.
func (d *Door) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	defer d.all.Wait()
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return phrase.Errorf("class: %w", err)
		}
		if !d.enter() {
			_ = conn.Close()
			continue
		}
		d.all.Go(func() {
			defer d.leave()
			d.meet(ctx, conn)
		})
	}
}

// enter counts a connection; false: there are too many.
func (d *Door) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inside == d.limits.Guests+d.limits.Strangers || !d.arrivals.AllowN(d.clock.Now(), 1) {
		return false
	}
	d.inside++
	return true
}

func (d *Door) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inside--
}

// meet speaks SSH with one connection.
func (d *Door) meet(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	farewell := &farewell{door: d, conn: conn}
	stop := context.AfterFunc(ctx, farewell.begin)
	defer stop()
	defer farewell.over()
	late := d.clock.AfterFunc(d.limits.handshake, func() { _ = conn.Close() })
	defer late.Stop()
	known, channels, requests, err := ssh.NewServerConn(conn, d.config)
	if err != nil {
		return // the client was refused, and got the reason
	}
	slow := rate.NewLimiter(d.limits.Requests, int(d.limits.Requests))
	go d.refuseAll(ctx, slow, requests)
	guest := Guest{Name: known.User(), Key: known.Permissions.Extensions[keyExtension]}
	refused, seated := 0, false
	for c := range channels {
		why := d.language.Of("one screen for each connection")
		if c.ChannelType() != "session" {
			why = d.language.Of("a class has screens, and forwards nothing")
		}
		if seated || c.ChannelType() != "session" {
			_ = c.Reject(ssh.Prohibited, why)
			if refused++; refused == d.limits.Refusals {
				return
			}
			continue
		}
		seated = true
		channel, asked, err := c.Accept()
		if err != nil {
			return
		}
		v := &visit{door: d, conn: conn, channel: channel, guest: guest, slow: slow, late: late, farewell: farewell}
		d.all.Go(func() { v.answer(ctx, asked) })
	}
}

// farewell ends a connection when the class ends: at once, or where a screen is shown, once the host has given the
// terminal back. Without that the terminal would stay as the screen needs it: no cursor, and reports of the mouse.
type farewell struct {
	door *Door
	conn net.Conn

	mu    sync.Mutex
	shown bool        // a screen is shown
	begun bool        // the class has ended
	timer clock.Timer // closes the connection of a client that does not disconnect
}

func (f *farewell) begin() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = true
	if !f.shown {
		_ = f.conn.Close()
		return
	}
	f.timer = f.door.clock.AfterFunc(f.door.limits.farewell, func() { _ = f.conn.Close() })
}

// show notes that a screen is shown from now on; false: the class has ended.
func (f *farewell) show() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shown = !f.begun
	return f.shown
}

func (f *farewell) over() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun = true
	if f.timer != nil {
		f.timer.Stop()
	}
}

// refuseAll refuses every request of a connection besides channels, such as to listen on a port for it.
func (d *Door) refuseAll(ctx context.Context, slow *rate.Limiter, requests <-chan *ssh.Request) {
	for r := range requests {
		d.wait(ctx, slow, 1)
		if r.WantReply {
			_ = r.Reply(false, nil)
		}
	}
}

// wait slows down a client that sends too much, and reports whether the connection is still there.
func (d *Door) wait(ctx context.Context, l *rate.Limiter, n int) bool {
	now := d.clock.Now()
	delay := l.ReserveN(now, n).DelayFrom(now)
	if delay <= 0 {
		return ctx.Err() == nil
	}
	over := make(chan struct{})
	timer := d.clock.AfterFunc(delay, func() { close(over) })
	defer timer.Stop()
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// Limits bound what people can use of the machine.
type Limits struct {
	Guests    int           // at a time
	Strangers int           // connections beyond these that have not been let in
	Arrivals  rate.Limit    // connections in a second, after a burst of Guests
	handshake time.Duration // until the client is let in, and has its screen
	farewell  time.Duration // for a client to take what gives its terminal back, and to disconnect, when the class ends
	Tries     int           // of a password or a key in one connection
	Refusals  int           // channels that are refused before the connection is closed
	Requests  rate.Limit    // of SSH in a second, besides typing; more have to wait
	Typing    rate.Limit    // bytes in a second; more have to wait
	Burst     int           // bytes that need not wait
	Idle      time.Duration // without a key
	Stuck     time.Duration // for a terminal to take what is written to it
	Width     int           // columns of the largest terminal; a larger one is used in part
	Height    int
}

// Usual are limits for a class.
func Usual() Limits {
	return Limits{
		Guests: 60, Strangers: 20, Arrivals: 10, handshake: 20 * time.Second, farewell: 5 * time.Second,
		Tries: 4, Refusals: 16,
		Requests: 20, Typing: 4 << 10, Burst: 16 << 10, Idle: 30 * time.Minute, Stuck: 30 * time.Second,
		Width: 250, Height: 80,
	}
}
