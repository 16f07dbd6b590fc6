package command

import (
	"strings"

	"github.com/schedstep/schedstep/replay/ask"
	"github.com/schedstep/schedstep/replay/ask/prose"
	"github.com/schedstep/schedstep/replay/ask/table"
)

// questionVerbs are the questions, each as a verb.
func questionVerbs() []Verb {
	var all []Verb
	for _, q := range table.Questions() {
		v := Verb{Name: q.Name, Aliases: q.Aliases, Usage: q.Usage, Does: q.Does, Run: putting(q)}
		if q.LooksBack {
			v.Run = afterThePast(v.Run)
		}
		for _, k := range q.Takes {
			v.takes = append(v.takes, map[ask.Kind]kind{
				ask.OfPod: ofPod, ask.OfNode: ofNode, ask.OfExplained: ofExplained,
			}[k])
		}
		all = append(all, v)
	}
	return all
}

// dataSuffix stands behind a question whose answer is to be printed as JSON.
const dataSuffix = " -o json"

// wantsData reports whether a line is a question whose answer is to be printed as JSON.
func wantsData(v Verb, line string) bool {
	_, is := questionNamed(v.Name)
	return is && v.Name+dataSuffix == strings.Join(strings.Fields(line), " ")
}

// putting puts a question and lays its answer out, or writes it as JSON.
func putting(q ask.Question) func(Call) (Answer, error) {
	return func(c Call) (Answer, error) {
		line, isData := strings.CutSuffix(" "+strings.Join(c.Args, " "), dataSuffix)
		if isData && !q.Data {
			return Answer{}, c.lang().Errorf("%s: its answer is not written as JSON", q.Name)
		}
		f := c.Session.Frame()
		call := ask.Call{
			Context: c.Context, At: f.At, Frame: f, Args: strings.Fields(line), Progress: c.Progress,
		}
		if cycle := f.About(); cycle != nil {
			call.Cycle = podOf(f, cycle.Entity.Key())
		}
		found, err := q.Find(call)
		if err != nil {
			return Answer{}, err
		}
		if said, is := found.(ask.Said); is {
			return Answer{Said: string(said)}, nil
		}
		p := Page{Title: found.Title(c.lang()), Lines: prose.Plain(found.Lines(c.lang())), Choices: found.Next()}
		if wider, is := found.(ask.Wider); is {
			p.Whole = wider.Whole()
		}
		if isData {
			text, err := ask.JSON(found)
			if err != nil {
				return Answer{}, err
			}
			p.Lines, p.Choices = strings.Split(text, "\n"), nil
		}
		return Answer{Page: p}, nil
	}
}

// questionNamed is the question that a verb puts; false: it is another verb.
func questionNamed(name string) (ask.Question, bool) {
	for _, q := range table.Questions() {
		if q.Name == name {
			return q, true
		}
	}
	return ask.Question{}, false
}
