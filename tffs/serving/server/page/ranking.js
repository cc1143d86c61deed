/** Say how unlike the source tasks the rows are, where the model knows. */
function noveltyText(novelty) {
  if (novelty === undefined || novelty < 0) return "";
  const share = (100 * novelty).toFixed(0);
  if (novelty >= UNUSUAL)
    return `Novelty ${novelty.toFixed(2)}: the rows are more unusual than ${share} % of the source tasks. The answer may not hold for this task.`;
  return `Novelty ${novelty.toFixed(2)}: the rows are more unusual than ${share} % of the source tasks. Nothing special; from ${UNUSUAL} on the answer may not hold.`;
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
    return [`'${name}' is ${shortNumber(low)} to ${shortNumber(high)}; in the source tasks ${shortNumber(lows[at])} to ${shortNumber(highs[at])}`];
  });
}

/** Show the first `number` features in order, and the curve over all numbers. */
function showRanking(ranked, number) {
  const errors = [ranked.expected_error_of_none, ...ranked.names.map((_, at) => ranked.expected_error[at])];
  byId("number").textContent = String(number);
  byId("sentence").textContent = `Measure ${number === 1 ? "this one" : `these ${number}`}, in this order. ` +
    `Then ${percent(errors[number])} of the squared error of all features is expected to be left.`;
  byId("chosen").replaceChildren(table(
    `Features to measure (${number} of ${ranked.names.length})`,
    ["", "Feature", "Error left after it", "It takes away"], ["number", "name", "number", "number"],
    ranked.names.slice(0, number).map((name, at) =>
      [String(at + 1), name, percent(errors[at + 1]), percent(errors[at] - errors[at + 1])]),
  ));
  const frame = byId("curve");
  frame.replaceChildren(curve(errors, number, Math.max(260, Math.min(720, frame.clientWidth))));
  byId("curve-table").replaceChildren(table(
    "Expected error by number of features", ["Features", "The last one", "Error left"], ["number", "name", "number"],
    errors.map((error, count) => [String(count), count ? ranked.names[count - 1] : "none", percent(error)]),
  ));
}

/** Show what a concrete model selects: a feature for each selector. */
function showSelection(selected) {
  const different = new Set(selected.names).size;
  byId("sentence").textContent = `Measure ${different === 1 ? "this feature" : `these ${different} features`}. ` +
    "The score is the probability that the selector gives to its feature.";
  byId("chosen").replaceChildren(table(
    `Features to measure (${different})`, ["Selector", "Feature", "Score"], ["number", "name", "number"],
    selected.names.map((name, at) => [String(at + 1), name, selected.scores[at].toFixed(3)]),
  ));
}
