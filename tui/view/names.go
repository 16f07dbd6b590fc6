package view

import (
	"strings"

	"github.com/schedstep/schedstep/core/trace"
	"github.com/schedstep/schedstep/internal/short"
	"github.com/schedstep/schedstep/internal/words"
)

// longestShort is how long the short form of an unknown name may be.
const longestShort = 8

// Short is the short form of a plugin's name; a name that is not known is cut.
func Short(plugin string) string {
	if name, known := short.Known(plugin); known {
		return name
	}
	letters := []rune(plugin)
	return string(letters[:min(len(letters), longestShort)])
}

// ShortAll are the short forms of some names, as a list.
func ShortAll(plugins []string) string {
	names := make([]string, len(plugins))
	for i, plugin := range plugins {
		names[i] = Short(plugin)
	}
	return strings.Join(names, ", ")
}

// PodName is a pod's key without the namespace default; the name of a pod group has "group" before it.
func PodName(lang words.Language, key string) string {
	if group, is := trace.GroupOfKey(key); is {
		return lang.Say("group %s", strings.TrimPrefix(group, "default/"))
	}
	return strings.TrimPrefix(key, "default/")
}
