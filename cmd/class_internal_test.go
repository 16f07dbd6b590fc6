package cmd

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// A teacher that opens a class to other machines gets a warning; on 127.0.0.1 and ::1 there is none.
func TestAClassThatOthersCanReachWarns(t *testing.T) {
	for address, want := range map[string]struct {
		to    string
		warns bool
	}{
		"127.0.0.1":    {"NAME@127.0.0.1", false},
		"::1":          {"NAME@::1", false},
		"0.0.0.0":      {"NAME@THIS-MACHINE", true},
		"::":           {"NAME@THIS-MACHINE", true},
		"192.168.1.20": {"NAME@192.168.1.20", true},
	} {
		var out, problems bytes.Buffer
		said, err := (&classFlags{}).announce(
			Streams{Out: &out, Err: &problems}, &net.TCPAddr{IP: net.ParseIP(address), Port: 2222}, "secret",
		)
		if err != nil || said != "ssh -p 2222 "+want.to+"\nthe password is secret" || !strings.Contains(out.String(), said) {
			t.Errorf("%s: students are told %q and %q, %v", address, said, out.String(), err)
		}
		if warned := strings.Contains(problems.String(), "can be reached from other machines"); warned != want.warns {
			t.Errorf("%s: the warning is %q", address, problems.String())
		}
	}
}
