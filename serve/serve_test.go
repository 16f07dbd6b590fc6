package serve_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/serve"
)

const password = "geheim-1234"

// keyOf is a key that a seed decides.
func keyOf(t *testing.T, seed byte) ssh.Signer {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune('a'+seed)), 32))))
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// door is a server on a port of its own, behind which host is.
func door(t *testing.T, o serve.Options, host serve.Host) string {
	t.Helper()
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Limits == (serve.Limits{}) {
		o.Limits = serve.Usual()
		o.Limits.Arrivals, o.Limits.Requests = 1e6, 1e6
	}
	if o.Password == "" && len(o.Keys) == 0 {
		o.Password = password
	}
	o.HostKey = keyOf(t, 0)
	d, err := serve.New(o, host)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- d.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// knock opens an SSH connection to a server under a name.
func knock(t *testing.T, at, name string, auth ssh.AuthMethod) (*ssh.Client, error) {
	t.Helper()
	c, err := ssh.Dial("tcp", at, &ssh.ClientConfig{
		User: name, Auth: []ssh.AuthMethod{auth}, HostKeyCallback: ssh.FixedHostKey(keyOf(t, 0).PublicKey()),
	})
	if err == nil {
		t.Cleanup(func() { _ = c.Close() })
	}
	return c, err
}

func enter(t *testing.T, at string) *ssh.Client {
	t.Helper()
	c, err := knock(t, at, "anna", ssh.Password(password))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// channel is a session as SSH has it, before any request on it.
func channel(t *testing.T, c *ssh.Client) ssh.Channel {
	t.Helper()
	ch, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	return ch
}

// asks sends a request, and reports whether it was accepted.
func asks(t *testing.T, ch ssh.Channel, request string, payload any) bool {
	t.Helper()
	var text []byte
	if payload != (struct{}{}) {
		text = ssh.Marshal(payload)
	}
	good, err := ch.SendRequest(request, true, text)
	return err == nil && good
}

type terminalRequest struct {
	Term                         string
	Columns, Rows, Width, Height uint32
	Modes                        string
}

type windowChange struct{ Columns, Rows, Width, Height uint32 }

func pty(columns, rows uint32) terminalRequest {
	return terminalRequest{Term: "xterm-256color", Columns: columns, Rows: rows}
}

// told is a host that prints the kind of the terminal, its sizes as they change, and what is typed, until it is q.
func told(ctx context.Context, g serve.Guest, t *serve.Terminal) string {
	fmt.Fprintf(t, "%s %q %s %v\n", g.Name, g.Key, t.Term(), t.Size())
	typed := make(chan byte)
	go func() {
		in, b := t.Input(ctx), make([]byte, 1)
		for {
			if _, err := in.Read(b); err != nil {
				close(typed)
				return
			}
			typed <- b[0]
		}
	}()
	for {
		select {
		case <-t.Resized():
			fmt.Fprintf(t, "now %v\n", t.Size())
		case b, open := <-typed:
			if !open || b == 'q' {
				return "bye"
			}
			fmt.Fprintf(t, "typed %q\n", b)
		}
	}
}

// reads reads from a channel until a text has come.
func reads(t *testing.T, from io.Reader, want string) string {
	t.Helper()
	var all strings.Builder
	piece := make([]byte, 256)
	for !strings.Contains(all.String(), want) {
		n, err := from.Read(piece)
		all.Write(piece[:n])
		if err != nil && !strings.Contains(all.String(), want) {
			t.Fatalf("%v before %q came: %q", err, want, all.String())
		}
	}
	return all.String()
}

func TestAGuestHasATerminalAndItsSize(t *testing.T) {
	ch := channel(t, enter(t, door(t, serve.Options{}, told)))
	if !asks(t, ch, "pty-req", pty(100, 30)) || !asks(t, ch, "shell", struct{}{}) {
		t.Fatal("no terminal")
	}
	reads(t, ch, `anna "" xterm-256color {100 30}`)
	asks(t, ch, "window-change", windowChange{Columns: 120, Rows: 40})
	reads(t, ch, "now {120 40}")
	_, _ = ch.Write([]byte("xq"))
	reads(t, ch, `typed 'x'`)
	reads(t, ch.Stderr(), "bye")
}

func TestNothingElseOfSSHIsAnswered(t *testing.T) {
	c := enter(t, door(t, serve.Options{}, told))
	for _, request := range []string{"tcpip-forward", "streamlocal-forward@openssh.com", "no-such-thing@example.com"} {
		if good, _, err := c.SendRequest(request, true, ssh.Marshal(struct {
			Address string
			Port    uint32
		}{"0.0.0.0", 8080})); err != nil || good {
			t.Errorf("%s is answered: %v", request, err)
		}
	}
	for _, kind := range []string{
		"direct-tcpip", "direct-streamlocal@openssh.com", "x11", "auth-agent@openssh.com", "tun@openssh.com",
	} {
		_, _, err := c.OpenChannel(kind, nil)
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, "forwards nothing") {
			t.Errorf("%s: %v", kind, err)
		}
	}
	ch := channel(t, c)
	for request, payload := range map[string]any{
		"env":                        struct{ Name, Value string }{"LD_PRELOAD", "/tmp/x.so"},
		"auth-agent-req@openssh.com": struct{}{},
		"x11-req":                    struct{ Single, Protocol, Cookie string }{"", "", ""},
		"signal":                     struct{ Name string }{"KILL"},
		"eow@openssh.com":            struct{}{},
		"window-change":              windowChange{1, 1, 1, 1},
	} {
		if asks(t, ch, request, payload) {
			t.Errorf("%s is answered", request)
		}
	}
	if _, _, err := c.OpenChannel("session", nil); err == nil {
		t.Error("there are two screens for one connection")
	}
	if !asks(t, ch, "pty-req", pty(80, 24)) || asks(t, ch, "pty-req", pty(81, 25)) {
		t.Error("the first request for a terminal counts, and no other")
	}
	if !asks(t, ch, "shell", struct{}{}) {
		t.Error("after all that the screen is not there")
	}
	reads(t, ch, "{80 24}")
}

func TestCommandsFilesAndScreensWithoutTerminalsAreRefusedInASentence(t *testing.T) {
	for language, wants := range map[string]map[string]string{
		"en": {"exec": "no commands are run", "subsystem": "There are no files here", "shell": "A class needs a terminal"},
		"zh": {"exec": "不运行命令", "subsystem": "没有可以复制的文件", "shell": "课堂需要终端"},
	} {
		at := door(t, serve.Options{Language: words.LanguageIn(language)}, told)
		for request, want := range wants {
			ch := channel(t, enter(t, at))
			asks(t, ch, request, struct{ What string }{"sftp"})
			reads(t, ch.Stderr(), want)
			if rest, err := io.ReadAll(ch); err != nil || len(rest) > 0 {
				t.Errorf("%s: %q %v", request, rest, err)
			}
		}
	}
}

func TestWhoIsRefusedReadsWhyInTheLanguageOfTheClass(t *testing.T) {
	for language, want := range map[string][2]string{
		"en": {"forwards nothing", "A name here has 1 to 32 letters"}, "zh": {"不做任何转发", "1 到 32 个字母和数字"},
	} {
		at := door(t, serve.Options{Language: words.LanguageIn(language)}, told)
		_, _, err := enter(t, at).OpenChannel("direct-tcpip", nil)
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, want[0]) {
			t.Errorf("%s: who forwards a port reads %v, want %q", language, err, want[0])
		}
		var banner string
		_, err = ssh.Dial("tcp", at, &ssh.ClientConfig{
			User: "a b", Auth: []ssh.AuthMethod{ssh.Password(password)},
			HostKeyCallback: ssh.FixedHostKey(keyOf(t, 0).PublicKey()),
			BannerCallback:  func(text string) error { banner = text; return nil },
		})
		if err == nil || !strings.Contains(banner, want[1]) {
			t.Errorf("%s: who has no name reads %q, want %q; %v", language, banner, want[1], err)
		}
	}
}

