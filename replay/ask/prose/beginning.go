package prose

import (
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/session"
	"github.com/schedstep/schedstep/replay/session/inside"
)

// stageTexts are the names of the stages of a start.
var stageTexts = [...]string{
	inside.Options: textStageOptions, inside.Configuration: textStageConfig, inside.Clients: textStageClients,
	inside.Informers: textStageInformers, inside.Queue: textStageQueue, inside.Handlers: textStageHandlers,
	inside.Sync: textStageSync, inside.Loop: textStageLoop,
}

// Beginning is how kube-scheduler comes to its first cycle, stage by stage, with a sign at the one of the cursor.
func Beginning(lang words.Language, b session.Beginning) []Line {
	t := told{language: lang}
	t.add(0, Note, textStarts, b.Version)
	switch {
	case !b.Read:
		t.add(0, Note, textUnread, b.Version)
		return t.lines
	case !b.Kept:
		t.add(0, Note, textUnkept)
	}
	for i, step := range b.Start.Steps {
		sign, text := Passes, textStage
		switch {
		case !b.Kept:
			sign = NoSign
		case step.Stage == b.Now:
			sign, text = Running, textStageHere
		case b.Now == inside.Sync && step.Stage == inside.Loop:
			sign, text = NotAsked, textStageAhead
		}
		t.lines = append(t.lines, Line{
			Role: Heading, Sign: sign, Text: lang.Say(text, i+1, lang.Of(stageTexts[step.Stage])),
		})
		t.add(1, Note, "%s", step.Place.String())
		if len(step.Calls) > 0 {
			t.add(1, Note, textCalls, called(step.Calls))
		}
		if b.Kept {
			t.stage(step.Stage, &b)
		}
	}
	t.parts(&b)
	return t.lines
}

// called are functions in the order in which they are called, each file once where several follow one another.
func called(calls []inside.Place) string {
	var text strings.Builder
	for i, c := range calls {
		switch {
		case i == 0:
			text.WriteString(c.String())
		case calls[i-1].File == c.File:
			text.WriteString(" -> " + c.Name)
		default:
			text.WriteString(" -> " + c.String())
		}
	}
	return text.String()
}

// stage is what a stage comes to here.
func (t *told) stage(s inside.Stage, b *session.Beginning) {
	switch s {
	case inside.Options:
		t.add(1, Evidence, textFlags, b.Version)
	case inside.Configuration:
		t.configuration(b)
	case inside.Clients:
		t.add(1, Evidence, textServer)
	case inside.Informers:
		t.informers(b)
	case inside.Queue:
		if len(b.Start.Queue) > 0 {
			t.add(1, Evidence, textAskedOf, strings.Join(b.Start.Queue, ", "))
		}
		if b.InLine {
			t.add(1, Evidence, textFIFO)
		} else {
			t.add(1, Evidence, textThreeQueues)
		}
	case inside.Handlers:
		t.handlers(b)
	case inside.Sync:
		events := t.language.Count(b.Steps, "event")
		switch {
		case b.Now == inside.Loop:
			t.add(1, Evidence, textSyncedAll, events)
		case b.Start.Unsynced:
			t.add(1, Evidence, textUnsynced, events)
		default:
			t.add(1, Evidence, textSynced, events)
		}
		t.say(1, Evidence, t.language.Say(textWaitNow, b.Queue.Active, b.Queue.Gated))
	case inside.Loop:
		if b.Start.Beside {
			t.add(1, Note, textLoopAlone)
		}
		switch {
		case b.Now != inside.Loop:
			t.add(1, Evidence, textLoopAhead)
		case b.First == "":
			t.add(1, Evidence, textLoopBegun)
		default:
			t.add(1, Evidence, textLoopFirst, Entity(t.language, b.First))
		}
	}
}

func (t *told) configuration(b *session.Beginning) {
	t.add(1, Evidence, textDefaults, b.Start.Defaults.String())
	for _, p := range b.Profiles {
		enough := t.language.Of(textByTheNumber)
		if p.Every {
			enough = t.language.Of(textAllOfThem)
		} else if p.Percentage > 0 {
			enough = t.language.Say(textPercent, p.Percentage)
		}
		t.add(1, Evidence, textProfile, p.Name, t.language.Count(p.Extenders, "extender"), enough)
		t.plugins(p.Filter, p.Filters)
		t.plugins(p.Score, p.Scores)
	}
	workers := textWorkers
	if b.Start.Fixed {
		workers = textWorkersFixed
	}
	t.say(1, Note, t.language.Say(workers, b.Start.Workers))
	if b.MaxBackoff > 0 {
		t.add(1, Evidence, textBackoff, Span(b.InitialBackoff), Span(b.MaxBackoff))
	} else {
		t.add(1, Evidence, textNoBackoff)
	}
}

