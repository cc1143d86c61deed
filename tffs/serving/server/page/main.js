const path = document.body.dataset.path;
const page = { rows: null, values: null, ranked: null, found: null, question: 0 };

/** Show a mistake where it was made; whatever else fails is ours, and goes to the console as well. */
async function reporting(place, work) {
  byId(place).textContent = "";
  try {
    return await work();
  } catch (error) {
    byId(place).textContent = error.message;
    if (!(error instanceof Mistake)) throw error;
  }
}

async function readFile(file) {
  const bytes = await file.arrayBuffer();
  try {
    return { name: file.name, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { name: file.name, text: new TextDecoder("windows-1252").decode(bytes) };  // of an older spreadsheet
  }
}

/** Give the task's support rows in the model's order, and sentences about them. */
function supportOf(version, given) {
  const { names, description } = version;
  const sizes = version.ranks ? "any number of" : description.support_sizes.join(" or ");
  if (!given) {
    if (version.ranks) return { support: [], notes: [], table: null };
    throw new Mistake(`This model takes ${sizes} rows of the new task: choose a CSV file, or paste rows.`);
  }
  const table = readTable(given.text, names);
  const missing = names.filter((name) => !table.header.includes(name));
  if (missing.length === names.length)
    throw new Mistake(`The table has none of the model's features as a column. Expected, for example, ${listed(names, 3)}; received ${listed(table.header)}.`);
  if (missing.length)
    throw new Mistake(`The table lacks ${missing.length} of the model's ${names.length} features: ${listed(missing)}. Give a column for each.`);
  const support = numbersOf(table, names);
  if (!version.ranks && !description.support_sizes.includes(support.length))
    throw new Mistake(`This model takes ${sizes} rows. Received: ${support.length}.`);
  support.forEach((row, at) => {
    const gap = row.findIndex(Number.isNaN);
    if (gap >= 0 && description.missing !== "median")
      throw new Mistake(`Row ${at + 1} has no value for '${names[gap]}': fill it in, or leave the row out.`);
  });
  const outside = farOutside(description, support);
  const notes = outside.length ? [`Are the units right? ${outside.slice(0, 3).join("; ")}.`] : [];
  if (table.others.length) notes.push(`Ignored, as they are no features of the model: ${listed(table.others)}.`);
  return { support, notes, table };
}

/** Read which features are measured anyway and which cannot be, one name a line. */
function limitsOf(names) {
  const known = new Set(names);
  const [include, exclude] = ["include", "exclude"].map((id) => {
    const wanted = new Set(byId(id).value.split("\n").map((name) => name.trim()).filter(Boolean));
    const unknown = [...wanted].filter((name) => !known.has(name));
    if (unknown.length) throw new Mistake(`The model has no feature called ${listed(unknown)}: see the list of its features.`);
    return names.map((name) => wanted.has(name));
  });
  const both = names.filter((_, at) => include[at] && exclude[at]);
  if (both.length) throw new Mistake(`${listed(both)} cannot be measured anyway and not be measured: remove one of the two.`);
  if (exclude.every(Boolean)) throw new Mistake("Every feature is excluded, so none can be chosen: exclude fewer.");
  return { include, exclude };
}

async function rank() {
  const question = ++page.question;
  byId("state").textContent = "Asking ...";
  const done = await reporting("problem", () => followed(path, async (version) => {
    const { support, notes, table } = supportOf(version, page.rows);
    const limits = version.ranks ? limitsOf(version.names) : {};
    const ranked = await version.rank(support, limits);
    if (question !== page.question) return true;  // somebody asked again meanwhile
    const included = (limits.include || []).filter(Boolean).length;
    const number = Math.min(Math.max(version.description.num_selected, included), ranked.names.length);
    Object.assign(page, { version, ranked, support, table, number });
    showModel(version);
    showAnswer(notes);
    const from = page.rows ? `${page.rows.name}: ${counted(support.length, "row")}` : "No rows: the source tasks alone";
    byId("state").textContent = `${from}, answered by version ${version.number}.`;
    return true;
  }));
  if (question !== page.question) return;
  if (!done) byId("state").textContent = "";
  byId("answer").hidden = byId("others").hidden = !done;
  if (done) {
    move(page.number);
    await infer();
  }
}

function showAnswer(notes) {
  const { ranked, version } = page;
  const lines = [noveltyText(ranked.novelty), ...notes].filter(Boolean);
  byId("notes").replaceChildren(...lines.map((line) => element("p", {}, line)));
  byId("notes").classList.toggle("note", notes.length > 0 || ranked.novelty >= UNUSUAL);
  byId("answer").hidden = byId("others").hidden = false;
  for (const part of document.querySelectorAll(".ranks")) part.hidden = !version.ranks;
  Object.assign(byId("slider"), { max: ranked.names.length, value: page.number });
}

function move(number) {
  page.number = number;
  if (page.version.ranks) showRanking(page.ranked, number);
  else showSelection(page.ranked);
}

/** Infer what was not measured, of a second table or else of the task's own rows. */
async function infer() {
  const { version, ranked, support } = page;
  const question = ++page.question;
  byId("found").hidden = true;
  const own = !page.values;
  const names = version.ranks ? ranked.names.slice(0, page.number) : ranked.names;
  byId("values-state").textContent = own ? "" : `Values from ${page.values.name}.`;
  if (own && !page.table) return;
  await reporting("values-problem", async () => {
    const table = own ? page.table : readTable(page.values.text, version.names);
    const { values: measured, names: taken } = measuredValues(version, table, names, own);
    const found = await version.reconstruct(support, measured, ranked.indices);
    if (question !== page.question) return;
    page.found = { ...found, measured, table, own, classes: version.description.classes };
    byId("values-state").textContent = own
      ? `The ${counted(taken.length, "feature")} above of your own rows are taken as measured. The table's own values stand beside the inferred ones; the model saw these rows, so new ones may fit less well.`
      : `${page.values.name}: ${counted(measured.length, "row")}, of which ${counted(taken.length, "feature")} ${taken.length === 1 ? "was" : "were"} measured.`;
    Object.assign(byId("row"), { max: measured.length, value: 1 });
    byId("found").hidden = false;
    showRow(page.found, 0);
  });
}

function showModel({ description, names, number, ranks }) {
  const { training, num_selected: selected, support_sizes: sizes } = description;
  const tasks = training ? `, fitted to ${counted(training.source_tasks.length, "task")} of ${training.dataset}` : "";
  byId("model").textContent = `Version ${number} of the model, of the method ${description.method}${tasks}. It knows ` +
    `${counted(names.length, "feature")} and ${ranks ? `suggests ${selected}; you may take any number` : `selects ${selected} from ${sizes.join(" or ")} rows`}.`;
  const figures = training && training.figures;
  byId("figures").textContent = figures && figures.relative_error !== null && figures.relative_error !== undefined
    ? `How well it did: with ${counted(selected, "feature")}, ${percent(figures.relative_error)} of the squared error was left on ${figures.evaluated_on}.` : "";
  const { source_low: low, source_high: high, source_mean: mean } = description;
  byId("features-summary").textContent = `The ${names.length} features`;
  byId("features").replaceChildren(table("What the source tasks showed", low ? ["Feature", "From", "To"] : ["Feature"],
    ["name", "number", "number"], names.map((name, at) => (low ? [name, shortNumber(low[at]), shortNumber(high[at])] : [name]))));
  const middle = names.map((_, at) => (mean ? mean[at] : low ? (low[at] + high[at]) / 2 : 0));
  page.example = writeTable([names, middle.map(shortNumber)]);
  byId("example").textContent = page.example.length > 1200 ? `${writeTable([names.slice(0, 12), middle.slice(0, 12).map(shortNumber)]).replaceAll("\r\n", ", ...\r\n")}` : page.example;
}

async function take(files, name, ask) {
  if (!files.length) return;
  page[name] = await readFile(files[0]);
  await ask();
}

function takesFiles(zone, input, name, ask) {
  const over = (event) => {
    event.preventDefault();
    byId(zone).classList.toggle("over", event.type === "dragover");
  };
  for (const kind of ["dragover", "dragleave", "drop"]) byId(zone).addEventListener(kind, over);
  byId(zone).addEventListener("drop", (event) => take(event.dataTransfer.files, name, ask));
  byId(input).addEventListener("change", () => take(byId(input).files, name, ask));
}

takesFiles("drop", "file", "rows", async () => {
  byId("pasted").value = "";
  await rank();
  byId(byId("answer").hidden ? "problem" : "answer").scrollIntoView({ block: "nearest" });
});
takesFiles("values-drop", "values-file", "values", infer);
byId("pasted").addEventListener("change", () => {
  const text = byId("pasted").value;
  page.rows = text.trim() ? { name: "Pasted rows", text } : null;
});
byId("ask").addEventListener("click", rank);
byId("slider").addEventListener("input", () => move(Number(byId("slider").value)));
byId("slider").addEventListener("change", () => { if (!page.values) infer(); });
byId("row").addEventListener("input", () => {
  const row = Number(byId("row").value);
  if (page.found && Number.isInteger(row) && row >= 1 && row <= page.found.values.length) showRow(page.found, row - 1);
});
byId("download").addEventListener("click", () => offerDownload("inferred.csv", completedCsv(page.found)));
byId("download-example").addEventListener("click", () => offerDownload("example.csv", page.example));
document.documentElement.classList.add("with-script");
reporting("problem", () => followed(path, async (version) => {
  page.version = version;
  showModel(version);
  for (const part of document.querySelectorAll(".ranks")) part.hidden = !version.ranks;
}));