func TestHugeWindowsAndOddTerminalsAreCut(t *testing.T) {
	at := door(t, serve.Options{}, told)
	for request, want := range map[terminalRequest]string{
		{Term: "../../etc/passwd", Columns: 1 << 31, Rows: 1<<32 - 1}: `xterm {250 80}`,
		{Term: strings.Repeat("x", 1<<16), Columns: 0, Rows: 0}:       `xterm {80 24}`,
		{Term: "tmux-256color\x1b]0;x\x07", Columns: 1, Rows: 1}:      `xterm {1 1}`,
	} {
		ch := channel(t, enter(t, at))
		if !asks(t, ch, "pty-req", request) || !asks(t, ch, "shell", struct{}{}) {
			t.Fatal("no terminal")
		}
		reads(t, ch, want)
		asks(t, ch, "window-change", windowChange{Columns: 1 << 30, Rows: 1 << 30})
		reads(t, ch, "now {250 80}")
	}
}

func TestNamesAreNames(t *testing.T) {
	at := door(t, serve.Options{}, told)
	for _, name := range []string{
		"", "-rf", "a b", "\x1b]0;owned\x07", "anna\n", "../anna", strings.Repeat("a", 33), "a\u202eb", "a\u0000",
	} {
		if _, err := knock(t, at, name, ssh.Password(password)); err == nil {
			t.Errorf("%q came in", name)
		}
	}
	for _, name := range []string{"anna", "Zoë", "小明", "a.b-c_1", strings.Repeat("ä", 32)} {
		if _, err := knock(t, at, name, ssh.Password(password)); err != nil {
			t.Errorf("%q did not come in: %v", name, err)
		}
	}
}

