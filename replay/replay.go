// Package replay feeds a scheduler: where events come from, what becomes of effects, and how one step follows
// another. It decides nothing about scheduling and draws nothing. Packages below it read and write files (recording,
// importer, scenario) and move through a replay (session).
package replay
