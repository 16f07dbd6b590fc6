package config

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	configv1 "k8s.io/kube-scheduler/config/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/schedstep/schedstep/core/release"
	"github.com/schedstep/schedstep/internal/phrase"
)

// wantKind is the one kind of document that is read.
const wantKind = "KubeSchedulerConfiguration"

// needs describes what a configuration for a release has to be.
func needs(r *release.Release) phrase.Text {
	if r.Configuration() == "" {
		return phrase.Textf("this build is kube-scheduler %s and needs a Policy: %s", r.Version, policyHead(r))
	}
	return phrase.Textf("this build is kube-scheduler %s and needs %s", r.Version, r.Configuration())
}

// want is what to write at the head of a configuration.
func want(r *release.Release) phrase.Text {
	if r.Configuration() == "" {
		return phrase.Textf("want %s", policyHead(r))
	}
	return phrase.Textf("want %s", "apiVersion: "+r.Configuration()+", kind: "+wantKind)
}

// policyHead is what to write at the head of a Policy.
func policyHead(r *release.Release) string {
	return "apiVersion: " + r.Policy.APIVersions[0] + ", kind: " + policyKind
}

// configuration is a file, read.
type configuration struct {
	document *configv1.KubeSchedulerConfiguration
	policy   bool   // it was a Policy
	byPoint  bool   // each extension point has its own defaults, and there is no multiPoint
	all      bool   // every filter runs on a node, also after one rejected it
	provider string // of the default plugins; "": the release's own
	warnings []phrase.Text
	rows     []row // predicates and priorities that it makes itself
	// hardWeight is the hardPodAffinitySymmetricWeight of a Policy whose plugins have no args; 0: none is given.
	hardWeight int32
}

// decode reads the first document strictly: what the types do not know is refused. kube-scheduler reads no other
// document of a file either. A Policy of a release before the framework names plugins of one's own as its predicates.
func decode(data []byte, g Gates, own []Plugin) (*configuration, reasons) {
	r := g.Release()
	first, more, err := firstDocument(data, r)
	if err != nil {
		return nil, reasons{err}
	}
	asJSON, err := yaml.YAMLToJSONStrict(first)
	if err != nil {
		return nil, reasons{phrase.Errorf("neither YAML nor JSON: %s", oneLine(err))}
	}
	isPolicy, err := checkVersion(asJSON, r)
	if err != nil {
		return nil, reasons{err}
	}
	c, errs := new(configuration), reasons(nil)
	switch {
	case isPolicy:
		c, errs = readPolicy(asJSON, g, own)
	case r.Configuration() == v1alpha1Version:
		c, errs = readV1alpha1(asJSON, g)
	case r.Configuration() != configv1.SchemeGroupVersion.String():
		c, errs = readV1beta1(asJSON)
	default:
		c.document = new(configv1.KubeSchedulerConfiguration)
		errs = decodeStrict(nil, asJSON, c.document)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if more > 0 {
		c.warnings = append(c.warnings, phrase.Textf(
			"%d more documents follow the first; kube-scheduler reads the first only, and so does schedstep", more,
		))
	}
	return c, nil
}

// firstDocument is the first document of a YAML stream that holds something, and how many follow it.
func firstDocument(data []byte, r *release.Release) (first []byte, more int, err error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, phrase.Errorf("neither YAML nor JSON: %s", oneLine(err))
		}
		switch {
		case isBlank(document):
		case first == nil:
			first = document
		default:
			more++
		}
	}
	if first == nil {
		return nil, 0, phrase.Errorf("nothing in it (%s)", want(r))
	}
	return first, more, nil
}

// isBlank reports whether a document has nothing but comments, separators and space.
func isBlank(document []byte) bool {
	for line := range bytes.Lines(document) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}

// checkVersion refuses every version that the release does not read, before strictness can complain of fields that
// other versions have, and reports whether the document is a Policy.
func checkVersion(asJSON []byte, r *release.Release) (isPolicy bool, err error) {
	var is metav1.TypeMeta
	if err := json.Unmarshal(asJSON, &is); err != nil {
		return false, phrase.Errorf("not an object with fields (%s)", want(r))
	}
	kind, version := field.NewPath("kind"), field.NewPath("apiVersion")
	last, old := release.LastReader(is.APIVersion)
	switch {
	case is.APIVersion == "" && is.Kind == "":
		return false, phrase.Errorf("no apiVersion and no kind (%s)", want(r))
	case is.Kind == policyKind && r.Policy == nil:
		return false, invalid(kind, is.Kind, phrase.Textf(
			"kube-scheduler 1.22 was the last to read a Policy (--kube-version %s plays one that does); this build is "+
				"kube-scheduler %s and needs its settings as %s %s",
			release.ReadsPolicy(), r.Version, wantKind, r.Configuration(),
		))
	case is.Kind == policyKind && !slices.Contains(r.Policy.APIVersions, is.APIVersion):
		return false, field.NotSupported(version, is.APIVersion, r.Policy.APIVersions)
	case is.Kind == policyKind:
		return true, nil
	case is.Kind != wantKind:
		return false, invalid(kind, is.Kind, phrase.Textf(
			"is no scheduler configuration (want %s)", wantKind+" "+r.Configuration(),
		))
	case slices.Contains(r.Configurations, is.APIVersion):
		return false, nil
	case old:
		return false, invalid(version, is.APIVersion, phrase.Textf(
			"kube-scheduler %s was the last to read it; %s", last, needs(r),
		))
	}
	return false, invalid(version, is.APIVersion, needs(r))
}

// invalid is field.Invalid with a sentence of ours.
func invalid(at *field.Path, value string, what phrase.Text) error {
	return phrase.Errorf("%s: Invalid value: %q: %s", at, value, what)
}

// decodeStrict fills into, and names by its path every field that is unknown, given twice, or of the wrong type.
func decodeStrict(at *field.Path, asJSON []byte, into runtime.Object) reasons {
	strict, err := kjson.UnmarshalStrict(asJSON, into)
	if err != nil {
		return reasons{typeReason(at, err)}
	}
	return unknownFields(at, strict)
}

// unknownFields puts what a strict decoder complains of into the words of the file.
func unknownFields(at *field.Path, strict []error) reasons {
	var errs reasons
	for _, err := range strict {
		var wrong kjson.FieldError
		if !errors.As(err, &wrong) {
			errs = append(errs, err)
			continue
		}
		what, _, _ := strings.Cut(err.Error(), ` "`)
		errs = append(errs, phrase.Errorf("%s: %s", below(at, wrong.FieldPath()), what))
	}
	return errs
}

// typeReason puts an error of encoding/json, which names Go types, in the words of the file.
func typeReason(at *field.Path, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		if at == nil {
			return errors.New(oneLine(err))
		}
		return phrase.Errorf("%s: %s", at, oneLine(err))
	}
	want := wrong.Type.Kind().String()
	switch want {
	case "struct", "map":
		want = "object"
	case "slice":
		want = "list"
	}
	if wrong.Field == "" && at == nil {
		return phrase.Errorf("found %s, want %s", wrong.Value, want)
	}
	return phrase.Errorf("%s: found %s, want %s", below(at, wrong.Field), wrong.Value, want)
}

// below joins a path and what a decoder calls a place underneath it.
func below(at *field.Path, rest string) string {
	switch {
	case at == nil:
		return rest
	case rest == "":
		return at.String()
	}
	return at.String() + "." + rest
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
