/** Give what was measured of rows: [rows, M], NaN where a feature was not. */
function measuredValues(version, table, selected, own) {
  // Of the task's own rows, which hold every feature, only the selected ones count as measured.
  const wanted = own || !version.ranks ? [...new Set(selected)] : version.names;
  const names = wanted.filter((name) => table.header.includes(name));
  const missing = selected.filter((name) => !table.header.includes(name));
  if (!version.ranks && missing.length)
    throw new Mistake(`The table lacks ${listed(missing)}: this model needs all features that it selects.`);
  if (!names.length)
    throw new Mistake(`The table has none of the model's features as a column; it has ${listed(table.header)}.`);
  const place = new Map(names.map((name, at) => [name, at]));
  const rows = numbersOf(table, names);
  if (!rows.length) throw new Mistake("The table has no rows: give at least one.");
  const all = version.names.map((name) => place.get(name));
  return { names, values: rows.map((row) => all.map((at) => (at === undefined ? NaN : row[at]))) };
}

/** Show one row: what was measured, what was inferred, and what the table itself says. */
function showRow(found, row) {
  const { columns, values, low, high, table: source, measured } = found;
  const header = found.classes ? ["Class", "Probability"] : ["Feature", "Value"];
  const known = !found.classes && found.own;
  if (low.length) header.push("90 % interval");
  if (known) header.push("In the table");
  const lines = columns.map((name, at) => {
    const isMeasured = !found.classes && !Number.isNaN(measured[row][at]);
    const label = isMeasured ? element("span", {}, name, " ", element("span", { class: "mark" }, "measured")) : name;
    const cells = [label, shortNumber(values[row][at])];
    if (low.length) cells.push(isMeasured ? "" : `${shortNumber(low[row][at])} to ${shortNumber(high[row][at])}`);
    if (known) cells.push(source.rows[row][source.header.indexOf(name)]);
    return cells;
  });
  const kinds = ["name", ...header.slice(1).map(() => "number")];
  byId("inferred").replaceChildren(table(`Row ${row + 1} of ${values.length}`, header, kinds, lines));
}

/** Give all rows as CSV: other columns first, then every feature with the ends of its interval. */
function completedCsv({ columns, values, low, high, table: source }) {
  const taken = new Set([...columns, ...source.others]);
  let endings = low.length ? ["", "_low", "_high"] : [""];
  while (columns.some((name) => endings.slice(1).some((ending) => taken.has(name + ending))))
    endings = endings.map((ending) => ending && `_interval${ending}`);
  const kept = source.header.flatMap((name, at) => (source.others.includes(name) ? [at] : []));
  const features = columns.flatMap((name) => endings.map((ending) => name + ending));
  const header = [...kept.map((at) => source.header[at]), ...features];
  const lines = values.map((row, at) => [
    ...kept.map((place) => source.rows[at][place]),
    ...row.flatMap((value, column) => (low.length ? [value, low[at][column], high[at][column]] : [value])),
  ]);
  return writeTable([header, ...lines]);
}