func TestWhoHasNeitherKeyNorPasswordStaysOut(t *testing.T) {
	at := door(t, serve.Options{Keys: []ssh.PublicKey{keyOf(t, 1).PublicKey()}, Password: password}, told)
	for what, auth := range map[string]ssh.AuthMethod{
		"another key": ssh.PublicKeys(keyOf(t, 2)), "no password": ssh.Password(""), "half of it": ssh.Password(password[:5]),
	} {
		if _, err := knock(t, at, "anna", auth); err == nil {
			t.Errorf("%s: came in", what)
		}
	}
	c, err := knock(t, at, "anna", ssh.PublicKeys(keyOf(t, 1)))
	if err != nil {
		t.Fatal(err)
	}
	ch := channel(t, c)
	asks(t, ch, "pty-req", pty(80, 24))
	asks(t, ch, "shell", struct{}{})
	reads(t, ch, `anna "`+ssh.FingerprintSHA256(keyOf(t, 1).PublicKey())+`"`)
	if _, err := serve.New(serve.Options{Limits: serve.Usual()}, told); err == nil {
		t.Error("there is a door without a lock")
	}
}

// stepUntil lets time pass until something is done.
func stepUntil(c *clocktesting.FakeClock, by time.Duration, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
			c.Step(by)
		}
	}
}

func TestWhoTypesNothingHasToGoAndIsToldWhy(t *testing.T) {
	c := clocktesting.NewFakeClock(time.Unix(0, 0))
	limits := serve.Usual()
	limits.Stuck = 2 * limits.Idle // the step below is no sign that the terminal takes nothing
	ch := channel(t, enter(t, door(t, serve.Options{Clock: c, Limits: limits}, told)))
	asks(t, ch, "pty-req", pty(80, 24))
	asks(t, ch, "shell", struct{}{})
	reads(t, ch, "{80 24}")
	_, _ = ch.Write([]byte("x"))
	reads(t, ch, "typed 'x'")
	c.Step(limits.Idle)
	reads(t, ch.Stderr(), "pressed no key for 30m0s")
}

