package cmd_test

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/crypto/ssh"
)

// whereTo is the first line of class, for a class with a password.
var whereTo = regexp.MustCompile(
	`^The class is open: ssh -p (\d+) NAME@127\.0\.0\.1\nthe password is ([a-z2-7]{10})\n$`,
)

// openedClass is a class on a free port. It returns the port, the password that class prints, and its standard error.
func openedClass(t *testing.T, args ...string) (port, password string, problems *bytes.Buffer, end func()) {
	t.Helper()
	class := exec.Command(os.Args[0], append([]string{"class", "--listen", "127.0.0.1:0", "--plain"}, args...)...)
	class.Env = append(os.Environ(), role+"=program", "XDG_STATE_HOME="+t.TempDir())
	problems = &bytes.Buffer{}
	class.Stderr = problems
	out, err := class.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := class.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = class.Process.Kill() })
	lines, said := bufio.NewReader(out), ""
	for range 2 {
		line, err := lines.ReadString('\n')
		said += line
		if err != nil {
			t.Fatalf("class says %q and ends: %v", said, err)
		}
	}
	found := whereTo.FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("class says %q", said)
	}
	return found[1], found[2], problems, func() {
		_ = class.Process.Signal(syscall.SIGTERM)
		_ = class.Wait()
	}
}

// comesIn reports whether a student is let in with a password.
func comesIn(port, password string) error {
	c, err := ssh.Dial("tcp", net.JoinHostPort("127.0.0.1", port), &ssh.ClientConfig{
		User: "anna", Auth: []ssh.AuthMethod{ssh.Password(password)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err == nil {
		err = c.Close()
	}
	return err
}

// A class without keys and without a password makes up a password, another one each time, and lets in students that
// type it.
func TestAClassMakesUpAPasswordThatLetsStudentsIn(t *testing.T) {
	port, password, problems, end := openedClass(t)
	if err := comesIn(port, password); err != nil {
		t.Errorf("with the password %s: %v", password, err)
	}
	if err := comesIn(port, "not"+password); err == nil || !strings.Contains(err.Error(), "unable to authenticate") {
		t.Errorf("with another password: %v", err)
	}
	end()
	if strings.Contains(problems.String(), "other machines") {
		t.Errorf("a class on 127.0.0.1 warns: %s", problems)
	}
	_, second, _, endSecond := openedClass(t)
	endSecond()
	if second == password {
		t.Errorf("two classes made up the same password, %s", password)
	}
}
