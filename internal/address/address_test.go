package address_test

import (
	"testing"

	"github.com/schedstep/schedstep/internal/address"
)

func TestAddressesAreHiddenAndTheWordsAroundThemStay(t *testing.T) {
	for text, want := range map[string]string{
		"out of order": "out of order",
		`Post "https://u:p@ext.corp:8443/x?token=t": EOF`:             `Post "(address)": EOF`,
		"failed filter with extender at URL http://ext/f, code 500":   "failed filter with extender at URL (address), code 500",
		"dial tcp 10.1.2.3:8443: connect: connection refused":         "dial tcp (address): connect: connection refused",
		"dial tcp: lookup ext.corp on [fd00::a]:53: no such host":     "dial tcp: lookup (address) on (address): no such host",
		"http://gpu.example/filter, http://127.0.0.1:80, 192.0.2.1:8": "http://gpu.example/filter, http://127.0.0.1:80, 192.0.2.1:8",
		"http://gpu.example/secret and http://u:p@gpu.example":        "(address) and (address)",
	} {
		got := address.Hide(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := address.Hide(got); again != got {
			t.Errorf("%q hidden twice: %q", text, again)
		}
	}
}

func TestAURLWithMoreThanAReservedHostIsNotHarmless(t *testing.T) {
	for url, want := range map[string]bool{
		"http://gpu.example": true, "https://[::1]:8443": true, "http://localhost:80": true, "http://example.com": true,
		"http://gpu.example/": false, "http://u@gpu.example": false, "http://gpu.example?x": false, "http://gpu.corp": false,
		"http://127.0.0.1:1/path": false, "": false, "http://evil.corp/.example": false,
	} {
		if got := address.IsHarmless(url); got != want {
			t.Errorf("%q: %v, want %v", url, got, want)
		}
	}
}
