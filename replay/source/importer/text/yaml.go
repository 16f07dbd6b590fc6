package text

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	goyaml "go.yaml.in/yaml/v2"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/internal/phrase"
)

// Complaint is what a YAML parser has against a document.
type Complaint struct {
	Line int // counted from 0; 0 where the parser names none
	What string
}

// YAMLToJSON converts one document. A key that is there twice is a complaint, and the last of them counts; with
// anything else wrong, raw is nil and wrong explains why.
func YAMLToJSON(text []byte) (raw []byte, twice, wrong *Complaint) {
	if raw, ok := blockToJSON(text); ok {
		return raw, nil, nil
	}
	raw, err := yaml.YAMLToJSONStrict(text)
	// Nothing but a key that is there twice makes a type error where every value has a place.
	var mistyped *goyaml.TypeError
	if errors.As(err, &mistyped) && len(mistyped.Errors) > 0 {
		twice = complaintOf(mistyped.Errors[0])
		raw, err = yaml.YAMLToJSON(text)
	}
	if err == nil {
		err = whatFollows(text)
	}
	if err != nil {
		return nil, nil, complaintOf(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	return raw, twice, nil
}

// passed is a document whose content is not needed.
type passed struct{}

// UnmarshalYAML takes nothing over.
func (passed) UnmarshalYAML(func(any) error) error { return nil }

// whatFollows refuses text that holds more than one document: the conversion takes the first and drops the rest without
// an error. The code that cuts documents has left none behind, but what looks like one document may end before its text
// does.
func whatFollows(text []byte) error {
	all := goyaml.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		err := all.Decode(&passed{})
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case n > 0:
			return phrase.Errorf("another document begins in it without a line of its own")
		}
	}
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)

// complaintOf takes the first line of "line 3: ..." apart.
func complaintOf(sentence string) *Complaint {
	sentence, _, _ = strings.Cut(sentence, "\n")
	sentence = strings.TrimSpace(sentence)
	found := lineNumber.FindStringSubmatch(sentence)
	if found == nil {
		return &Complaint{What: sentence}
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return &Complaint{What: sentence}
	}
	return &Complaint{Line: max(line-1, 0), What: sentence[len(found[0]):]}
}
