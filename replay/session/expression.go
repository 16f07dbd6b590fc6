package session

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/schedstep/schedstep/internal/amount"
	"github.com/schedstep/schedstep/internal/phrase"
)

// Expression is what a Breakpoint's condition is, about the cursor instead of a step: the same words, about the cycle
// that Frame.About gives, and more.
//
//	value("pod.web.node")         what watch and display read, as text; "none" where it is not there
//	amount("node.n1.free.cpu")    the same as a number; no number is an error
//	branch, phase                 where the cursor is: the branch, and the phase of the last fact behind it
//	did, answer                   what Beside has
//	changes, touched              the what-ifs that hold here, as lines, and what they touched: node/n1, pod/default/web
type Expression struct {
	text    string
	isTruth bool
	program cel.Program
	beliefs map[string]*belief // by the text in value and amount
}

// Beside is what an expression can speak of that the session does not know.
type Beside struct {
	Did    []string // lines that were carried out
	Answer string   // what was answered last
}

// cursorTypes are the words of an expression besides those of a condition.
var cursorTypes = map[string]*cel.Type{
	"branch": cel.StringType, "phase": cel.StringType, "answer": cel.StringType,
	"did": cel.ListType(cel.StringType), "changes": cel.ListType(cel.StringType),
	"touched": cel.ListType(cel.StringType), valuesWord: cel.MapType(cel.StringType, cel.StringType),
	amountsWord: cel.MapType(cel.StringType, cel.DoubleType),
}

// What value("...") and amount("...") are turned into. No user writes these names.
const (
	valuesWord  = "_values"
	amountsWord = "_amounts"
)

// ParseExpression compiles an expression.
func ParseExpression(text string) (*Expression, error) {
	e := &Expression{text: text, beliefs: map[string]*belief{}}
	words := maps.Clone(cursorTypes)
	maps.Copy(words, subjectTypes)
	delete(words, "hits")
	reads := cel.Macros(e.reads("value", valuesWord), e.reads("amount", amountsWord))
	compiled, program, err := compile(text, words, reads)
	if err != nil {
		return nil, phrase.Errorf("%q%w", text, err)
	}
	e.program, e.isTruth = program, compiled.OutputType() == cel.BoolType
	return e, nil
}

// reads is a function of one constant text: a belief.
func (e *Expression) reads(function, into string) cel.Macro {
	return cel.GlobalMacro(function, 1, func(
		make cel.MacroExprFactory, _ ast.Expr, args []ast.Expr,
	) (ast.Expr, *common.Error) {
		text, is := "", args[0].Kind() == ast.LiteralKind
		if is {
			text, is = args[0].AsLiteral().Value().(string)
		}
		if !is {
			return nil, make.NewError(args[0].ID(), function+" needs a text in quotes")
		}
		b, err := parseBelief(function, text)
		if err != nil {
			return nil, make.NewError(args[0].ID(), err.Error())
		}
		e.beliefs[text] = b
		return make.NewCall("_[_]", make.NewIdent(into), make.NewLiteral(types.String(text))), nil
	})
}

// String is the expression as it was written.
func (e *Expression) String() string { return e.text }

// IsTruth reports whether it is true or false, and nothing else.
func (e *Expression) IsTruth() bool { return e.isTruth }

// Mentions reports whether a word is in the expression.
func (e *Expression) Mentions(word string) bool {
	return slices.Contains(wordsOf.FindAllString(literals.ReplaceAllString(e.text, ""), -1), word)
}

var (
	literals = regexp.MustCompile(`"[^"]*"`)
	wordsOf  = regexp.MustCompile(`\w+`)
)

// Evaluate is the value of an expression at the cursor, as text.
func (s *Session) Evaluate(e *Expression, beside Beside) (string, error) {
	out, _, err := e.program.Eval(s.speaksOf(e, beside))
	if err != nil {
		return "", phrase.Errorf("%q: %w", e.text, err)
	}
	switch v := out.Value().(type) {
	case string:
		return v, nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return strings.Trim(fmt.Sprint(out.Value()), "[]"), nil
}

// Holds reports whether an expression is true at the cursor. What cannot be worked out here, such as the amount of
// something that is gone, is not true.
func (s *Session) Holds(e *Expression, beside Beside) bool {
	out, _, err := e.program.Eval(s.speaksOf(e, beside))
	if err != nil {
		return false
	}
	holds, is := out.Value().(bool)
	return is && holds
}

// speaksOf is what an expression sees at the cursor.
func (s *Session) speaksOf(e *Expression, beside Beside) map[string]any {
	k, f := s.here(), s.Frame()
	of := maps.Clone(subjects)
	if c := f.About(); c != nil {
		speakOf(c, of)
	}
	values, amounts := map[string]string{}, map[string]float64{}
	for text, b := range e.beliefs {
		values[text] = b.read(k.player.Scheduler())
		if q, err := amount.Parse(values[text]); err == nil {
			amounts[text] = q.AsApproximateFloat64()
		}
	}
	of[valuesWord], of[amountsWord] = values, amounts
	of["branch"], of["phase"] = f.Branch, f.Phase.String()
	of["did"], of["answer"] = slices.Concat([]string{}, beside.Did), beside.Answer
	changes, touched := s.done()
	of["changes"], of["touched"] = slices.Concat([]string{}, changes), slices.Concat([]string{}, touched)
	return of
}
