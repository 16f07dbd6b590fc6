package diagnose

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"

	"github.com/schedstep/schedstep/internal/phrase"
	"github.com/schedstep/schedstep/internal/spelling"
	"github.com/schedstep/schedstep/replay/source/importer/text"
)

const notQuantity = "is not a quantity"

// wanted describes what a type takes, as the end of a sentence.
func wanted(model reflect.Type) phrase.Text {
	switch model {
	case reflect.TypeFor[resource.Quantity]():
		return notQuantity
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return "is not a time"
	case reflect.TypeFor[metav1.Duration]():
		return "is not a duration"
	case reflect.TypeFor[intstr.IntOrString]():
		return "is neither a whole number nor a text"
	}
	switch model.Kind() {
	case reflect.String:
		return "is not a text"
	case reflect.Bool:
		return "is neither true nor false"
	case reflect.Int32, reflect.Int64, reflect.Int:
		return "is not a whole number"
	}
	return "does not fit the field"
}

// remedy proposes a value that would fit.
func remedy(raw []byte, what phrase.Text, path string) phrase.Text {
	written := text.Unquote(raw)
	switch what {
	case notQuantity:
		return tryQuantity(written, path)
	case "is not a time":
		return `write it as "2026-11-20T10:00:00Z"`
	case "is not a duration":
		return `write it as "300s"`
	case "is not a text":
		if raw[0] != '{' && raw[0] != '[' {
			return phrase.Textf("put it in quotes: %q", written)
		}
	case "is not a list":
		return `begin each element with "- "`
	case "is neither true nor false", "is not a whole number":
		if raw[0] == '"' && kjson.UnmarshalCaseSensitivePreserveInts([]byte(written), new(float64)) == nil ||
			written == "true" || written == "false" {
			return phrase.Textf("take the quotes away: %s", written)
		}
	}
	return ""
}

// number is the figure a quantity begins with, with a comma or a point.
var number = regexp.MustCompile(`^[+-]?[0-9]+([.,][0-9]+)?`)

// tryQuantity proposes quantities near a text that is none: "2x" gives "2" or "2000m" for CPU, "2GB" gives "2G" or
// "2Gi".
func tryQuantity(written, path string) phrase.Text {
	figure := number.FindString(strings.TrimSpace(written))
	if figure == "" {
		return `a quantity is a number and perhaps a unit: "2", "500m", "4Gi"`
	}
	rest := strings.TrimSpace(strings.TrimSpace(written)[len(figure):])
	figure = strings.ReplaceAll(figure, ",", ".")
	var tries []string
	if unit := strings.ToUpper(strings.TrimRight(strings.ToLower(rest), "bi")); len(unit) == 1 &&
		strings.Contains("KMGTPE", unit) {
		decimal := strings.Replace(unit, "K", "k", 1)
		tries = []string{figure + decimal, figure + unit + "i"}
	} else {
		tries = []string{figure}
		if value, err := strconv.ParseFloat(figure, 64); err == nil && strings.HasSuffix(path, "cpu") && value < 1e6 {
			tries = append(tries, strconv.FormatInt(int64(value*1000), 10)+"m")
		}
	}
	for i, try := range tries {
		if _, err := resource.ParseQuantity(try); err != nil {
			return `a quantity is a number and perhaps a unit: "2", "500m", "4Gi"`
		}
		tries[i] = strconv.Quote(try)
	}
	if len(tries) == 1 {
		return phrase.Textf("try %s", tries[0])
	}
	return phrase.Textf("try %s or %s", tries[0], tries[1])
}

// fieldNames lists the JSON names of a struct.
func fieldNames(model reflect.Type) []string {
	var names []string
	for i := range model.NumField() {
		field := model.Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag != "" && tag != "-":
			names = append(names, tag)
		case field.Anonymous && field.Type.Kind() == reflect.Struct:
			names = append(names, fieldNames(field.Type)...)
		}
	}
	return names
}

// NearField proposes the field someone may have wanted to write: the nearest name in the same struct.
func NearField(model reflect.Type, path string) phrase.Text {
	steps := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	last := steps[len(steps)-1]
	for _, step := range steps[:len(steps)-1] {
		model = under(model)
		if model.Kind() != reflect.Struct {
			return ""
		}
		if model = fieldType(model, step); model == nil {
			return ""
		}
	}
	if model = under(model); model.Kind() != reflect.Struct {
		return ""
	}
	names := fieldNames(model)
	slices.Sort(names)
	near := spelling.Nearest(last, names)
	if near == "" {
		return ""
	}
	return phrase.Textf("did you mean %q?", near)
}
