package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPicturesAreTheProgramsOwn draws each scene twice: well-formed, the same bytes, with the words of its screen.
func TestPicturesAreTheProgramsOwn(t *testing.T) {
	shown := map[string][]string{
		"rejected":  {"Why: worker-3", "Insufficient cpu", "default/web-v2-3,"},
		"preempted": {"[Preemption]", "is nominated; 1 pod has to leave: default/render-0."},
	}
	for _, s := range scenes {
		for _, theme := range []string{"dark", "light"} {
			picture, err := s.draw(theme)
			if err != nil {
				t.Fatal(err)
			}
			again, err := s.draw(theme)
			if err != nil || !bytes.Equal(picture, again) {
				t.Errorf("%s %s: drawn again it differs (%v)", s.name, theme, err)
			}
			words := text(t, picture)
			for _, word := range shown[s.name] {
				if !strings.Contains(words, word) {
					t.Errorf("%s %s does not show %q:\n%s", s.name, theme, word, words)
				}
			}
		}
	}
}

// text is all that is written in a picture.
func text(t *testing.T, picture []byte) string {
	t.Helper()
	var words strings.Builder
	d := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return words.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if said, ok := token.(xml.CharData); ok {
			words.Write(said)
		}
	}
}
