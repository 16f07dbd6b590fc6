package sweep

import (
	"cmp"
	"encoding/csv"
	"io"
	"path/filepath"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	pzstd "github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/schedstep/schedstep/internal/disk"
	"github.com/schedstep/schedstep/internal/phrase"
)

// finished gives results by the number of their run.
type finished interface {
	Has(run int) bool
	frame(run int) ([]byte, error)
}

// WriteTables writes the results of the runs from one number up to but not including another, in their order, and the
// variants, as Parquet and as CSV. Each file is there whole or not at all.
func WriteTables(folder string, plan *Plan, axes []Axis, from, to int, results finished) error {
	if err := writeVariants(folder, plan, axes); err != nil {
		return err
	}
	if err := writeTable(folder, "runs", from, to, results, func(r *Result) []Row { return []Row{r.Row} }); err != nil {
		return err
	}
	uses := func(r *Result) []Resource { return r.Resources }
	if err := writeTable(folder, "resources", from, to, results, uses); err != nil {
		return err
	}
	return writeTable(folder, "pods", from, to, results, func(r *Result) []Pod { return r.Pods })
}

// perGroup is how many rows a group of a Parquet file has at the most, so that writing needs little memory.
const perGroup = 1 << 17

// options are how every table is written: the same results give the same bytes at any time and on any machine.
func options(schema *parquet.Schema) []parquet.WriterOption {
	all := []parquet.WriterOption{
		parquet.Compression(&pzstd.Codec{}), parquet.CreatedBy("schedstep", "", ""), parquet.MaxRowsPerRowGroup(perGroup),
	}
	if schema != nil {
		all = append(all, schema)
	}
	return all
}

// writeTable writes one table in both forms.
func writeTable[T any](folder, name string, from, to int, results finished, rows func(*Result) []T) error {
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(longest))
	if err != nil {
		return err
	}
	defer reader.Close()
	return both(folder, name, func(binary io.Writer, text *csv.Writer) error {
		columnar := parquet.NewGenericWriter[T](binary, options(nil)...)
		if err := text.Write(columnsOf[T](columnar.Schema())); err != nil {
			return err
		}
		for run := from; run < to; run++ {
			if !results.Has(run) {
				continue
			}
			frame, err := results.frame(run)
			if err != nil {
				return err
			}
			r, err := decode(reader, frame)
			if err != nil {
				return phrase.Errorf("run %d: %w", run, err)
			}
			if err := add(columnar, text, rows(r)); err != nil {
				return err
			}
		}
		return columnar.Close()
	})
}

// add writes rows in both forms.
func add[T any](columnar *parquet.GenericWriter[T], text *csv.Writer, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := columnar.Write(rows); err != nil {
		return err
	}
	for i := range rows {
		values := columnar.Schema().Deconstruct(nil, &rows[i])
		if err := text.Write(cellsOf(values)); err != nil {
			return err
		}
	}
	return nil
}

func columnsOf[T any](schema *parquet.Schema) []string {
	var names []string
	for _, path := range schema.Columns() {
		names = append(names, path[len(path)-1])
	}
	return names
}

// cellsOf are values as CSV has them.
func cellsOf(values []parquet.Value) []string {
	cells := make([]string, len(values))
	for i, v := range values {
		switch {
		case v.IsNull():
		case v.Kind() == parquet.Double:
			cells[i] = strconv.FormatFloat(v.Double(), 'g', -1, 64)
		default:
			cells[i] = v.String()
		}
	}
	return cells
}

// both writes name.parquet and name.csv.
func both(folder, name string, write func(binary io.Writer, text *csv.Writer) error) error {
	var binary error // it names its file already
	err := replace(folder, name+".csv", func(csvFile io.Writer) error {
		text := csv.NewWriter(csvFile)
		binary = replace(folder, name+".parquet", func(to io.Writer) error { return write(to, text) })
		text.Flush()
		if err := text.Error(); err != nil {
			binary = nil // it failed because of this
			return err
		}
		return binary
	})
	return cmp.Or(binary, err)
}

// replace writes a file of the folder whole or not at all.
func replace(folder, name string, write func(io.Writer) error) error {
	if err := disk.Replace(filepath.Join(folder, name), 0o644, write); err != nil {
		return phrase.Errorf("%s: %w", filepath.Join(folder, name), disk.Bare(err))
	}
	return nil
}

// writeVariants writes a row for each variant: its number, what it sets in words, and a column for each axis, which is
// null where the variant leaves the input as it is.
func writeVariants(folder string, plan *Plan, axes []Axis) error {
	return both(folder, "variants", func(binary io.Writer, text *csv.Writer) error {
		schema, order := variantSchema(axes)
		columnar := parquet.NewGenericWriter[any](binary, options(schema)...)
		if err := text.Write(columnsOf[any](schema)); err != nil {
			return err
		}
		for i := range plan.Variants {
			row := variantRow(&plan.Variants[i], axes, order)
			if _, err := columnar.WriteRows([]parquet.Row{row}); err != nil {
				return err
			}
			if err := text.Write(cellsOf(row)); err != nil {
				return err
			}
		}
		return columnar.Close()
	})
}

// variantSchema is the columns of the variants. A group of Parquet orders them by name; order has the index of each.
func variantSchema(axes []Axis) (*parquet.Schema, map[string]int) {
	group := parquet.Group{"variant": parquet.Leaf(parquet.Int32Type), "settings": parquet.String()}
	for _, a := range axes {
		column := parquet.Optional(parquet.String())
		if isNumber(a.Key) {
			column = parquet.Optional(parquet.Leaf(parquet.Int64Type))
		}
		group[a.Key] = column
	}
	schema := parquet.NewSchema("variants", group)
	order := map[string]int{}
	for i, path := range schema.Columns() {
		order[path[0]] = i
	}
	return schema, order
}

func variantRow(v *Variant, axes []Axis, order map[string]int) parquet.Row {
	row := make(parquet.Row, len(order))
	set := func(name string, value parquet.Value, optional int) {
		row[order[name]] = value.Level(0, optional, order[name])
	}
	set("variant", parquet.Int32Value(int32(v.Number)), 0)
	set("settings", parquet.ByteArrayValue([]byte(v.String())), 0)
	for _, a := range axes {
		value := v.Of(a.Key)
		switch {
		case value == AsItIs:
			set(a.Key, parquet.NullValue(), 0)
		case isNumber(a.Key):
			n, _ := strconv.ParseInt(value, 10, 64)
			set(a.Key, parquet.Int64Value(n), 1)
		default:
			set(a.Key, parquet.ByteArrayValue([]byte(value)), 1)
		}
	}
	return row
}