// plugins are those of a phase, in the order in which they run.
func (t *told) plugins(phase string, names []string) {
	t.say(1, Evidence, t.language.Say(textInOrder, phase, len(names), strings.Join(names, ", ")))
}

func (t *told) informers(b *session.Beginning) {
	var none []string
	for _, i := range b.Informed {
		if i.Objects == 0 {
			none = append(none, string(i.Kind))
			continue
		}
		t.add(1, Evidence, textWatched, string(i.Kind), t.language.Count(i.Objects, "object"))
	}
	if len(none) > 0 {
		t.add(1, Note, textNothingOf, strings.Join(none, ", "))
	}
}

// roleTexts describe the purpose of a scheduler's parts.
var roleTexts = [...]string{
	inside.Keeps: textKeeps, inside.Nexts: textNexts, inside.Queues: textQueues, inside.Decides: textDecidesOn,
	inside.Fails: textFails, inside.Binds: textBinds, inside.Conditions: textConditions,
	inside.ListsNodes: textListsNodes, inside.Records: textRecords, inside.Stops: textStops, inside.Syncs: textSyncs,
	inside.Evicts: textEvictsOf, inside.BindsVolumes: textBindsVolumes, inside.Remembers: textRemembers,
	inside.Configures: textConfigures, inside.Extends: textExtends, inside.Speaks: textSpeaks,
	inside.Snapshots: textSnapshots, inside.Suffices: textSuffices, inside.Turns: textTurns, inside.Knows: textKnows,
}

// parts are the fields of the scheduler that the start has made, with what they hold when the first cycle begins.
func (t *told) parts(b *session.Beginning) {
	t.add(0, Heading, textParts, b.Start.Parts.Type.String())
	for _, part := range b.Start.Parts.Fields {
		text := t.language.Of(roleTexts[part.Role])
		switch {
		case !b.Kept:
		case part.Role == inside.Keeps || part.Role == inside.ListsNodes:
			text = t.language.Say(textHolds, text, t.language.Count(b.Nodes, "node"))
		case part.Role == inside.Queues || part.Role == inside.Nexts:
			text = t.language.Say(textHolds, text, t.language.Count(b.Queue.Active, "pod"))
		}
		t.add(1, Evidence, textPartIs, part.Name, text)
	}
	if len(b.Start.Parts.Packages) == 0 {
		return
	}
	t.add(0, Heading, textFolders, b.Start.Parts.Folder)
	for _, p := range b.Start.Parts.Packages {
		t.add(1, Evidence, textPartIs, p.Name, t.language.Of(jobTexts[p.Job]))
	}
}

// jobTexts describe the purpose of a scheduler's packages.
var jobTexts = [...]string{
	inside.Judging: textJudging, inside.Providing: textProviding, inside.Configuring: textConfiguring,
	inside.Choosing: textChoosing, inside.Assembling: textAssembling, inside.Measuring: textMeasuring,
	inside.Believing: textBelieving, inside.Testing: textTesting, inside.Helping: textHelping,
	inside.VolumeBinding: textBindingVolumes,
}

func (t *told) handlers(b *session.Beginning) {
	p := &b.Pods
	if b.Start.AnyPod {
		t.say(1, Evidence, t.language.Say(textSortsAny, p.Cached, p.Queued+p.Others))
	} else {
		t.say(1, Evidence, t.language.Say(textSorts, p.Cached, p.Queued))
	}
	if p.Others > 0 {
		text := textOthers
		if b.Start.AnyPod {
			text = textOthersToo
		}
		t.say(1, Evidence, t.language.Say(text, p.Others))
	}
	t.add(1, Note, textFinishedPods)
	if b.Start.Lister {
		t.add(1, Evidence, textPodLister)
	}
	wakes := textToWake
	if b.InLine {
		wakes = textToWakeNobody
	}
	for _, of := range []struct {
		does inside.Handler
		text string
	}{
		{inside.Caches, textToCache},
		{inside.Groups, textToGroups},
		{inside.Wakes, wakes},
		{inside.Reads, textOnlyRead},
	} {
		var kinds []string
		for _, i := range b.Informed {
			if i.Does == of.does {
				kinds = append(kinds, string(i.Kind))
			}
		}
		if len(kinds) > 0 {
			t.add(1, Evidence, of.text, strings.Join(kinds, ", "))
		}
	}
}
