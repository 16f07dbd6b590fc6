package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/schedstep/schedstep/internal/words"
	"github.com/schedstep/schedstep/replay/ask/plan"
)

// The sentences about searches.
const (
	textRoomDone   = "%s: possible with evictions of %d pods; each of them has a node again"
	textRoomLesser = "%s: possible with evictions of %d pods, which leave %d pods of a lower priority without a node"
	textRoomFits   = "%s: fits without an eviction"
	textRoomNone   = "%s: NOT POSSIBLE with evictions of up to %d pods"
	textRoomExact  = "all smaller sets of evictions were tried that may leave enough room"
	textRoomTried  = "all sets of evictions were tried that may leave enough room"
	textRoomBound  = "at least %d by room; looked at pods of %d of %d nodes; other sets of evictions were not tried"
	textComesTo    = "comes: %s -> %s (%s)"
	textHeld       = "not moved: %d pods: %s"
	textRefusal    = "refused: %s: %s"
	textQuotaFirst = "raised first, since a quota does not let all be made: %s"
	textQuotaLeft  = "%s: a quota does not let %d of its pods be made"

	textPacked     = "%s: %d nodes can be emptied, one after the other; at most %d by room"
	textPackedNone = "%s: NO node can be emptied; at most %d by room"
	textPackExact  = "no more can be emptied: as many as there is room for, or every order was tried"
	textPackSome   = "not every order was tried; %d runs"
	textEmptied    = "%d. %s: %d pods move"
	textKept       = "keeps its pods: %s: %s: %s"
	textKeptAll    = "keeps its pods: %s: %s"
	textUnseen     = "not looked at: %d nodes"

	textUpgraded     = "%s: %d nodes are replaced in %d waves; %s of virtual time"
	textUpgradeStuck = "%s: BLOCKED in wave %d by %s: %s; %d nodes are replaced, %d are not"
	textUpgradeWaits = "%s: %d nodes are replaced in %d waves, and %d pods are left without a node"
	textWave         = "wave %d: drained %s; new %s; %d pods move; from %s to %s"
	textWaveStuck    = "wave %d: %s BLOCKED; %d pods move; from %s to %s"
	textWaveWaits    = "wave %d: %s waits %s for a node"
	textWaveNever    = "wave %d: %s has no node in the end"
	textOtherWay     = "with all old nodes cordoned first: %d moves, %s"

	textBuy        = "%s: %d pods get a node with %s; price %s"
	textBuyNone    = "%s: NO mix of the offers was found; the best leaves %d of %d pods without a node"
	textBuyNothing = "%s: no pod waits for a node"
	textBuyExact   = "no mix of the offers is better; %d mixes were run"
	textBuyPrice   = "the price is at least %s: at most %s %% less; %d mixes were run, others were not"
	textBuyNodes   = "it takes at least %d nodes: at most %s %% fewer; %d mixes were run, others were not"
	textBuyOffers  = "%d %s, %s each"
	textBefore     = "before: %s"
)

// printPlan prints a sheet, the steps of a plan, and another sheet.
func (f *planFlags) printPlan(s Streams, p *plan.Plan, head, rest *sheet, l words.Language) error {
	if err := head.write(s.Out); err != nil {
		return err
	}
	if len(p.Steps) > 0 {
		if err := printSteps(s.Out, p.Steps, l); err != nil {
			return err
		}
	}
	rest.drain(p)
	return rest.write(s.Out)
}

// planPage prints a plan as a page: the head of a sheet, what is its own, and what every plan has.
func (f *planFlags) printPlanPage(out io.Writer, of *plan.Plan, head, rest *sheet, own func(p *planPage)) error {
	p := planPageOf(of.Goal, head)
	if own != nil {
		own(p)
	}
	if err := p.plan(of, rest); err != nil {
		return err
	}
	return f.writePage(out, p)
}

// isData prints what is no table.
func (f *planFlags) isData(s Streams, value any, p *plan.Plan) (is bool, err error) {
	switch f.output {
	case "json", "yaml":
		return true, writeData(s.Out, value, f.output)
	case "commands":
		return true, printCommands(s.Out, *p)
	}
	return false, nil
}

