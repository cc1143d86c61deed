/** Show what the model is, which features it knows, and what a table for it looks like. */
function showModel(version) {
  const { description, names, ranks } = version;
  const { training, num_selected: selected, support_sizes: sizes } = description;
  const tasks = training ? `, fitted to ${counted(training.source_tasks.length, "task")} of ${training.dataset}` : "";
  const choice = ranks
    ? `was measured with ${selected} of them; you may take any number`
    : `selects ${selected} from ${sizes.join(" or ")} rows`;
  byId("model").textContent = `Version ${version.number} of the model, of the method ${description.method}${tasks}. ` +
    `It knows ${counted(names.length, "feature")} and ${choice}.`;
  const figures = (training && training.figures) || {};
  byId("figures").textContent = Number.isFinite(figures.relative_error)
    ? `How well it did: with ${counted(selected, "feature")}, ${percent(figures.relative_error)} of the squared error ` +
      `was left on ${figures.evaluated_on}.`
    : "";
  const { source_low: low, source_high: high } = description;
  byId("features-summary").textContent = `The ${counted(names.length, "feature")}`;
  byId("features").replaceChildren(low
    ? table("What the source tasks showed", ["Feature", "From", "To"], ["name", "number", "number"],
      names.map((name, at) => [name, shortNumber(low[at]), shortNumber(high[at])]))
    : table("The features", ["Feature"], ["name"], names.map((name) => [name])));
  byId("example").textContent = exampleCsv(description, 12);
  for (const part of document.querySelectorAll(".ranks")) part.hidden = !ranks;
  page.version = version;
}

/** Write a row of the source tasks' means below the names, of some features or of all. */
function exampleCsv({ feature_names: names, source_mean: means, source_low: lows, source_high: highs }, most = Infinity) {
  const value = (at) => (means ? means[at] : lows ? (lows[at] + highs[at]) / 2 : 0);
  const more = names.length > most ? ["..."] : [];
  const some = names.slice(0, most);
  return writeTable([[...some, ...more], [...some.map((_, at) => shortNumber(value(at))), ...more]]);
}
