package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// A data set of the datasets library is what a row of it is: a dict by columns, open where not all
// are known. map() calls the program's function on a row, so that what it puts there is known.

const (
	datasetName = "datasets.Dataset"
	splitsName  = "datasets.DatasetDict"
	rowArg      = "row" // under which a data set keeps its row
)

// knowDatasets enters what the datasets library does.
func knowDatasets() {
	specials["datasets.load_dataset"] = loadedDataset
	specials["datasets.load_from_disk"] = loadedDataset
	specials[datasetName+".from_list"] = datasetOfList
	specials[datasetName+".from_dict"] = datasetOfDict
	for _, name := range []string{datasetName, splitsName} {
		for _, same := range []string{"filter", "shuffle", "select", "sort", "shard", "take", "skip", "with_format", "flatten_indices", "cast", "cast_column", "repeat", "to_iterable_dataset"} {
			objectSpecials[name+"."+same] = itself
		}
		objectSpecials[name+".map"] = mapped
		objectSpecials[name+".train_test_split"] = splits
		objectSpecials[name+".remove_columns"] = withoutColumns
		objectSpecials[name+".select_columns"] = onlyColumns
		objectSpecials[name+".rename_column"] = renamedColumn
		objectSpecials[name+".add_column"] = addedColumn
	}
}

// rowOf is what is known of a row of a data set; nil for what is none.
func (in *interp) rowOf(v *Val) *DictRef {
	switch r := RefOf(v).(type) {
	case *LibObject:
		if r.Name == datasetName || r.Name == splitsName {
			if d, ok := RefOf(r.Args[rowArg]).(*DictRef); ok {
				return d
			}
			return in.openDict() // made by its class, as a DatasetDict of splits is
		}
	case *SeqRef: // a list of dicts is taken as well
		d, _ := RefOf(r.Elem).(*DictRef)
		return d
	}
	return nil
}

// datasetOf is a data set with such rows.
func (in *interp) datasetOf(f *Frame, s *state, n ast.Node, name string, row *DictRef, from ...*Val) *Val {
	r := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpDisplay, Ref: row})
	o := heapAt(f, n, func() *LibObject { return &LibObject{owner: in} })
	o.Name, o.Args = name, map[string]*Val{rowArg: r}
	v := in.val(f, s, n, OpNew, domain.Of(domain.Other), from...)
	v.Ref = o
	return v
}

func loadedDataset(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	name := splitsName
	if split := a.get("split"); split != nil && split.Ref == nil {
		name = datasetName
	}
	return in.datasetOf(f, s, n, name, in.openDict(), a.all()...)
}

func datasetOfList(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	row := in.openDict()
	if len(a.pos) > 0 && isContainer(a.pos[0]) {
		if d, ok := in.element(f, s, n, a.pos[0]).Ref.(*DictRef); ok {
			row = d
		}
	}
	return in.datasetOf(f, s, n, datasetName, row, a.all()...)
}

func datasetOfDict(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	row := in.openDict()
	if len(a.pos) > 0 {
		if d, ok := a.pos[0].Ref.(*DictRef); ok {
			row = in.each(d, func(e *Val) *Val { return in.element(f, s, n, e) })
		}
	}
	return in.datasetOf(f, s, n, datasetName, row, a.all()...)
}

// mapped is ds.map(fn): what fn returns is put into the row.
func mapped(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	old := in.rowOf(recv)
	fn := a.arg(0, "function")
	batched, known := Truth(a.arg(2, "batched"))
	if fn == nil || a.get("batched") != nil && (!known || batched) {
		return in.datasetOf(f, s, n, o.Name, in.openDict(), a.after(recv)...)
	}
	arg := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpDisplay, Ref: in.copied(old), In: []*Val{recv}})
	args := callArgs{pos: []*Val{arg}}
	if t, known := Truth(a.arg(1, "with_indices")); known && t {
		args.pos = append(args.pos, in.val(f, s, n, OpUnknown, domain.Of(domain.Index)))
	}
	if d, ok := RefOf(a.get("fn_kwargs")).(*DictRef); ok {
		for _, k := range d.order {
			args.kw = append(args.kw, kwArg{k, d.Fields[k]})
		}
		args.open = d.Open
	}
	made, ok := RefOf(in.callVal(f, s, n, fn, args)).(*DictRef)
	if !ok {
		return in.datasetOf(f, s, n, o.Name, in.openDict(), a.after(recv)...)
	}
	row, all := in.without(old, recv, a.get("remove_columns"))
	if all {
		row = in.newDict()
	}
	for _, k := range made.order {
		row.set(k, made.Fields[k])
	}
	row.Open = row.Open || made.Open && made != arg.Ref || made.Elem != nil
	return in.datasetOf(f, s, n, o.Name, row, a.after(recv)...)
}