func (f *planFlags) printRoom(s Streams, r *plan.Room, l words.Language) error {
	if is, err := f.isData(s, r, &r.Plan); is {
		return err
	}
	evictions := 0
	for i := range r.Steps {
		if r.Steps[i].Pod != "" {
			evictions++
		}
	}
	head, rest := sheet{l: l}, sheet{l: l}
	unmade := plan.Unmade(r.Denied)
	switch {
	case unmade > 0 && len(r.Plan.Pending) == 0:
		head.add(textQuotaLeft, r.Goal, unmade)
	case r.Verdict == plan.Done && evictions == 0:
		head.add(textRoomFits, r.Goal)
	case r.Verdict == plan.Done:
		head.add(textRoomDone, r.Goal, evictions)
	case r.Verdict == plan.Pending:
		head.add(textRoomLesser, r.Goal, evictions, len(r.Plan.Pending))
	default:
		head.add(textRoomNone, r.Goal, r.Looked.Most)
	}
	rest.quotas(r.Quotas)
	if !f.isPage() {
		rest.some(len(r.Pods), func(i int) { rest.comes(&r.Pods[i]) })
	}
	switch {
	case !r.Exact:
		rest.add(textRoomBound, r.Moves.AtLeast, r.Looked.Nodes, r.Looked.OfNodes)
	case r.Verdict == plan.Blocked:
		rest.add(textRoomTried)
	case evictions > 0:
		rest.add(textRoomExact)
	}
	rest.some(len(r.Held), func(i int) { rest.add(textHeld, r.Held[i].Pods, l.Render(r.Held[i].Why)) })
	rest.some(len(r.Blocks), func(i int) { rest.add(textRefusal, r.Blocks[i].Object, r.Blocks[i].Message) })
	if f.isPage() {
		return f.printPlanPage(s.Out, &r.Plan, &head, &rest, func(p *planPage) { p.comes(r.Pods) })
	}
	return f.printPlan(s, &r.Plan, &head, &rest, l)
}

// quotas are the refusals for which quotas are raised first.
func (p *sheet) quotas(refused []string) {
	for _, message := range refused {
		p.add(textQuotaFirst, message)
	}
}

// comes is where a pod lands.
func (p *sheet) comes(m *plan.Move) {
	if m.To == "" && len(m.Among) < 2 {
		return
	}
	p.add(textComesTo, m.Pod, comesTo(m, p.l), word(p.l, string(m.Sure)))
}

func (f *planFlags) printPacked(s Streams, r *plan.Packed, l words.Language) error {
	if is, err := f.isData(s, r, &r.Plan); is {
		return err
	}
	head, rest := sheet{l: l}, sheet{l: l}
	if len(r.Emptied) == 0 {
		head.add(textPackedNone, r.Goal, r.AtMost)
	} else {
		head.add(textPacked, r.Goal, len(r.Emptied), r.AtMost)
	}
	head.some(len(r.Emptied), func(i int) { head.add(textEmptied, i+1, r.Emptied[i].Node, r.Emptied[i].Moves) })
	if r.Exact {
		rest.add(textPackExact)
	} else {
		rest.add(textPackSome, r.Runs)
	}
	if !f.isPage() {
		rest.kept(r.Kept)
	}
	if r.Unseen > 0 {
		rest.add(textUnseen, r.Unseen)
	}
	if f.isPage() {
		return f.printPlanPage(s.Out, &r.Plan, &head, &rest, func(p *planPage) { p.packed(r) })
	}
	return f.printPlan(s, &r.Plan, &head, &rest, l)
}

// kept is what keeps nodes from being emptied.
func (p *sheet) kept(all []plan.Kept) {
	p.some(len(all), func(i int) {
		k := &all[i]
		if k.Object == k.Node {
			p.add(textKeptAll, k.Node, p.l.Render(k.Message))
			return
		}
		p.add(textKept, k.Node, k.Object, p.l.Render(k.Message))
	})
}

func (f *planFlags) printUpgraded(s Streams, r *plan.Upgraded, l words.Language) error {
	if is, err := f.isData(s, r, &r.Plan); is {
		return err
	}
	head, rest := sheet{l: l}, sheet{l: l}
	replaced := 0
	for i := range r.Waves {
		if r.Waves[i].Blocked == nil {
			replaced += len(r.Waves[i].Nodes)
		}
	}
	last := r.Waves[len(r.Waves)-1]
	switch {
	case last.Blocked != nil:
		b := last.Blocked
		head.add(textUpgradeStuck, r.Goal, last.N, b.Object, l.Render(b.Message), replaced, len(r.Left))
	case r.Verdict == plan.Done:
		head.add(textUpgraded, r.Goal, replaced, len(r.Waves), seconds(r.Seconds))
	default:
		head.add(textUpgradeWaits, r.Goal, replaced, len(r.Waves), len(r.Plan.Pending))
	}
	for _, o := range r.Others {
		rest.add(textOtherWay, o.Moves, word(l, string(o.Verdict)))
	}
	if f.isPage() {
		return f.printPlanPage(s.Out, &r.Plan, &head, &rest, func(p *planPage) { p.waves(r) })
	}
	head.waves(r.Waves)
	return f.printPlan(s, &r.Plan, &head, &rest, l)
}

