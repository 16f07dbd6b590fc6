// Package play feeds a scheduler step by step: the next event of a script or a log, a cycle, or a wait. Its worlds
// turn the effects of the scheduler into events. It decides nothing about scheduling and draws nothing. The packages
// below it make an input ready to be played (input), are the controllers of a simulated world (manager, owner,
// request), and hold the decisions of a recorded scheduler beside ours (compare).
package play
