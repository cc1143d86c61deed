const byId = (id) => document.getElementById(id);

/** Make an element; text is put in as text, whatever it looks like. */
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const AT_ONCE = 300;  // lines of a table that are made before somebody asks for all

/** Make a table; a cell is text or an element, and `kinds` are the classes of the columns. */
function table(caption, header, kinds, lines) {
  const line = (tag, cells) => element("tr", {}, ...cells.map((cell, at) =>
    element(tag, { class: kinds[at], ...(tag === "th" ? { scope: "col" } : {}) }, cell)));
  const body = element("tbody", {}, ...lines.slice(0, AT_ONCE).map((cells) => line("td", cells)));
  const made = element("table", {}, element("caption", {}, caption),
    element("thead", {}, line("th", header)), body);
  const frame = element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, made);
  if (lines.length > AT_ONCE) {
    const more = element("button", { type: "button", class: "plain" }, `Show all ${lines.length}`);
    more.addEventListener("click", () => {
      body.append(...lines.slice(AT_ONCE).map((cells) => line("td", cells)));
      more.remove();
    });
    frame.append(more);
  }
  return frame;
}

const shortNumber = (value) => String(Number(value.toPrecision(4)));
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Name a few, and say how many more there are. */
function listed(names, most = 5) {
  const more = names.length - most;
  return names.slice(0, most).map((name) => `'${name}'`).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function offerDownload(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
