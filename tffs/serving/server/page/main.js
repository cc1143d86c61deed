const path = document.body.dataset.path;
const page = { rows: null, values: null, ranked: null, found: null, asked: 0, inferred: 0 };

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

async function rank() {
  const question = ++page.asked;
  byId("state").textContent = "Asking ...";
  const done = await reporting("problem", () => followed(path, async (version) => {
    const { support, table } = supportOf(version, page.rows);
    const limits = version.ranks ? limitsOf(version.names) : {};
    const ranked = await version.rank(support, limits);
    if (question !== page.asked) return true;  // somebody asked again meanwhile
    const included = (limits.include || []).filter(Boolean).length;
    const number = Math.min(Math.max(version.description.num_selected, included), ranked.names.length);
    Object.assign(page, { version, ranked, support, table, number });
    showModel(version);
    showNotes(version, ranked, support, table);
    Object.assign(byId("slider"), { max: ranked.names.length, value: number });
    const from = page.rows ? `${page.rows.name}: ${counted(support.length, "row")}` : "No rows: the source tasks alone";
    byId("state").textContent = `${from}, answered by version ${version.number}.`;
    return true;
  }));
  if (question !== page.asked) return;
  if (!done) byId("state").textContent = "";
  byId("answer").hidden = byId("others").hidden = !done;
  if (done) {
    move(page.number);
    await infer();
  }
}

function move(number) {
  page.number = number;
  if (page.version.ranks) showRanking(page.ranked, number);
  else showSelection(page.ranked);
}

/** Infer what was not measured, of a second table or else of the task's own rows. */
async function infer() {
  const { version, ranked, support } = page;
  const question = ++page.inferred;
  byId("found").hidden = true;
  const own = !page.values;
  const names = version.ranks ? ranked.names.slice(0, page.number) : ranked.names;
  byId("values-state").textContent = own ? "" : `Values from ${page.values.name}.`;
  if (own && !support.length) return;
  await reporting("values-problem", async () => {
    const table = own ? page.table : readTable(page.values.text, version.names);
    const { values: measured, names: taken } = measuredValues(version, table, names, own);
    const found = await version.reconstruct(support, measured, ranked.indices).catch((error) => {
      if (!(error instanceof NotServed)) throw error;
    });
    if (!found) return rank();  // the version is gone: another may choose other features
    if (question !== page.inferred) return;
    page.found = { ...found, measured, table, own, classes: version.description.classes };
    byId("values-state").textContent = own
      ? `Below, only ${counted(taken.length, "feature")} of your own rows ${taken.length === 1 ? "is" : "are"} taken as ` +
        "measured, and the table's values stand beside the inferred ones. The model saw these rows: new ones may fit less well."
      : `${page.values.name}: ${counted(measured.length, "row")} with ${counted(taken.length, "measured feature")}.`;
    Object.assign(byId("row"), { max: measured.length, value: 1 });
    byId("found").hidden = false;
    showRow(page.found, 0);
  });
}

/** Take a file that is chosen or dropped, and ask with it. */
function takesFiles(zone, input, name, place, ask) {
  const take = async ([file]) => {
    if (!file) return;
    const read = await reporting(place, () => readFile(file));
    if (!read) return;
    page[name] = read;
    await ask();
  };
  const over = (event) => {
    event.preventDefault();
    byId(zone).classList.toggle("over", event.type === "dragover");
  };
  for (const kind of ["dragover", "dragleave", "drop"]) byId(zone).addEventListener(kind, over);
  byId(zone).addEventListener("drop", (event) => take(event.dataTransfer.files));
  byId(input).addEventListener("change", () => take(byId(input).files));
  // The same file, corrected, may be chosen again.
  byId(input).addEventListener("click", () => { byId(input).value = ""; });
}

takesFiles("drop", "file", "rows", "problem", async () => {
  byId("pasted").value = "";
  await rank();
  byId(byId("answer").hidden ? "problem" : "answer").scrollIntoView({ block: "nearest" });
});
takesFiles("values-drop", "values-file", "values", "values-problem", infer);
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
byId("download-example").addEventListener("click", () => offerDownload("example.csv", exampleCsv(page.version.description)));
// A file that is dropped beside a field must not take the page away.
for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
document.documentElement.classList.add("with-script");
reporting("problem", () => followed(path, async (version) => showModel(version)));