func TestFloodsOfBytesWaitAndNothingIsLost(t *testing.T) {
	c := clocktesting.NewFakeClock(time.Unix(0, 0))
	limits := serve.Usual()
	limits.Idle, limits.Stuck = 1000*time.Hour, 1000*time.Hour
	taken := make(chan int, 1<<10)
	ch := channel(t, enter(t, door(t, serve.Options{Clock: c, Limits: limits}, func(
		ctx context.Context, _ serve.Guest, t *serve.Terminal,
	) string {
		in, b := t.Input(ctx), make([]byte, 4096)
		for {
			n, err := in.Read(b)
			if err != nil {
				return ""
			}
			taken <- n
		}
	})))
	asks(t, ch, "pty-req", pty(80, 24))
	asks(t, ch, "shell", struct{}{})
	const flood = 64 << 10
	go func() { _, _ = ch.Write(make([]byte, flood)) }()
	sum := 0
	for sum+1024 <= limits.Burst {
		sum += <-taken
	}
	began := c.Now()
	for sum < flood {
		select {
		case n := <-taken:
			sum += n
		default:
			c.Step(10 * time.Millisecond)
		}
	}
	least := time.Duration(float64(flood-limits.Burst-1024) / float64(limits.Typing) * float64(time.Second))
	if took := c.Since(began); took < least {
		t.Errorf("%d bytes were taken in %v, want %v or more", flood, took, least)
	}
}

func TestTheDoorTakesOnlySoMany(t *testing.T) {
	limits := serve.Usual()
	limits.Guests, limits.Strangers, limits.Arrivals, limits.Requests = 2, 1, 1e6, 1e6
	at := door(t, serve.Options{Limits: limits}, told)
	for range limits.Guests {
		ch := channel(t, enter(t, at))
		asks(t, ch, "pty-req", pty(80, 24))
		asks(t, ch, "shell", struct{}{})
		reads(t, ch, "{80 24}")
	}
	third := channel(t, enter(t, at))
	asks(t, third, "pty-req", pty(80, 24))
	asks(t, third, "shell", struct{}{})
	reads(t, third.Stderr(), "The class is full.")
	if _, err := knock(t, at, "dora", ssh.Password(password)); err == nil {
		t.Error("there is one connection too many")
	}
}

func TestWhoHangsAroundIsPutOut(t *testing.T) {
	c := clocktesting.NewFakeClock(time.Unix(0, 0))
	at := door(t, serve.Options{Clock: c, Limits: serve.Usual()}, told)
	silent, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	seatless := enter(t, at)
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, silent)
		_ = seatless.Wait()
		close(gone)
	}()
	stepUntil(c, time.Second, gone)
}

func TestWhoKnocksAtEveryChannelIsPutOut(t *testing.T) {
	c := enter(t, door(t, serve.Options{}, told))
	for range serve.Usual().Refusals {
		if _, _, err := c.OpenChannel("direct-tcpip", nil); err == nil {
			t.Fatal("it forwards")
		}
	}
	if err := c.Wait(); err == nil {
		t.Error("the connection is still there")
	}
}

func TestTheHostKeyIsKeptForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "host_key")
	first, err := serve.HostKey(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := serve.HostKey(path)
	if err != nil || string(first.PublicKey().Marshal()) != string(second.PublicKey().Marshal()) {
		t.Errorf("the key is another one: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.HostKey(path); os.PathSeparator == '/' &&
		(err == nil || !strings.Contains(err.Error(), "others may read it")) {
		t.Errorf("a key that others read is used: %v", err)
	}
}

func TestKeysAreReadStrictly(t *testing.T) {
	key := string(ssh.MarshalAuthorizedKey(keyOf(t, 1).PublicKey()))
	path := filepath.Join(t.TempDir(), "keys")
	for text, want := range map[string]string{
		"# nobody\n": "there is none", "anna\n": "line 1", "# x\n\ncommand=\"sh\" " + key: "line 3: the option",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := serve.ReadKeys(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := os.WriteFile(path, []byte("# two\n"+key+key), 0o600); err != nil {
		t.Fatal(err)
	}
	if keys, err := serve.ReadKeys(path); err != nil || len(keys) != 2 {
		t.Errorf("%d keys: %v", len(keys), err)
	}
}
