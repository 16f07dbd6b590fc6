package cluster

import "github.com/tidwall/btree"

// table is a sorted map whose copies share what neither changed. Whatever V is, the tree under it is the same type:
// every package that imports this one compiles the trees it can see anew, and thirty of them made each of those
// packages 26 MB and ten seconds of compiling.
type table[V any] struct{ tree btree.Map[string, any] }

func (t *table[V]) Len() int { return t.tree.Len() }

func (t *table[V]) Get(key string) (V, bool) { return t.value(t.tree.Get(key)) }

// Set returns what was there before.
func (t *table[V]) Set(key string, v V) (V, bool) { return t.value(t.tree.Set(key, v)) }

// Delete returns what was there.
func (t *table[V]) Delete(key string) (V, bool) { return t.value(t.tree.Delete(key)) }

// Scan calls f in the order of keys until f returns false.
func (t *table[V]) Scan(f func(string, V) bool) {
	t.tree.Scan(func(key string, v any) bool { return f(key, v.(V)) })
}

// Ascend is Scan from the first key that is not before the given one.
func (t *table[V]) Ascend(from string, f func(string, V) bool) {
	t.tree.Ascend(from, func(key string, v any) bool { return f(key, v.(V)) })
}

func (t *table[V]) copy() table[V] { return table[V]{*t.tree.Copy()} }

func (t *table[V]) value(v any, ok bool) (V, bool) {
	if !ok {
		var none V
		return none, false
	}
	return v.(V), true
}