// copied is a dict of the same values.
func (in *interp) copied(d *DictRef) *DictRef { return in.each(d, func(v *Val) *Val { return v }) }

// without is a row without some columns; all says that none is left: the data set's own column_names.
func (in *interp) without(row *DictRef, data, columns *Val) (out *DictRef, all bool) {
	out = in.copied(row)
	if columns == nil || columns.IsNone() {
		return out, false
	}
	names := namesIn(columns)
	if names == nil {
		return out, isOp(columns, "column_names") || isOp(columns, OpAttr+".column_names") || columns.Op == OpItem
	}
	for _, k := range names {
		out.drop(k)
	}
	return out, false
}

// drop takes a key out of a dict.
func (d *DictRef) drop(key string) {
	delete(d.Fields, key)
	d.order = slices.DeleteFunc(d.order, func(k string) bool { return k == key })
}

// namesIn are the texts of a constant or a list of such; nil where one is not known.
func namesIn(v *Val) (out []string) {
	if name, ok := v.Str(); ok {
		return []string{name}
	}
	r, ok := RefOf(v).(*SeqRef)
	if !ok || r.Elem != nil {
		return nil
	}
	for _, e := range r.Elems {
		name, ok := e.Str()
		if !ok {
			return nil
		}
		out = append(out, name)
	}
	return out
}

func splits(in *interp, f *Frame, s *state, n ast.Node, recv *Val, _ *LibObject, a callArgs) *Val {
	return in.datasetOf(f, s, n, splitsName, in.rowOf(recv), a.after(recv)...)
}

func withoutColumns(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	row, all := in.without(in.rowOf(recv), recv, a.arg(0, "column_names"))
	if all {
		row = in.openDict()
	}
	return in.datasetOf(f, s, n, o.Name, row, a.after(recv)...)
}

func onlyColumns(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	old, row := in.rowOf(recv), in.newDict()
	names := namesIn(a.arg(0, "column_names"))
	for _, k := range names {
		v := old.Fields[k]
		if v == nil {
			v = in.opaque(f, s, n, OpAttr+"."+k, recv)
		}
		row.set(k, v)
	}
	row.Open = names == nil
	return in.datasetOf(f, s, n, o.Name, row, a.after(recv)...)
}

func renamedColumn(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	row := in.copied(in.rowOf(recv))
	from, ok := a.arg(0, "original_column_name").Str()
	to, ok2 := a.arg(1, "new_column_name").Str()
	if !ok || !ok2 {
		return in.datasetOf(f, s, n, o.Name, in.openDict(), a.after(recv)...)
	}
	v := row.Fields[from]
	if v == nil {
		v = in.opaque(f, s, n, OpAttr+"."+from, recv)
	}
	row.drop(from)
	row.set(to, v)
	return in.datasetOf(f, s, n, o.Name, row, a.after(recv)...)
}

func addedColumn(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	row := in.copied(in.rowOf(recv))
	if name, ok := a.arg(0, "name").Str(); ok {
		row.set(name, in.opaque(f, s, n, OpAttr+"."+name, recv))
	} else {
		row = in.openDict()
	}
	return in.datasetOf(f, s, n, o.Name, row, a.after(recv)...)
}

// datasetItem is ds[key]: a split of several, a column, or a row.
func (in *interp) datasetItem(f *Frame, s *state, n ast.Node, x *Val, o *LibObject, idx *Val) *Val {
	row := in.rowOf(x)
	if row == nil {
		return nil
	}
	if key, ok := idx.Str(); ok {
		if o.Name == splitsName {
			return in.datasetOf(f, s, n, datasetName, row, x)
		}
		if row.Fields[key] != nil {
			return in.listOf(f, s, n, row.Fields[key], callArgs{pos: []*Val{x}})
		}
		return nil
	}
	if o.Name == splitsName {
		return in.datasetOf(f, s, n, datasetName, row, x) // one of the splits
	}
	if _, cut := idx.Ref.(*SliceRef); cut || !isScalar(idx) {
		return nil
	}
	v := in.val(f, s, n, OpItem, domain.Of(domain.Other), x, idx)
	v.Ref = row
	return v
}