// waves is a line for each wave of an upgrade, and those of the pods that wait in it.
func (p *sheet) waves(all []plan.Wave) {
	p.some(len(all), func(i int) {
		w := &all[i]
		old, fresh := strings.Join(w.Nodes, " "), strings.Join(w.New, " ")
		if w.Blocked != nil {
			p.add(textWaveStuck, w.N, old, w.Moves, seconds(w.Begins), seconds(w.Ends))
		} else {
			p.add(textWave, w.N, old, fresh, w.Moves, seconds(w.Begins), seconds(w.Ends))
		}
		p.some(len(w.Waits), func(k int) {
			if w.Waits[k].Seconds < 0 {
				p.add(textWaveNever, w.N, w.Waits[k].Pod)
				return
			}
			p.add(textWaveWaits, w.N, w.Waits[k].Pod, seconds(w.Waits[k].Seconds))
		})
	})
}

func (f *planFlags) printBought(s Streams, r *plan.Bought, nodes bool, l words.Language) error {
	switch f.output {
	case "json", "yaml":
		return writeData(s.Out, r, f.output)
	case "commands":
		return printBuying(s.Out, r)
	}
	head, rest := sheet{l: l}, sheet{l: l}
	var mix []string
	for _, n := range r.Nodes {
		mix = append(mix, fmt.Sprintf("%d × %s", n.Count, n.Offer))
	}
	unmade := plan.Unmade(r.Denied)
	switch {
	case unmade > 0 && len(r.Pending) == 0:
		head.add(textQuotaLeft, r.Goal, unmade)
	case r.Pods == 0:
		head.add(textBuyNothing, r.Goal)
	case r.Verdict != plan.Done:
		head.add(textBuyNone, r.Goal, len(r.Pending), r.Pods)
	default:
		head.add(textBuy, r.Goal, r.Pods, strings.Join(mix, ", "), r.Price)
	}
	gap := fmt.Sprintf("%.1f", 100*r.AtLeast.Percent/(100+r.AtLeast.Percent))
	switch {
	case r.Verdict != plan.Done || r.Pods == 0:
	case r.Exact:
		rest.add(textBuyExact, r.Mixes)
	case nodes:
		rest.add(textBuyNodes, r.AtLeast.Nodes, gap, r.Mixes)
	default:
		rest.add(textBuyPrice, r.AtLeast.Price, gap, r.Mixes)
	}
	rest.quotas(r.Quotas)
	rest.denied(r.Denied)
	if f.isPage() {
		rest.assumed(r.Assumed)
		return f.boughtPage(s.Out, r, &head, &rest)
	}
	for _, k := range r.Kubectl {
		head.add(textBefore, k)
	}
	head.some(len(r.Nodes), func(i int) { head.add(textBuyOffers, r.Nodes[i].Count, r.Nodes[i].Offer, r.Nodes[i].Each) })
	rest.some(len(r.Lands), func(i int) { rest.comes(&r.Lands[i]) })
	rest.waits(r.Pending)
	rest.assumed(r.Assumed)
	head.lines = append(head.lines, rest.lines...)
	return head.write(s.Out)
}

// printBuying prints what is to be done as a shell script: nodes come from another program, so they are a remark.
func printBuying(out io.Writer, r *plan.Bought) error {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# " + clean(r.Goal) + ": " + string(r.Verdict) + "\nset -e\n")
	if r.Verdict != plan.Done {
		b.WriteString("exit 3\n")
	}
	for _, n := range r.Nodes {
		fmt.Fprintf(&b, "# add %d of %s, %s each\n", n.Count, clean(n.Offer), n.Each)
	}
	for _, k := range r.Kubectl {
		b.WriteString(clean(k) + "\n")
	}
	for _, m := range r.Lands {
		if namespace, name, is := strings.Cut(m.Pod, "/"); is && m.To != "" && len(r.Kubectl) == 0 {
			fmt.Fprintf(&b, "kubectl wait pod %s -n %s --for=condition=PodScheduled --timeout=10m # on %s\n",
				clean(name), clean(namespace), clean(m.To))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
