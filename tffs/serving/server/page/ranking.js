/** Show what may make the answer wrong, and what was made of the rows. */
function showNotes({ description }, { novelty = -1 }, support, table) {
  const warnings = [], facts = [];
  if (novelty >= 0) {
    const sentence = `Novelty ${novelty.toFixed(2)}: the rows are more unusual than ` +
      `${(100 * novelty).toFixed(0)} % of the source tasks.`;
    if (novelty >= UNUSUAL) warnings.push(`${sentence} The answer may not hold for this task.`);
    else facts.push(`${sentence} From ${UNUSUAL} on, the answer may not hold.`);
  }
  const outside = farOutside(description, support);
  if (outside.length) warnings.push(`Are the units right? ${outside.slice(0, 3).join("; ")}.`);
  if (table && table.others.length) facts.push(`Ignored, as they are no features of the model: ${listed(table.others)}.`);
  byId("warnings").replaceChildren(...warnings.map((line) => element("p", { class: "note" }, line)));
  byId("facts").replaceChildren(...facts.map((line) => element("p", { class: "muted" }, line)));
}

/** Show the first `number` features in order, and the curve over all numbers. */
function showRanking(ranked, number) {
  const errors = [ranked.expected_error_of_none, ...ranked.names.map((_, at) => ranked.expected_error[at])];
  byId("number").textContent = String(number);
  byId("sentence").textContent = `Measure ${number === 1 ? "this one" : `these ${number}`}, in this order. ` +
    `Then ${percent(errors[number])} of the squared error of all features is expected to be left.`;
  byId("chosen").replaceChildren(table(
    `Features to measure (${number} of ${ranked.names.length})`,
    ["No.", "Feature", "Error left", "Falls by"], ["number", "name", "number", "number"],
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
