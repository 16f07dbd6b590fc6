package history

import (
	"fmt"
	"slices"
)

// suffix is how many characters the API server puts behind a generateName.
const suffix = 5

// name gives the objects that the API server named the names that later entries mention, the oldest first: pods of one
// template are alike. It returns how many are mentioned nowhere; those have a name of ours.
func name(writes []*Write) int {
	index := make([]int, len(writes))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return writes[a].At.Compare(writes[b].At) })
	mentions := mentionsOf(writes, index)
	unnamed := 0
	for _, i := range index {
		w := writes[i]
		if w.Verb != Create || w.Sub != "" || w.Name != "" || w.Prefix == "" {
			continue
		}
		k := key{w.Row.Kind, w.Namespace, w.Prefix}
		if names := mentions[k]; len(names) > 0 {
			w.Name, mentions[k] = names[0], names[1:]
			continue
		}
		unnamed++
		w.Name = fmt.Sprintf("%s%05d", w.Prefix, unnamed)
	}
	return unnamed
}

// mentionsOf are the names that no create has, by their beginning, in the order in which they are mentioned first.
func mentionsOf(writes []*Write, index []int) map[key][]string {
	seen := map[key]bool{}
	mentions := map[key][]string{}
	for _, i := range index {
		w := writes[i]
		if w.Name == "" || seen[w.key()] || w.Verb == DeleteCollection {
			continue
		}
		seen[w.key()] = true
		if created := w.Verb == Create && w.Sub == "" || w.Created; created || len(w.Name) <= suffix {
			continue
		}
		k := key{w.Row.Kind, w.Namespace, w.Name[:len(w.Name)-suffix]}
		mentions[k] = append(mentions[k], w.Name)
	}
	return mentions
}
