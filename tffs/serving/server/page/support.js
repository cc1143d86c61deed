/** Give the task's support rows in the model's order, with the table that they are from. */
function supportOf(version, given) {
  const { names, description } = version;
  const sizes = version.ranks ? "any number of" : description.support_sizes.join(" or ");
  if (!given) {
    if (version.ranks) return { support: [], table: null };
    throw new Mistake(`This model takes ${sizes} rows of the new task: choose a CSV file, or paste rows.`);
  }
  const table = readTable(given.text, names);
  const missing = names.filter((name) => !table.header.includes(name));
  if (missing.length === names.length)
    throw new Mistake("The table has none of the model's features as a column. " +
      `Expected, for example, ${listed(names, 3)}; received ${listed(table.header)}.`);
  if (missing.length)
    throw new Mistake(`The table lacks ${missing.length} of the model's ${names.length} features: ` +
      `${listed(missing)}. Give a column for each.`);
  const support = numbersOf(table, names);
  if (!version.ranks && !description.support_sizes.includes(support.length))
    throw new Mistake(`This model takes ${sizes} rows. Received: ${support.length}.`);
  support.forEach((row, at) => {
    const gap = row.findIndex(Number.isNaN);
    if (gap >= 0 && description.missing !== "median")
      throw new Mistake(`Row ${at + 1} has no value for '${names[gap]}': fill it in, or leave the row out.`);
  });
  return { support, table };
}

/** Read which features are measured anyway and which cannot be, one name a line. */
function limitsOf(names) {
  const known = new Set(names);
  const [include, exclude] = ["include", "exclude"].map((id) => {
    const wanted = new Set(byId(id).value.split("\n").map((name) => name.trim()).filter(Boolean));
    const unknown = [...wanted].filter((name) => !known.has(name));
    if (unknown.length)
      throw new Mistake(`The model has no feature called ${listed(unknown)}: see the list of its features.`);
    return names.map((name) => wanted.has(name));
  });
  const both = names.filter((_, at) => include[at] && exclude[at]);
  if (both.length) throw new Mistake(`${listed(both)} is in both limits: remove it from one of them.`);
  if (exclude.every(Boolean)) throw new Mistake("Every feature is excluded, so none can be chosen: exclude fewer.");
  return { include, exclude };
}

/** Name features that are so far outside the source tasks' ranges that the unit may be wrong. */
function farOutside(description, rows) {
  const { source_low: lows, source_high: highs, feature_names: names } = description;
  if (!lows || !highs) return [];
  const widths = lows.map((low, at) => highs[at] - low);
  const varied = widths.filter((width) => width > 0).sort((one, other) => one - other);
  const middle = varied.length >> 1;
  const typical = !varied.length ? 0 : varied.length % 2 ? varied[middle] : (varied[middle - 1] + varied[middle]) / 2;
  return names.flatMap((name, at) => {
    const seen = rows.map((row) => row[at]).filter((value) => !Number.isNaN(value));
    const reach = widths[at] > 0 ? widths[at] : Math.max(Math.abs(highs[at]), typical);
    const low = seen.reduce((least, value) => Math.min(least, value), Infinity);
    const high = seen.reduce((greatest, value) => Math.max(greatest, value), -Infinity);
    if (low >= lows[at] - reach && high <= highs[at] + reach) return [];
    const [from, to, least, greatest] = [low, high, lows[at], highs[at]].map(shortNumber);
    return [`'${name}' is ${from} to ${to}; in the source tasks ${least} to ${greatest}`];
  });
}
